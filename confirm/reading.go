package confirm

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// reading makes a plan.
type reading struct {
	*plan
	trace *traces.Trace
	store Store
	until int64
	// sent are the messages of clients and nodes, in the order of their events, and executed how many of them are
	// steps.
	sent     []sent
	executed int
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
		case len(r.trace.History.Calls) > 0:
			return cannot("the lock is no mutex, which is not supported yet")
		}
		r.add(step{kind: call, seq: op.Call.Seq, at: op.Call.At, client: op.Client, op: op})
		if op.Cancelled.Happened() {
			r.ending = true
			r.add(step{kind: cancels, seq: op.Cancelled.Seq, at: op.Cancelled.At, client: op.Client, op: op})
		}
		if op.Return.Happened() {
			r.add(step{kind: returned, seq: op.Return.Seq, at: op.Return.At, client: op.Client, op: op})
		}
	}
	return nil
}

// observations plans what nodes, processes and the resource do.
func (r *reading) observations() error {
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
			s.kind = jumps
			if slices.Contains(r.clients, o.Node) {
				s.kind, s.client, s.node = shifts, o.Node, ""
				break
			}
			r.jumping = true
		case model.ClockOff:
			if !slices.Contains(r.clients, o.Node) {
				return cannot("the clock of a server is off (event %d)", o.Seq)
			}
			s.kind, r.off[o.Node] = notes, o
		case model.Crashed:
			s.kind = kills
			if slices.Contains(r.clients, o.Node) {
				s.kind, s.client, s.node = dies, o.Node, ""
			}
		case model.Returned:
			if slices.Contains(r.clients, o.Node) {
				return cannot("the process of a client starts again (event %d)", o.Seq)
			}
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
