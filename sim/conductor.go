package sim

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// conduct is the conductor's loop: wait until every goroutine is blocked, apply what
// they emitted, choose the next event, let time pass, fire it.
func (w *World) conduct() {
	w.effects = effects{}
	idle := func() bool { return w.inbox.empty() && !w.applied }
	for {
		emitted := w.settle()
		if again := w.settlesAgain(); emitted && again {
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
	list := w.inbox.take()
	done := w.applied && !w.again && len(list) == 0 // by a goroutine, and nothing has come of it
	if w.applied = false; !done {
		w.apply(list)
	}
	return len(list) > 0
}

// settlesAgain reports whether the conductor settles once more when it has applied
// emissions, and does not go on to the next instant.
func (w *World) settlesAgain() bool {
	p := w.first()
	return w.over() || p != nil && p.at <= w.moment
}

// apply applies the emissions of a step.
func (w *World) apply(list []emission) {
	w.moment = w.bubble.Now()
	byTimer := w.moment != w.last // of package time: no event has happened just now
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

// applyNow is for a goroutine that would put an emission and wait until it is applied. If
// it is the only one that is awake and has emitted nothing before, the conductor would
// apply just this one: so the goroutine does it itself. Else applyNow answers false.
func (w *World) applyNow(a *Actor, e emission) bool {
	if !w.bubble.InCharge() || w.settingUp || w.draining() || !w.inbox.empty() {
		return false
	}
	e.actor = a
	w.single[0] = e
	w.applied, w.again = true, true
	guard(func() {
		w.apply(w.single[:])
		w.again = w.settlesAgain()
	}, w.fail)
	return true
}

// over decides whether the run has come to its end.
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

// limit says which limit the run has reached before it was done, if any.
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
			return "" // what else is due in the window: the end does not depend on the order
		}
		if why := w.config.Enough(w.now); why != "" {
			return fmt.Sprintf("the run was cut after %d events: %s", w.seq, why)
		}
	}
	return ""
}

// instant is when the event can happen on package time's clock: on its actor's
// nanosecond, and when no other has happened.
func (w *World) instant(p *pending) time.Duration {
	return p.actor.slot(max(p.at, w.moment, w.last+1))
}

// perform fires the event.
func (w *World) perform(p *pending) {
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
	w.acting = p.actor
	w.effects = effects{strike: p.strike, event: p.effects}
	p.fire.happen()
	w.effects = effects{}
	w.acting = nil
}

// next chooses which event goes first among those that are due in the earliest
// window. The choice stands until that event is performed, cancelled or held up,
// or an injector has changed the world.
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

// first is the earliest event that may happen, or nil. On the way to it,
// events that have to wait for a paused process move behind the pause. Those of
// a crashed one leave the queue; who waits for them is released when the run ends.
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
// the same window, without those that would overtake another of their lane. The list is
// good until the next call.
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

// overtakes reports whether one of the others is an earlier event of its lane.
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

