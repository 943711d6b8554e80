package sim

import (
	"sync/atomic"
	"time"
)

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
	fire      func()
	segment   *segment // that arrives, instead of fire
	// In recorded runs strike is the choice by which the fault struck that the
	// event is a part of, and shows are the choices that show in it. Choices are
	// counted from 1.
	strike int
	shows  []int
}

// happen does what the event is.
func (p *pending) happen() {
	if p.segment != nil {
		p.segment.land()
		return
	}
	p.fire()
}

// Cancel makes the event not happen. Any goroutine of the run may call it,
// more than once. The event stays in the queue until its time has come, so
// Cancel is not for vital events: the conductor discards those.
func (p *pending) Cancel() { p.cancelled.Store(true) }

// held reports whether the event has to wait until its process goes on.
func (p *pending) held() bool {
	return p.gated && p.actor.process != nil && p.actor.process.paused
}

// At schedules fire for the actor at time t, or, if a window has begun before
// it, with the next one. A vital event is waited for at the end of the run; a
// gated one waits while its process is paused. The returned function cancels
// it; both are for the conductor.
func (w *World) At(a *Actor, t time.Duration, k EventKind, o EventOptions, fire func()) (cancel func()) {
	p := w.schedule(&pending{at: t, kind: k, actor: a, gated: o.Gated, vital: o.Vital, fire: fire})
	return func() { w.discard(p) }
}

// EventOptions are properties of a scheduled event.
type EventOptions struct{ Vital, Gated bool }

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
		p.strike = w.shown.strike
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
