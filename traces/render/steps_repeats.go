package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// repeatSteps tells of requests that a client sends again, word for word,
// because it got no answer: client libraries do that unasked.
func (s *story) repeatSteps() []candidate {
	var steps []candidate
	for i := range s.t.Events {
		e := &s.t.Events[i]
		verb := s.repeats[e.Seq]
		if verb == "" || e.Late {
			continue // of a late one, lateSteps tells
		}
		if sent := s.sentSeq(e); s.from <= sent && sent <= s.to && s.busy(e.Peer, sent, e.Seq) {
			at := model.Stamp{Seq: sent, At: s.t.Event(sent).At}
			steps = append(steps, step(at, e.Peer, verb+" "+s.messageText(e), clarifying))
		}
	}
	return steps
}

// findRepeats finds the requests about the lock that a client had sent before
// on behalf of the same operation, on a connection that failed without an
// answer: by the event of their arrival, how the client sends them.
func (s *story) findRepeats(found map[int64]string) {
	type place struct{ client, node, payload string }
	var sent []*sim.Event
	for i := range s.t.Events {
		if e := &s.t.Events[i]; s.isRequest(e) {
			sent = append(sent, e)
		}
	}
	slices.SortStableFunc(sent, func(a, b *sim.Event) int { return cmp.Compare(a.Sent, b.Sent) })
	last := map[place]*sim.Event{}
	for _, e := range sent {
		here := place{e.Peer, e.Actor, string(e.Payload)}
		anywhere := place{client: e.Peer, payload: string(e.Payload)}
		before, verb := last[here], "connects again and repeats"
		switch elsewhere := last[anywhere]; {
		case before != nil && before.Conn == e.Conn:
			verb = "repeats"
		case before == nil && elsewhere != nil && s.promoted(e.Actor, elsewhere, e):
			before, verb = elsewhere, fmt.Sprintf("connects to %s and repeats", wording.Printable(e.Actor))
		}
		if before != nil && s.failed(before, e) && s.sameOperation(before, e) {
			found[e.Seq] = verb
		}
		last[here], last[anywhere] = e, e
	}
}

// isRequest reports whether an event is the end of the way of a request that
// a client sent to a node about the lock.
func (s *story) isRequest(e *sim.Event) bool {
	return (e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop) && len(e.Payload) > 0 &&
		kindOf(s.t, e.Peer) == traces.ClientActor && kindOf(s.t, e.Actor) == traces.NodeActor && s.aboutLock(e)
}

// promoted reports whether a node came to serve between two requests.
func (s *story) promoted(node string, first, second *sim.Event) bool {
	return slices.ContainsFunc(s.t.History.Observations, func(o model.Observation) bool {
		return o.Kind == model.Promoted && o.Node == node && first.Sent <= o.At && o.At <= second.Sent
	})
}

// failed reports whether, between two requests of a client, the connection of
// the first failed before there was an answer.
func (s *story) failed(first, second *sim.Event) bool {
	for i := s.indexOf(seqAfter(s.t, first.Sent)); i < len(s.t.Events); i++ {
		e := &s.t.Events[i]
		if e.At > second.Sent {
			break
		}
		if e.Actor != first.Peer || e.Conn != first.Conn {
			continue
		}
		switch e.Kind {
		case sim.EventDeliver:
			if first.Kind == sim.EventDeliver && e.Sent >= first.At {
				return false // answered
			}
		case sim.EventTimeout, sim.EventReset, sim.EventClose:
			return true
		}
	}
	return false
}

// sameOperation reports whether a client sent two requests while it was about
// one operation of the lock.
func (s *story) sameOperation(first, second *sim.Event) bool {
	return slices.ContainsFunc(s.t.History.Operations, func(o model.Operation) bool {
		access := o.Kind == model.Read || o.Kind == model.Write
		return o.Client == first.Peer && !access && o.Call.At <= first.Sent && (!o.Return.Happened() || second.Sent <= o.Return.At)
	})
}
