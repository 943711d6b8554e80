package simmysql

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// timer does something after a while, unless it is stopped before. While the server hangs it has
// not fired yet: what comes meanwhile may still stop it.
type timer struct {
	cancel func()
	over   bool // it has fired, or was stopped
}

// after starts a timer. What is the text of its event.
func (n *Node) after(d time.Duration, what string, fire func()) *timer {
	t := &timer{}
	t.cancel = n.world.At(n.Actor, n.world.Now()+d, sim.EventWork, sim.EventOptions{}, func() {
		n.do(func() {
			if t.over {
				return
			}
			t.over = true
			n.world.Log(sim.Event{Kind: sim.EventWork, Actor: n.Name(), Detail: what})
			fire()
			n.wakeAll()
		})
	})
	return t
}

// stop stops the timer, if there is one.
func (t *timer) stop() {
	if t != nil && !t.over {
		t.over = true
		t.cancel()
	}
}