// An Injector may let a fault strike before an event happens. It logs the fault
// ([World.Fault], or an event of kind [EventFault]) before it does what may wake a goroutine:
// package time may have stayed behind until then.
type Injector interface {
	// Before is called once for each event that is about to happen. It returns true
	// if it has changed the world: the event may then come later, or not at all.
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

// askInjectors asks the injectors, each of them once for each event, whether
// something strikes before it, and reports whether something has.
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

// pending is an event that has not happened yet.
type pending struct {
	at    time.Duration // a whole number of windows
	order int64         // of scheduling; breaks ties
	index int           // in the heap, -1 if it is in none

	serial int64 // its name in the trail: the first order that it had
	cause  int   // the step that scheduled it
	nth    int   // of those that it scheduled

	kind  EventKind
	actor *Actor
	from  *Actor // who sent or scheduled it
	// lane, if not zero, is a FIFO that the event belongs to: it may not
	// overtake an earlier event of the same lane.
	lane int64
	// gated events wait while their process is paused.
	gated bool
	// vital events are waited for when the workloads are done: segments in
	// flight, faults that have not ended.
	vital bool
	// awaited events have goroutines that wait for them. When the run ends
	// before they happen, they are fired to let these go.
	awaited bool
	// askedInjectors is how many of the injectors have been asked about the event.
	askedInjectors int
	// cancelled may be set by any goroutine. The conductor reads it only when all
	// are blocked.
	cancelled atomic.Bool
	fire      happening
	// In recorded runs strike is the choice by which the fault struck that the
	// event is a part of, and effects are the choices that it shows. Choices are
	// counted from 1.
	strike  int
	effects []int
}

// happening is what an event does when its time has come: a call, or the arrival of
// what the network carries.
type happening interface{ happen() }

// call is a function to be called.
type call func()

func (f call) happen() { f() }

// cancel makes the event not happen. Any goroutine of the run may call it,
// more than once. The event stays in the queue until its time has come, so
// cancel is not for vital events: the conductor discards those.
func (p *pending) cancel() { p.cancelled.Store(true) }

// held reports whether the event has to wait until its process goes on.
func (p *pending) held() bool {
	return p.gated && p.actor.process != nil && p.actor.process.paused
}

// At schedules fire for the actor at time t, or, if a window has begun before it, with
// the next one. The returned function cancels the event; it may be called more than
// once, and after the event has happened. Only the conductor may call At and the
// returned function.
func (w *World) At(a *Actor, t time.Duration, k EventKind, o EventOptions, fire func()) (cancel func()) {
	p := w.schedule(&pending{at: t, kind: k, actor: a, vital: o.Vital, fire: call(fire)})
	return func() { w.discard(p) }
}

// EventOptions are properties of a scheduled event.
type EventOptions struct {
	// Vital events are waited for at the end of the run.
	Vital bool
}

// schedule puts a new event into the queue. It comes from the actor to whom the
// present event happens, unless it says otherwise. Schedule returns its argument.
func (w *World) schedule(p *pending) *pending {
	if p.from == nil {
		p.from = p.actor
		if w.acting != nil {
			p.from = w.acting
		}
	}
	if p.vital {
		w.vital++
	}
	w.enqueue(p, max(p.at, w.now))
	p.serial = p.order
	p.cause, p.nth = w.trail.origin()
	if p.kind == EventFault || p.kind == EventReset {
		p.strike = w.effects.strike
	}
	return p
}

// enqueue puts an event into the queue, behind those of its actor that are due
// in the same window already.
func (w *World) enqueue(p *pending, at time.Duration) {
	w.scheduled++
	p.order = w.scheduled
	p.at = w.ceil(min(at, forEver))
	w.queue.add(p)
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

// discard takes an event out of the queue for good, if it is there.
func (w *World) discard(p *pending) {
	if p.index < 0 {
		return
	}
	w.queue.remove(p)
	if p.vital {
		w.vital--
	}
	if p == w.committed {
		w.committed = nil
	}
}

// queue is a heap of pending events, earliest first. Those that are due in the
// same window are in the order of the actors that they happen to, then of those that
// they come from, then of scheduling. So the order of earlier events leaves no mark on
// it, except for events of these two actors.
type queue []*pending

func (q queue) less(i, j int) bool {
	a, b := q[i], q[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.actor != b.actor:
		return a.actor.id < b.actor.id
	case a.from != b.from:
		return a.from.id < b.from.id
	}
	return a.order < b.order
}

func (q queue) swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) add(p *pending) {
	p.index = len(*q)
	*q = append(*q, p)
	q.up(p.index)
}

func (q *queue) remove(p *pending) {
	i, last := p.index, len(*q)-1
	if i < 0 {
		return
	}
	if i < last {
		q.swap(i, last)
	}
	(*q)[last] = nil
	*q = (*q)[:last]
	if i < last && !q.down(i) {
		q.up(i)
	}
	p.index = -1
}

// up and down bring an event to its place, as container/heap does. That calls its
// methods through an interface, which takes twice the time.
func (q queue) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(i, parent) {
			break
		}
		q.swap(i, parent)
		i = parent
	}
}

func (q queue) down(i int) (moved bool) {
	for child := 2*i + 1; child < len(q); child = 2*i + 1 {
		if child+1 < len(q) && q.less(child+1, child) {
			child++
		}
		if !q.less(child, i) {
			break
		}
		q.swap(i, child)
		i, moved = child, true
	}
	return moved
}

// first returns the earliest event that is not cancelled, or nil, and
// discards cancelled ones on the way.
func (q *queue) first() *pending {
	for len(*q) > 0 {
		p := (*q)[0]
		if !p.cancelled.Load() {
			return p
		}
		q.remove(p)
	}
	return nil
}

// crowded reports whether any event but the earliest may be due by t. It
// looks at the two that can be the second in a heap.
func (q queue) crowded(t time.Duration) bool {
	return len(q) > 1 && q[1].at <= t || len(q) > 2 && q[2].at <= t
}

// OnEnd registers a function that is called when the run has ended and the world
// drains, in a goroutine of its own. It is the place to close clients.
func (w *World) OnEnd(f func()) { w.closers = append(w.closers, f) }

// drain lets the goroutines of the run end: gates open, connections break,
// dials are refused and later ones lead nowhere, timers fire, the functions of
// OnEnd are called, and virtual time passes before the bubble ends.
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

// release lets the goroutines go that wait for events that will not happen any
// more.
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

// sleepInDrain blocks for d while the world drains, or for less: nobody judges
// times any more, and loops that wait have to end within the drain.
func (w *World) sleepInDrain(d time.Duration) { w.bubble.Pause(w.drainDelay(d)) }

// drainDelay is how long d takes while the world drains.
func (w *World) drainDelay(d time.Duration) time.Duration {
	return min(max(d, time.Microsecond), w.config.Drain/10)
}
