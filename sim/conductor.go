package sim

import (
	"fmt"
	"time"
)

// conduct is the conductor's loop: let everything come to rest, gather what
// was emitted, choose the next event, let time pass, fire it.
func (w *World) conduct() {
	for {
		stirred := w.settle()
		p := w.queue.first()
		if stirred && (w.over() || p != nil && p.at <= w.now) {
			continue // what was emitted may have woken somebody at this very instant
		}
		if w.over() {
			return
		}
		if p = w.next(); p == nil {
			// Nothing but timers of package time can happen.
			w.bubble.sleepUntil(w.config.Horizon, w.inbox.empty)
			continue
		}
		if p.at > w.now {
			w.bubble.sleepUntil(p.at, w.inbox.empty)
			continue // whatever is due at that instant settles first
		}
		w.perform(p)
	}
}

// settle waits until every goroutine is at rest and applies what they
// emitted, in canonical order. It answers whether there was anything.
func (w *World) settle() (stirred bool) {
	w.config.Progress.Add(1)
	w.bubble.quiesce()
	w.now = w.bubble.now()
	list := w.inbox.take()
	for i := range list {
		list[i].apply()
		list[i].apply = nil
	}
	return len(list) > 0
}

// over decides whether the run has come to its end.
func (w *World) over() bool {
	switch {
	case w.failure != nil:
		return true
	case w.seq >= w.config.MaxEvents:
		w.cut = fmt.Sprintf("the run was cut after %d events", w.seq)
	case w.now >= w.config.Horizon:
		w.cut = fmt.Sprintf("the run was cut after %v of virtual time", w.config.Horizon)
	default:
		return w.workloads == 0 && w.vital == 0
	}
	return true
}

// next chooses the event that goes first among those that are due within the
// window of the earliest. The choice stands until that event is performed or
// cancelled.
func (w *World) next() *pending {
	if c := w.committed; c != nil && !c.cancelled.Load() {
		return c
	}
	w.committed = nil
	first := w.queue.first()
	if first == nil || len(w.queue) == 1 {
		return first
	}
	if w.now < first.at {
		return first // decide when the moment has come
	}
	ready := w.ready(first)
	if len(ready) > 1 {
		w.committed = ready[w.Choose(Decision{Kind: Order, Actor: w.conductor.name, Options: len(ready)})]
		return w.committed
	}
	return first
}

// ready lists the events that may go first, earliest first: those due within
// the window, without those that would overtake another of their lane.
func (w *World) ready(first *pending) []*pending {
	horizon := first.at + w.config.Window
	if !w.queue.crowded(horizon) {
		return []*pending{first}
	}
	ready := []*pending{first}
	var held []*pending
	w.queue.remove(first)
	held = append(held, first)
	for p := w.queue.first(); p != nil && p.at <= horizon; p = w.queue.first() {
		w.queue.remove(p)
		held = append(held, p)
		if !overtakes(p, ready) {
			ready = append(ready, p)
		}
	}
	for _, p := range held {
		w.queue.add(p)
	}
	return ready
}

func overtakes(p *pending, others []*pending) bool {
	if p.lane == 0 {
		return false
	}
	for _, o := range others {
		if o.lane == p.lane {
			return true
		}
	}
	return false
}

// perform fires the event, at an instant of its actor's that no event has had
// before, unless an injector or a pause changes its mind.
func (w *World) perform(p *pending) {
	if at := p.actor.slot(max(w.now, w.last+1)); at > w.now {
		w.committed = p
		w.requeue(p, at)
		return
	}
	if !p.asked {
		p.asked = true
		for _, i := range w.injectors {
			if i.Before(Upcoming{At: p.at, Kind: p.kind, Actor: p.actor}) {
				w.committed = nil
				return
			}
		}
	}
	w.committed = nil
	if own := p.actor.process; p.gated && own != nil && own.paused {
		w.requeue(p, max(own.heldUntil, w.now)+1)
		return
	}
	w.discard(p)
	p.fire()
}

// requeue moves a queued event to a new time, or as soon after as its actor's
// nanosecond allows.
func (w *World) requeue(p *pending, at time.Duration) {
	w.queue.remove(p)
	p.at = p.actor.slot(at)
	w.queue.add(p)
}

// drain lets the goroutines of the run end: gates open, connections break,
// dials are refused, timers fire, the closers are called. go-redis's dial
// retries outlive its Close by many seconds, so virtual time passes before the
// bubble ends.
func (w *World) drain() {
	close(w.ended)
	w.net.shutDown()
	for _, f := range w.closers {
		go w.guard("", f)
	}
	const patience = 5 * time.Minute
	for end := w.bubble.now() + patience; w.bubble.now() < end; {
		w.config.Progress.Add(1)
		w.bubble.quiesce()
		for _, e := range w.inbox.take() {
			e.apply()
		}
		for p := w.queue.first(); p != nil; p = w.queue.first() {
			w.discard(p)
			if p.gated {
				p.fire() // somebody waits for it
			}
		}
		w.bubble.sleepUntil(end, w.inbox.empty)
	}
}
