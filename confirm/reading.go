package confirm

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// reading makes a plan.
type reading struct {
	*plan
	trace *traces.Trace
	store Store
	until int64
	// executed are the events of requests with an effect.
	executed map[int64]bool
}

func (r *reading) add(s step) {
	if s.seq <= r.until {
		r.steps = append(r.steps, s)
	}
}

func (r *reading) operations() error {
	for i := range r.trace.History.Operations {
		op := &r.trace.History.Operations[i]
		if op.Call.Seq > r.until {
			break
		}
		switch {
		case op.Cancelled.Happened() && op.Cancelled.Seq <= r.until:
			return cannot("a call is cancelled, which is not supported yet")
		case len(r.trace.History.Calls) > 0:
			return cannot("the lock is no mutex, which is not supported yet")
		}
		r.add(step{kind: call, seq: op.Call.Seq, at: op.Call.At, client: op.Client, op: op})
		if op.Return.Happened() {
			r.add(step{kind: returned, seq: op.Return.Seq, at: op.Return.At, client: op.Client, op: op})
		}
	}
	return nil
}

// observations plans what nodes, processes and the resource do.
func (r *reading) observations() error {
	r.executed = map[int64]bool{}
	for i := range r.trace.History.Observations {
		o := &r.trace.History.Observations[i]
		if o.Seq > r.until {
			break
		}
		s := step{seq: o.Seq, at: o.At, node: o.Node, seen: o}
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged, model.RecordDeleted:
			if o.Authority == "" {
				s.kind, s.node = replicates, ""
				r.add(s)
				continue
			}
			if err := r.execution(o); err != nil {
				return err
			}
			continue
		case model.RecordExpired:
			if o.Authority == "" {
				continue
			}
			s.kind = expires
		case model.ResourceRead, model.ResourceWritten, model.ResourceRefused:
			s.kind, s.client, s.node, s.op = accesses, o.By.Client, "", r.trace.History.Operation(o.By.Op)
		case model.Paused, model.Resumed:
			s.kind = map[model.ObservationKind]stepKind{model.Paused: hangs, model.Resumed: wakes}[o.Kind]
			if slices.Contains(r.clients, o.Node) {
				s.kind, s.client, s.node = map[model.ObservationKind]stepKind{model.Paused: pauses, model.Resumed: resumes}[o.Kind], o.Node, ""
			}
		case model.Parted, model.United:
			if o.Sides == nil {
				return cannot("the trace does not say which sides a partition has (event %d)", o.Seq)
			}
			s.kind = map[model.ObservationKind]stepKind{model.Parted: parts, model.United: unites}[o.Kind]
		case model.ClockJumped:
			if slices.Contains(r.clients, o.Node) {
				return cannot("the clock of a client jumps (event %d), which is not supported yet", o.Seq)
			}
			s.kind, r.jumping = jumps, true
		case model.Crashed:
			if slices.Contains(r.clients, o.Node) {
				return cannot("a client's process dies, which is not supported yet")
			}
			s.kind = kills
		case model.Returned:
			s.kind = restarts
			if o.Authority == "" {
				s.kind = follows
			}
		case model.Promoted:
			s.kind = promotes
		case model.Delayed:
			s.kind = notes
		case model.RecordDropped, model.ReplyLost, model.RecordShown:
			continue // they follow from others
		default:
			return cannot("%s (event %d) is not supported yet", o.Kind, o.Seq)
		}
		r.add(s)
	}
	return nil
}

// execution plans the request that has changed a record, and what becomes of its answer.
func (r *reading) execution(o *model.Observation) error {
	at := -1
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		if e.Seq >= o.Seq {
			break
		}
		if e.Kind == sim.EventDeliver && e.Actor == o.Node && e.Peer == o.By.Client && e.Conn == o.By.Conn {
			at = i
		}
	}
	if at < 0 {
		return cannot("%s changes a record, and no request of a client did it (event %d)", o.Node, o.Seq)
	}
	e := &r.trace.Events[at]
	if r.executed[e.Seq] {
		return nil // one request, several records
	}
	r.execute(at, r.trace.History.Operation(o.By.Op), false)
	r.add(step{kind: takes, seq: o.Seq, at: o.At, client: e.Peer, node: e.Actor, request: r.store.Signature(e.Payload), of: int(e.Seq)})
	return nil
}

// execute plans a request for an operation, nil if that is not known, and what becomes of its answer.
func (r *reading) execute(at int, op *model.Operation, idle bool) {
	e := &r.trace.Events[at]
	r.executed[e.Seq] = true
	s := step{kind: executes, seq: e.Seq, at: e.At, client: e.Peer, node: e.Actor, request: r.store.Signature(e.Payload), late: e.Late, idle: idle, op: op}
	r.add(s)
	if a := r.answerTo(at); a != nil {
		s.kind = answers
		if a.Kind != sim.EventDeliver {
			s.kind = loses
		}
		s.seq, s.at, s.of = a.Seq, a.At, int(e.Seq)
		r.add(s)
	}
}

// answerTo is the event by which a request's client gets its answer, or loses it.
func (r *reading) answerTo(at int) *sim.Event {
	e := &r.trace.Events[at]
	for i := at + 1; i < len(r.trace.Events); i++ {
		a := &r.trace.Events[i]
		if a.Conn != e.Conn || a.Actor != e.Peer {
			continue
		}
		switch a.Kind {
		case sim.EventDeliver, sim.EventDrop, sim.EventReset, sim.EventClose:
			return a
		}
	}
	return nil
}

// requests notes the requests without an effect, and plans those that were late, or whose answers were late or lost.
func (r *reading) requests() {
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		if e.Seq > r.until {
			break
		}
		if e.Kind != sim.EventDeliver || !slices.Contains(r.nodes, e.Actor) || !slices.Contains(r.clients, e.Peer) || r.executed[e.Seq] {
			continue
		}
		request, answer := r.store.Signature(e.Payload), r.answerTo(i)
		switch {
		case request == "" || r.store.Open(request) || r.store.Blocks(request):
		case e.Late || answer != nil && (answer.Late || answer.Kind != sim.EventDeliver):
			r.execute(i, nil, true) // what became of it may matter
		default:
			r.passing = append(r.passing, passing{e.Peer, e.Actor, request, int(e.Seq)})
		}
	}
}

// order sorts the steps, and counts in them instead of in events.
func (r *reading) order() {
	slices.SortStableFunc(r.steps, func(a, b step) int { return int(a.seq - b.seq) })
	place := func(seq int) int {
		n, _ := slices.BinarySearchFunc(r.steps, int64(seq), func(s step, seq int64) int { return int(s.seq - seq) })
		return n
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.of != 0 {
			s.of = place(s.of)
		}
	}
	for i := range r.passing {
		r.passing[i].step = place(r.passing[i].step)
	}
}
