package sim

import (
	"fmt"
	"slices"
	"time"
)

// conduct is the conductor's loop: wait until every goroutine is blocked, apply what
// they emitted, choose the next event, let time pass, fire it.
func (w *World) conduct() {
	w.effects = effects{}
	idle := func() bool {
		w.listen()
		return w.inbox.empty() && !w.applied
	}
	for {
		emitted := w.settle()
		if more := w.moreDue(); emitted && more {
			continue // what was applied may have woken goroutines at this very instant
		}
		if w.over() {
			w.cut, w.end = w.limit(), w.now
			return
		}
		p := w.next()
		if p == nil {
			// Nothing but timers of package time can happen.
			w.bubble.Sleep(w.config.Horizon-w.moment, idle)
			continue
		}
		if at := w.instant(p); at > w.moment {
			w.bubble.Sleep(min(at, w.config.Horizon)-w.moment, idle)
			continue // whatever is due at that instant settles first
		}
		if !w.askInjectors(p) {
			w.perform(p)
		}
	}
}

// settle waits until every goroutine is blocked and applies what they emitted, in
// canonical order. It reports whether there was anything.
func (w *World) settle() (emitted bool) {
	w.config.Progress.Add(1)
	w.bubble.Freeze()
	w.bubble.Quiesce()
	if w.bubble.WokenEarly() {
		w.fail(&Failure{Reason: "a goroutine was woken before package time had passed: an injector has to log its fault before it wakes one (Injector), and a passive actor to call World.CatchUp, unless it does so by the network"})
	}
	w.listen()
	list := w.inbox.take()
	done := w.applied && !w.more && len(list) == 0 // a goroutine has applied its emission itself, and nothing is left to do
	if w.applied = false; !done {
		w.apply(list)
	}
	return len(list) > 0
}

// moreDue reports whether more is due at this instant, so that the conductor settles
// once more before it lets time pass.
func (w *World) moreDue() bool {
	p := w.first()
	return w.over() || p != nil && p.at <= w.moment
}

// apply applies the emissions of a step.
func (w *World) apply(list []emission) {
	w.moment = w.bubble.Now()
	byTimer := w.moment != w.last // a timer of package time caused it, not an event
	if byTimer {
		w.now = max(w.now, w.floor(w.moment))
	}
	for i := range list {
		w.acting = list[i].actor
		if byTimer {
			w.trail.beginTimer(w.now, list[i].actor, w.decisions)
		}
		list[i].apply()
		list[i].apply = nil
		if i+1 == len(list) || list[i+1].lane != list[i].lane || list[i+1].actor != list[i].actor {
			w.net.sendGathered()
		}
	}
	w.acting = nil
	for _, f := range w.stepEnd {
		f()
	}
	w.stepEnd = w.stepEnd[:0]
	w.steps.Add(1)
}

// applyNow applies an emission in the calling goroutine, instead of the conductor, and
// reports whether it did. It does so if no other goroutine is awake and no other emission
// waits: the conductor would then apply just this one.
func (w *World) applyNow(a *Actor, e emission) bool {
	if !w.bubble.InCharge() || w.settingUp || w.draining() || !w.inbox.empty() {
		return false
	}
	e.actor = a
	w.single[0] = e
	w.applied, w.more = true, true
	guard(func() {
		w.listen()
		w.apply(w.single[:])
		w.more = w.moreDue()
	}, w.fail)
	return true
}

// over reports whether the run is over: finished, failed or at a limit.
func (w *World) over() bool {
	return w.failure != nil || w.done() || w.limit() != ""
}

// done reports whether the workloads have returned and nothing vital is left.
// What else is due in the same window still happens first, so that the end does
// not depend on the order within the window.
func (w *World) done() bool {
	if w.workloads > 0 || w.vital > 0 {
		w.final = forEver
		return false
	}
	w.final = min(w.final, w.now)
	p := w.first()
	return p == nil || p.at > w.final
}

// limit names the limit that the run reached before it was done, or returns "".
func (w *World) limit() string {
	switch {
	case w.failure != nil || w.done():
		return ""
	case w.seq >= w.config.MaxEvents && w.config.Enough == nil:
		return fmt.Sprintf("the run was cut after %d events", w.seq)
	case w.seq-w.earlier >= w.config.MaxEvents:
		return fmt.Sprintf("the run was cut after %d events, %d of them within a second of virtual time", w.seq, w.seq-w.earlier)
	case w.moment >= w.config.Horizon:
		return fmt.Sprintf("the run was cut after %v of virtual time", w.config.Horizon)
	case w.seq >= w.config.MaxEvents:
		if p := w.first(); p != nil && p.at <= w.now {
			return "" // the window's other events still happen, so that the end does not depend on their order
		}
		if why := w.config.Enough(w.now); why != "" {
			return fmt.Sprintf("the run was cut after %d events: %s", w.seq, why)
		}
	}
	return ""
}

// instant returns when the event can happen on package time's clock: on its actor's
// nanosecond, at an instant at which no other event has happened.
func (w *World) instant(p *pending) time.Duration {
	return p.actor.slot(max(p.at, w.moment, w.last+1))
}

// perform fires the event.
func (w *World) perform(p *pending) {
	if invariants {
		w.mustBeSound(p)
	}
	w.discard(p)
	w.last = w.moment
	if !p.actor.passive {
		w.bubble.CatchUp()
	}
	w.trail.beginEvent(w.now, p, w.decisions, w.moment >= p.at+w.config.Window)
	if own := p.actor.process; own != nil {
		own.currentPhase().steps++
		own.reseedAfter(p.kind)
	}
	w.orders = w.order(p.actor.process)
	w.acting = p.actor
	w.effects = effects{strike: p.strike, event: p.effects}
	p.fire.happen()
	w.effects = effects{}
	w.acting = nil
}

