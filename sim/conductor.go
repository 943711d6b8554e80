package sim

import (
	"fmt"
	"slices"
	"time"
)

// conduct is the conductor's loop: let everything come to rest, gather what
// was emitted, choose the next event, let time pass, fire it.
func (w *World) conduct() {
	w.shown = shown{}
	idle := w.inbox.empty
	for {
		stirred := w.settle()
		p := w.first()
		if stirred && (w.over() || p != nil && p.at <= w.moment) {
			continue // what was emitted may have woken somebody at this very instant
		}
		if w.over() {
			w.cut, w.end = w.limit(), w.now
			return
		}
		if p = w.next(); p == nil {
			// Nothing but timers of package time can happen.
			w.bubble.sleep(w.config.Horizon-w.moment, idle)
			continue
		}
		if at := w.instant(p); at > w.moment {
			w.bubble.sleep(min(at, w.config.Horizon)-w.moment, idle)
			continue // whatever is due at that instant settles first
		}
		if !w.struck(p) {
			w.perform(p)
		}
	}
}

// settle waits until every goroutine is at rest and applies what they
// emitted, in canonical order. It answers whether there was anything.
func (w *World) settle() (stirred bool) {
	w.config.Progress.Add(1)
	w.bubble.hold()
	w.bubble.quiesce()
	w.moment = w.bubble.now()
	list := w.inbox.take()
	byTimer := w.moment != w.last // of package time: no event has happened just now
	if byTimer {
		w.now = max(w.now, w.floor(w.moment))
	}
	for i := range list {
		w.acting = list[i].actor
		if byTimer {
			w.trail.loose(w.now, list[i].actor, w.asked)
		}
		list[i].apply()
		list[i].apply = nil
	}
	w.acting = nil
	w.grant()
	w.steps.Add(1)
	return len(list) > 0
}

// over decides whether the run has come to its end.
func (w *World) over() bool {
	return w.failure != nil || w.done() || w.limit() != ""
}

// done is the end of a run by its own accord. Whatever else is due in the
// present window still happens, in whichever order it goes.
func (w *World) done() bool {
	if w.workloads > 0 || w.vital > 0 {
		w.final = forEver
		return false
	}
	w.final = min(w.final, w.now)
	p := w.first()
	return p == nil || p.at > w.final
}

// limit says which limit the run has reached before it was done, if any.
func (w *World) limit() string {
	switch {
	case w.failure != nil || w.done():
		return ""
	case w.seq >= w.config.MaxEvents:
		return fmt.Sprintf("the run was cut after %d events", w.seq)
	case w.moment >= w.config.Horizon:
		return fmt.Sprintf("the run was cut after %v of virtual time", w.config.Horizon)
	}
	return ""
}

// next chooses the event that goes first among those that are due in the
// earliest window. The choice stands until that event is performed or
// cancelled, or the world has changed under it.
func (w *World) next() *pending {
	if c := w.committed; c != nil && !c.cancelled.Load() && !c.held() {
		return c
	}
	w.committed = nil
	first := w.first()
	if first == nil || w.moment < first.at {
		return first // decide when the moment has come
	}
	w.committed = first
	if w.queue.crowded(first.at) {
		w.committed = w.pick(w.ready(first))
	}
	return w.committed
}

// pick asks which of the events goes first.
func (w *World) pick(ready []*pending) *pending {
	if len(ready) == 1 {
		return ready[0]
	}
	w.trail.junction(w.asked, ready)
	w.upcoming = ready[0]
	defer func() { w.upcoming = nil }()
	picked := ready[w.Choose(Decision{Kind: Order, Actor: w.conductor.name, Options: len(ready), Candidates: w.candidates(ready)})]
	if w.config.Record {
		picked.shows = append(picked.shows, len(w.choices))
	}
	return picked
}

// first is the earliest event that may happen, or nil. On the way to it,
// events that have to wait for a paused process move behind the pause. Those
// of a crashed one leave the queue: somebody may wait for them, but only until
// the run ends.
func (w *World) first() *pending {
	for {
		p := w.queue.first()
		if p == nil || !p.held() {
			return p
		}
		if own := p.actor.process; own.crashed {
			w.discard(p)
			w.stranded = append(w.stranded, p)
		} else {
			w.requeue(p, max(own.heldUntil, w.now)+1)
		}
	}
}

