package sim

import (
	"fmt"
	"slices"
)

// mustBeSound panics if the event must not happen now. Programs built with the tag invariants call it for every event.
func (w *World) mustBeSound(p *pending) {
	if err := w.sound(p); err != nil {
		panic(fmt.Sprintf("sim: event %d of %s: %v", w.seq, p.actor.name, err))
	}
}

// sound returns an error if the event must not happen now: time goes forward, one event happens at an instant, and events
// of one lane keep their order.
func (w *World) sound(p *pending) error {
	switch {
	case w.moment < p.at:
		return fmt.Errorf("it happens at %v and is due at %v", w.moment, p.at)
	case w.moment <= w.last && w.last > 0:
		return fmt.Errorf("it happens at %v, and the event before it at %v", w.moment, w.last)
	case w.now > w.moment:
		return fmt.Errorf("the clock shows %v at %v", w.now, w.moment)
	case p.cancelled.Load():
		return fmt.Errorf("it is cancelled")
	case p.held():
		return fmt.Errorf("its process is paused")
	case p.lane != 0 && slices.ContainsFunc(w.queue, func(q *pending) bool { return q.lane == p.lane && q.order < p.order }):
		return fmt.Errorf("it overtakes an earlier event of lane %d", p.lane)
	}
	return nil
}
