package confirm

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// stepKind is what has to happen at a step.
type stepKind string

const (
	call       stepKind = "call"      // a client calls the lock, or begins an access
	returned   stepKind = "return"    // and returns, as in the trace
	executes   stepKind = "execute"   // a request reaches its node
	takes      stepKind = "effect"    // and takes effect
	answers    stepKind = "answer"    // its answer reaches the client
	loses      stepKind = "lose"      // its answer is lost, with the connection
	accesses   stepKind = "access"    // the protected resource is read or written
	pauses     stepKind = "pause"     // of a client's process
	resumes    stepKind = "resume"    //
	kills      stepKind = "kill"      // of a node
	restarts   stepKind = "restart"   //
	follows    stepKind = "follow"    // a node becomes a follower
	hangs      stepKind = "hang"      // of a node
	wakes      stepKind = "wake"      //
	parts      stepKind = "part"      // the network
	unites     stepKind = "unite"     //
	jumps      stepKind = "jump"      // of a node's clock
	promotes   stepKind = "promote"   //
	replicates stepKind = "replicate" // a node's followers get what it has
	expires    stepKind = "expire"    // a record ends by itself
	notes      stepKind = "note"      // something is held back from now on
)

// step is one thing that has to happen, in the order of a trace.
type step struct {
	kind stepKind
	// seq and at are its place in the trace. It does not happen before the time.
	seq int64
	at  time.Duration
	// client and node are whom it concerns, op the trace's operation, and request the signature of what is
	// executed.
	client, node, request string
	op                    *model.Operation
	// late is set on a request whose client may have hung up, and idle on one that has no effect.
	late, idle bool
	// of is the step of the request whose effect or answer it is.
	of int
	// seen is the trace's observation.
	seen *model.Observation
}

func (s *step) String() string {
	switch s.kind {
	case call, returned:
		return fmt.Sprintf("the %s of %s's %s (%s)", s.kind, s.client, s.op.Kind, s.op.Result)
	case takes:
		return fmt.Sprintf("%s of %s takes effect on %s", s.request, s.client, s.node)
	case executes:
		return fmt.Sprintf("%s executes %s of %s", s.node, s.request, s.client)
	case answers, loses:
		return fmt.Sprintf("%s %ss the answer to %s", s.client, map[stepKind]string{answers: "get", loses: "lose"}[s.kind], s.request)
	case accesses:
		return fmt.Sprintf("%s: %s", s.client, s.seen.Kind)
	case expires:
		return fmt.Sprintf("%s expires on %s", s.seen.Key, s.node)
	}
	return fmt.Sprintf("%s%s: %s", s.client, s.node, s.kind)
}

// passing is a request of the trace without an effect: it may pass between the step before and the one after it.
type passing struct {
	client, request string
	step            int // the one after it
}

// plan is the order of a trace, up to its violation.
type plan struct {
	steps   []step
	passing []passing
	clients []string
	nodes   []string
	serving string // the node that serves first
	jumping bool   // the clock of a node jumps
}

// ForceError says why a trace's order cannot be forced on real servers.
type ForceError struct{ Reason string }

func (e *ForceError) Error() string { return "cannot be forced: " + e.Reason }

func cannot(format string, args ...any) error { return &ForceError{fmt.Sprintf(format, args...)} }

// newPlan reads the order out of a trace.
func newPlan(t *traces.Trace, store Store) (*plan, error) {
	v := t.Verdict()
	if v == nil || v.Status != model.Violated {
		return nil, cannot("the trace was kept for no violation")
	}
	p := &plan{}
	for i := range t.Actors {
		switch a := &t.Actors[i]; a.Kind {
		case traces.ClientActor:
			p.clients = append(p.clients, a.Name)
		case traces.NodeActor:
			p.nodes = append(p.nodes, a.Name)
			if a.Server > 1 {
				return nil, cannot("it has several independent servers, which is not supported yet")
			}
		}
	}
	if len(p.nodes) == 0 {
		return nil, cannot("it has no server")
	}
	p.serving = p.nodes[0]
	r := &reading{plan: p, trace: t, store: store, until: untilOf(t, v)}
	if err := r.operations(); err != nil {
		return nil, err
	}
	if err := r.observations(); err != nil {
		return nil, err
	}
	r.requests()
	r.order()
	return p, p.check()
}

// check refuses a trace that names what it does not have: it may come from anywhere.
func (p *plan) check() error {
	if len(p.steps) == 0 {
		return cannot("nothing happens before the violation")
	}
	holds := map[string]bool{}
	for i := range p.steps {
		s := &p.steps[i]
		switch {
		case s.client != "" && !slices.Contains(p.clients, s.client):
			return cannot("%q is no client of the trace (event %d)", s.client, s.seq)
		case s.node != "" && s.kind != notes && !slices.Contains(p.nodes, s.node):
			return cannot("%q is no server of the trace (event %d)", s.node, s.seq)
		case s.kind == returned && s.op.Kind == model.Acquire && s.op.Result == model.OK:
			holds[s.client] = true
		case s.kind == call && s.op.Kind != model.Acquire && !holds[s.client]:
			return cannot("%s calls %s without having acquired the lock (event %d)", s.client, s.op.Kind, s.seq)
		case s.kind == accesses && (s.op == nil || !holds[s.client]):
			return cannot("%s accesses the resource without having acquired the lock (event %d)", s.client, s.seq)
		}
	}
	return nil
}

// untilOf is the last event that the violation needs: it itself, and the returns of the acquisitions that it
// names.
func untilOf(t *traces.Trace, v *model.Verdict) int64 {
	until := v.To.Seq
	if until == 0 {
		return t.History.End.Seq
	}
	for _, id := range v.Operations {
		if op := t.History.Operation(id); op != nil && op.Kind == model.Acquire && op.Result == model.OK {
			until = max(until, op.Return.Seq)
		}
	}
	return until
}

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
		case op.Thread > 0:
			return cannot("it has several threads in a process, which is not supported yet")
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
	r.execute(at, false)
	r.add(step{kind: takes, seq: o.Seq, at: o.At, client: e.Peer, node: e.Actor, request: r.store.Signature(e.Payload), of: int(e.Seq)})
	return nil
}

// execute plans a request, and what becomes of its answer.
func (r *reading) execute(at int, idle bool) {
	e := &r.trace.Events[at]
	r.executed[e.Seq] = true
	s := step{kind: executes, seq: e.Seq, at: e.At, client: e.Peer, node: e.Actor, request: r.store.Signature(e.Payload), late: e.Late, idle: idle}
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
			r.execute(i, true) // what became of it may matter
		default:
			r.passing = append(r.passing, passing{e.Peer, request, int(e.Seq)})
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
