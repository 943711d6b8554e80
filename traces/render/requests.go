package render

import (
	"sort"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// requests are what servers received from clients, by connection.
type requests map[int][]*sim.Event

func newRequests(t *traces.Trace) requests {
	r := requests{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind == sim.EventDeliver && e.Conn != 0 && kindOf(t, e.Peer) == traces.ClientActor {
			r[e.Conn] = append(r[e.Conn], e)
		}
	}
	return r
}

// answered is the request that a segment answers: the last that its sender
// had received on that connection. It is nil if the segment is no answer.
func (r requests) answered(e *sim.Event) *sim.Event {
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
