package story

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Requests are what servers received from clients, by connection.
type Requests map[int][]*sim.Event

func newRequests(t *traces.Trace) Requests {
	r := Requests{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind == sim.EventDeliver && e.Conn != 0 && KindOf(t, e.Peer) == traces.ClientActor {
			r[e.Conn] = append(r[e.Conn], e)
		}
	}
	return r
}

// Answered returns the request that a segment answers: the last that its sender had received on that connection. It is nil
// if the segment is no answer.
func (r Requests) Answered(e *sim.Event) *sim.Event {
	if len(e.Payload) == 0 {
		return nil
	}
	all := r[e.Conn]
	i := sort.Search(len(all), func(i int) bool { return all[i].At > e.Sent })
	if i == 0 || all[i-1].Actor != e.Peer {
		return nil
	}
	return all[i-1]
}

// findRepeats finds the requests about the lock that a client had sent before for the same operation, on a connection that
// failed without an answer. It adds, by the event of their arrival, how the client sends them.
func (s *Log) findRepeats(found map[int64]string) {
	type place struct{ client, node, payload string }
	var sent []*sim.Event
	for i := range s.Trace.Events {
		if e := &s.Trace.Events[i]; s.isRequest(e) {
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

// isSegment reports whether an event is the arrival or loss of a segment.
func isSegment(e *sim.Event) bool {
	return e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop || e.Kind == sim.EventDial && e.Sent > 0
}

// failed reports whether, between two requests of a client, the connection of
// the first failed before there was an answer.
func (s *Log) failed(first, second *sim.Event) bool {
	for i := s.IndexOf(SeqAfter(s.Trace, first.Sent)); i < len(s.Trace.Events); i++ {
		e := &s.Trace.Events[i]
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

// isRequest reports whether an event is the arrival or loss of a request about the lock that a client sent to a node.
func (s *Log) isRequest(e *sim.Event) bool {
	return (e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop) && len(e.Payload) > 0 &&
		KindOf(s.Trace, e.Peer) == traces.ClientActor && KindOf(s.Trace, e.Actor) == traces.NodeActor && s.aboutLock(e)
}

// promoted reports whether a node was promoted between two requests.
func (s *Log) promoted(node string, first, second *sim.Event) bool {
	return slices.ContainsFunc(s.Trace.History.Observations, func(o model.Observation) bool {
		return o.Kind == model.Promoted && o.Node == node && first.Sent <= o.At && o.At <= second.Sent
	})
}

// sameOperation reports whether a client sent two requests during one operation of the lock.
func (s *Log) sameOperation(first, second *sim.Event) bool {
	return slices.ContainsFunc(s.Trace.History.Operations, func(o model.Operation) bool {
		access := o.Kind == model.Read || o.Kind == model.Write
		return o.Client == first.Peer && !access && o.Call.At <= first.Sent && (!o.Return.Happened() || second.Sent <= o.Return.At)
	})
}

// aboutLock reports whether a segment names the lock, or answers one that does. Hand-shakes of client libraries do not.
func (s *Log) aboutLock(e *sim.Event) bool {
	name := []byte(s.Trace.History.LockName)
	if request := s.Requests.Answered(e); request != nil {
		e = request
	}
	return len(name) > 0 && bytes.Contains(e.Payload, name)
}
