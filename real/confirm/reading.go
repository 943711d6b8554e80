package confirm

import (
	"errors"
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
	// sent are the messages of clients and nodes, in the order of their events, and executed the number of those that are
	// steps.
	sent     []sent
	executed int
	changes  []change        // by requests
	dead     map[string]bool // members that have crashed, and not started again
}

func (r *reading) add(s step) {
	if s.seq <= r.until {
		r.steps = append(r.steps, s)
	}
}

func (r *reading) operations() {
	for i := range r.trace.History.Operations {
		op := &r.trace.History.Operations[i]
		if op.Call.Seq > r.until {
			break
		}
		s := step{kind: call, seq: op.Call.Seq, at: op.Call.At, client: op.Client, op: op, asks: r.trace.History.CallOf(op.ID)}
		r.add(s)
		if op.Cancelled.Happened() {
			r.ending = true
			s.kind, s.seq, s.at = cancels, op.Cancelled.Seq, op.Cancelled.At
			r.add(s)
		}
		if op.Return.Happened() {
			s.kind, s.seq, s.at = returned, op.Return.Seq, op.Return.At
			r.add(s)
		}
	}
}

// observations plans the events of nodes, processes and the resource. Those that cannot be forced are left out if the
// violation does not need them.
func (r *reading) observations() error {
	for i := range r.trace.History.Observations {
		o := &r.trace.History.Observations[i]
		if o.Seq > r.until {
			break
		}
		var err error
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged, model.RecordDeleted, model.RecordExpired:
			err = r.record(o)
		case model.RecordDropped, model.ReplyLost, model.RecordShown, model.Noted: // they follow from others
		case model.ResourceRead, model.ResourceWritten, model.ResourceRefused:
			r.add(step{kind: accesses, seq: o.Seq, at: o.At, client: o.By.Client, seen: o, op: r.trace.History.Operation(o.By.Op)})
		case model.Delayed:
			if r.ensemble != nil && r.amongMembers(o) {
				err = cannot("what members send each other is late, which is not supported yet (event %d)", o.Seq)
				break
			}
			r.add(step{kind: notes, seq: o.Seq, at: o.At, node: o.Node, seen: o})
		case model.Parted, model.United:
			if o.Sides == nil {
				return cannot("the trace does not say which sides a partition has (event %d)", o.Seq)
			}
			if r.ensemble != nil && splits(o.Sides, r.nodes) {
				if !r.elects() {
					err = cannot("the network divides the members, and they then elect whom they will (event %d)", o.Seq)
					break
				}
				r.failing = true
			}
			r.add(step{kind: map[model.ObservationKind]stepKind{model.Parted: parts, model.United: unites}[o.Kind], seq: o.Seq, at: o.At, seen: o})
		default:
			err = r.happens(o)
		}
		var forced *ForceError
		if errors.As(err, &forced) && !needed(r.trace, o.Seq) {
			r.left, err = append(r.left, forced.Reason), nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// record plans an event of a record.
func (r *reading) record(o *model.Observation) error {
	switch {
	case o.Kind == model.RecordCreated && o.At == 0 && o.By.Client == "": // what the store has from its beginning, as the real server does
	case o.Kind == model.RecordExpired && o.Authority != "":
		r.add(step{kind: expires, seq: o.Seq, at: o.At, node: o.Node, seen: o})
	case o.Kind == model.RecordExpired:
	case r.ensemble != nil && (o.Authority == "" || o.By.Conn == 0): // members replicate by themselves, and sessions live on
	case o.Authority == "":
		r.add(step{kind: replicates, seq: o.Seq, at: o.At, seen: o})
	default:
		return r.execution(o)
	}
	return nil
}

// happens plans an event of a client's process, or of a node.
func (r *reading) happens(o *model.Observation) error {
	kind, can := ofNodes[o.Kind]
	client := slices.Contains(r.clients, o.Node)
	if client {
		kind, can = ofClients[o.Kind]
	}
	if r.ensemble != nil && o.Kind == model.ClockJumped && !client {
		return cannot("the clock of %s jumps, which nobody can set for a member (event %d)", o.Node, o.Seq)
	}
	if r.ensemble != nil && !client {
		return r.member(o)
	}
	if !can {
		return cannot("what has happened to %s is not supported yet: %s (event %d)", o.Node, o.Kind, o.Seq)
	}
	s := step{kind: kind, seq: o.Seq, at: o.At, node: o.Node, seen: o}
	switch {
	case client:
		s.client, s.node = o.Node, ""
		if o.Kind == model.ClockOff {
			r.off[o.Node] = o
		}
	case o.Kind == model.Returned && o.Authority == "":
		s.kind = follows
	case o.Kind == model.Crashed:
		s.keeps = r.keeps(o)
	}
	r.jumping = r.jumping || s.kind == jumps
	r.add(s)
	return nil
}

// member plans an event of a member of an ensemble. A member follows another by itself.
func (r *reading) member(o *model.Observation) error {
	kind, can := ofNodes[o.Kind]
	switch {
	case !can:
		return cannot("what has happened to %s is not supported yet: %s (event %d)", o.Node, o.Kind, o.Seq)
	case !r.elects():
		return cannot("%s is %s, and members then elect whom they will (event %d)", o.Node, o.Kind, o.Seq)
	case kind == kills:
		r.dead[o.Node] = true
	case kind == restarts && !r.dead[o.Node]:
		return nil
	case kind == restarts:
		r.dead[o.Node] = false
	}
	r.failing = true
	r.add(step{kind: kind, seq: o.Seq, at: o.At, node: o.Node, seen: o})
	return nil
}

// elects reports whether the store's members can be made to elect the trace's leaders.
func (r *reading) elects() bool { _, can := r.ensemble.(Electing); return can }

// ofClients and ofNodes are the steps of events of clients and nodes.
var (
	ofClients = map[model.ObservationKind]stepKind{
		model.Paused: pauses, model.Resumed: resumes, model.Crashed: dies, model.ClockJumped: shifts, model.ClockOff: notes,
	}
	ofNodes = map[model.ObservationKind]stepKind{
		model.Paused: hangs, model.Resumed: wakes, model.Crashed: kills, model.Returned: restarts, model.Promoted: promotes, model.ClockJumped: jumps,
	}
)

// needed reports whether the violation needs the deviation that an event shows, as far as is known.
func needed(t *traces.Trace, seq int64) bool {
	if t.Attribution == nil {
		return true
	}
	at, found := slices.BinarySearchFunc(t.Events, seq, func(e sim.Event, seq int64) int { return int(e.Seq - seq) })
	for i := range t.Attribution.Deviations {
		if d := &t.Attribution.Deviations[i]; d.Seq == seq || found && d.Decision == t.Events[at].Decision {
			return d.Needed || d.Untried
		}
	}
	return true
}