// next chooses which event goes first among those that are due in the earliest
// window. The choice holds until that event is performed, cancelled or held up,
// or an injector has changed the world.
func (w *World) next() *pending {
	if c := w.committed; c != nil && !c.cancelled.Load() && !c.held() {
		return c
	}
	w.committed = nil
	first := w.first()
	if first == nil || w.moment < first.at {
		return first // the decision is asked at its time
	}
	w.committed = first
	if w.queue.crowded(first.at) {
		w.committed = w.pick(w.ready(first))
	}
	return w.committed
}

// first returns the earliest event that may happen, or nil. On the way to it, events
// that have to wait for a paused process move behind the pause. Those of a crashed
// process leave the queue; the goroutines that wait for them are released when the run
// ends.
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

// ready lists the events that may go first, in the queue's order: those due in the same
// window, without those that would overtake another of their lane. The list is valid
// until the next call.
func (w *World) ready(first *pending) []*pending {
	ready, taken := w.readyBuffer[:0], w.takenBuffer[:0]
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
	w.readyBuffer, w.takenBuffer = ready, taken
	return ready
}

// overtakes reports whether one of the others is an earlier event of p's lane.
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

// pick asks which of the events goes first.
func (w *World) pick(ready []*pending) *pending {
	if len(ready) == 1 {
		return ready[0]
	}
	w.trail.junction(w.decisions, ready)
	w.before = ready[0]
	defer func() { w.before = nil }()
	picked := ready[w.Choose(Decision{Kind: Order, Actor: w.conductor.name, Options: len(ready), Candidates: w.candidates(ready)})]
	if w.config.Record {
		picked.effects = append(picked.effects, len(w.choices))
	}
	return picked
}

// candidates describes the events to the tape.
func (w *World) candidates(ready []*pending) []Candidate {
	w.candidateBuffer = w.candidateBuffer[:0]
	for _, p := range ready {
		w.candidateBuffer = append(w.candidateBuffer, Candidate{p.serial, p.actor.id, p.from.id})
	}
	return w.candidateBuffer
}

// An Injector may let a fault strike before an event happens. It must log the fault
// ([World.Fault], [World.Strike]) before it wakes or starts a goroutine, because only
// then does package time catch up with the run. Otherwise the run fails.
type Injector interface {
	// Before is called once for each event that is about to happen. It returns true if
	// it has changed the world: the event may then happen later, or not at all.
	Before(e Upcoming) bool
}

// Upcoming is an event that is about to happen. If it is the arrival of a segment,
// [Upcoming.Conn], [Upcoming.Data] and [Upcoming.Task] say more.
type Upcoming struct {
	At    time.Duration
	Kind  EventKind
	Actor *Actor
	what  happening
}

// Inject adds an injector. Injectors are asked in the order in which they were added.
func (w *World) Inject(i Injector) { w.injectors = append(w.injectors, i) }

// askInjectors asks each injector, once for each event, whether a fault strikes before
// it, and reports whether one did.
func (w *World) askInjectors(p *pending) (struck bool) {
	w.now = max(w.now, p.at)
	if len(w.injectors) == 0 {
		return false
	}
	w.before = p
	w.trail.setInjecting(true)
	defer func() {
		w.before = nil
		w.trail.setInjecting(false)
	}()
	for p.askedInjectors < len(w.injectors) {
		i := w.injectors[p.askedInjectors]
		p.askedInjectors++
		changed := i.Before(Upcoming{At: p.at, Kind: p.kind, Actor: p.actor, what: p.fire})
		w.effects = effects{}
		if changed {
			w.committed = nil
			w.trail.beginStrike(w.now, w.conductor, w.decisions)
			return true
		}
	}
	return false
}

// OnEnd registers a function that is called when the run has ended and the world
// drains, in a goroutine of its own. It is the place to close clients.
func (w *World) OnEnd(f func()) { w.closers = append(w.closers, f) }

// drain lets the goroutines of the run end: gates open, connections break, pending
// dials are refused and later ones return a closed connection, timers fire, the
// functions of OnEnd are called, and virtual time passes before the bubble ends.
func (w *World) drain() {
	w.bubble.Thaw()
	close(w.ended)
	w.net.shutDown()
	for _, f := range w.closers {
		go guard(f, w.conductor.failed)
	}
	for end := w.bubble.Now() + w.config.Drain; w.bubble.Now() < end; {
		w.config.Progress.Add(1)
		w.bubble.Quiesce()
		for _, e := range w.inbox.take() {
			guard(e.apply, w.fail)
		}
		w.release()
		w.bubble.Sleep(end-w.bubble.Now(), w.inbox.empty)
	}
}

// release wakes the goroutines that wait for events that will not happen any more.
func (w *World) release() {
	list := slices.Concat(w.stranded, w.queue)
	w.stranded, w.queue = nil, nil
	for _, p := range list {
		p.index = -1
		if p.awaited {
			p.fire.happen()
		}
	}
}

// draining reports whether the run has ended. Any goroutine of the run may
// ask.
func (w *World) draining() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// sleepInDrain blocks for d, or for less, while the world drains. No verdict depends on
// times any more, and loops that wait have to end within the drain.
func (w *World) sleepInDrain(d time.Duration) { w.bubble.Pause(w.drainDelay(d)) }

// drainDelay returns how long a sleep of d takes while the world drains.
func (w *World) drainDelay(d time.Duration) time.Duration {
	return min(max(d, time.Microsecond), w.config.Drain/10)
}