// ready lists the events that may go first, in the queue's order: those due in
// the same window, without those that would overtake another of their lane.
func (w *World) ready(first *pending) []*pending {
	var ready, taken []*pending
	for p := first; p != nil && p.at <= first.at; p = w.queue.first() {
		w.queue.remove(p)
		taken = append(taken, p)
		if !p.held() && !overtakes(p, ready) {
			ready = append(ready, p)
		}
	}
	for _, p := range taken {
		w.queue.add(p)
	}
	return ready
}

// candidates describes the events to the tape.
func (w *World) candidates(ready []*pending) []Candidate {
	w.asking = w.asking[:0]
	for _, p := range ready {
		w.asking = append(w.asking, Candidate{p.serial, p.actor.id, p.from.id})
	}
	return w.asking
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

// instant is when the event can happen on package time's clock: on its actor's
// nanosecond, and when no other has happened.
func (w *World) instant(p *pending) time.Duration {
	return p.actor.slot(max(p.at, w.moment, w.last+1))
}

// struck asks the injectors, each of them once, whether something strikes
// before the event.
func (w *World) struck(p *pending) bool {
	w.now = max(w.now, p.at)
	if len(w.injectors) == 0 {
		return false
	}
	w.upcoming = p
	w.trail.look(true)
	defer func() {
		w.upcoming = nil
		w.trail.look(false)
	}()
	for p.asked < len(w.injectors) {
		i := w.injectors[p.asked]
		p.asked++
		changed := i.Before(p.upcoming())
		w.shown = shown{}
		if changed {
			w.committed = nil
			w.trail.strike(w.now, w.conductor, w.asked)
			return true
		}
	}
	return false
}

// upcoming describes the event to injectors.
func (p *pending) upcoming() Upcoming {
	e := Upcoming{At: p.at, Kind: p.kind, Actor: p.actor}
	if p.segment != nil {
		e.Conn, e.Task = p.segment.pipe.conn, p.segment.task
	}
	return e
}

// perform fires the event.
func (w *World) perform(p *pending) {
	w.discard(p)
	w.last = w.moment
	w.trail.perform(w.now, p, w.asked, w.moment >= p.at+w.config.Window)
	if own := p.actor.process; own != nil {
		own.reach().steps++
		own.reseedAfter(p.kind)
	}
	w.acting = p.actor
	w.shown = shown{strike: p.strike, by: p.shows}
	p.happen()
	w.shown = shown{}
	w.acting = nil
}

// requeue moves a queued event to a new time, behind those that are due then
// already.
func (w *World) requeue(p *pending, at time.Duration) {
	if p == w.committed {
		w.committed = nil
	}
	w.queue.remove(p)
	w.enqueue(p, at)
}

// patience is how much virtual time the drain takes. go-redis's dial retries
// outlive its Close by many seconds.
const patience = 5 * time.Minute

// drain lets the goroutines of the run end: gates open, connections break,
// dials are refused and later ones lead nowhere, timers fire, the closers are called, and virtual time
// passes before the bubble ends.
func (w *World) drain() {
	w.bubble.let()
	close(w.ended)
	w.net.shutDown()
	for _, f := range w.closers {
		go guard(f, w.conductor.failed)
	}
	for end := w.bubble.now() + patience; w.bubble.now() < end; {
		w.config.Progress.Add(1)
		w.bubble.quiesce()
		for _, e := range w.inbox.take() {
			guard(e.apply, w.fail)
		}
		w.release()
		w.bubble.sleep(end-w.bubble.now(), w.inbox.empty)
	}
}

// release lets those go who wait for events that will not happen any more.
func (w *World) release() {
	list := slices.Concat(w.stranded, w.queue)
	w.stranded, w.queue = nil, nil
	for _, p := range list {
		p.index = -1
		if p.awaited {
			p.happen()
		}
	}
}

// linger blocks for d, or not quite as long, while the world drains: nobody
// judges times any more, and loops that wait should end within the drain.
func (w *World) linger(d time.Duration) { w.bubble.pause(brief(d)) }

// brief is how long d takes while the world drains.
func brief(d time.Duration) time.Duration {
	return min(max(d, time.Microsecond), patience/10)
}
