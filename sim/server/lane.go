package server

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Lane is the FIFO of messages from one server to another, such as a replication stream.
type Lane struct {
	world    *sim.World
	from, to *sim.Actor
	number   int64
	last     time.Duration // when the last message arrives
}

// NewLane makes a lane.
func NewLane(w *sim.World, from, to *sim.Actor) *Lane {
	return &Lane{world: w, from: from, to: to, number: w.Network().NewLane()}
}

// Send sends a message, with the latency of a segment. When it arrives, receive is called, unless
// lost returns true.
func (l *Lane) Send(what string, lost func() bool, receive func()) {
	l.last = l.world.Network().Propagate(l.from, l.to, l.number, l.last, func(sent time.Duration, late bool) {
		e := sim.Event{Kind: sim.EventDeliver, Actor: l.to.Name(), Peer: l.from.Name(), Sent: sent, Late: late, Detail: what}
		if lost() {
			e.Kind = sim.EventDrop
			l.world.Log(e)
			return
		}
		l.world.Log(e)
		receive()
	})
}
