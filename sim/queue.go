package sim

import (
	"sync/atomic"
	"time"
)

// This file has the events that have not happened yet.

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
	from  *Actor // the actor that sent or scheduled it
	// lane, if not zero, is a FIFO that the event belongs to: it may not
	// overtake an earlier event of the same lane.
	lane int64
	// gated events wait while their process is paused.
	gated bool
	// The run waits for vital events when the workloads are done: segments in flight,
	// faults that have not ended.
	vital bool
	// awaited events have goroutines that wait for them. If the run ends before they
	// happen, they are fired to wake these.
	awaited bool
	// askedInjectors is the number of injectors that have been asked about the event.
	askedInjectors int
	// cancelled may be set by any goroutine. The conductor reads it only when all
	// are blocked.
	cancelled atomic.Bool
	fire      happening
	// In recorded runs strike is the choice by which the event's fault struck, and
	// effects are the choices that the event shows. Choices are counted from 1.
	strike  int
	effects []int
}

// happening is the action of an event when it is due: a call, or the arrival of a
// segment.
type happening interface{ happen() }

// call is a function to be called.
type call func()

func (f call) happen() { f() }

// cancel cancels the event. Any goroutine of the run may call it, more than once. The
// event stays in the queue until it is due, so cancel is not for vital events: the
// conductor discards those.
func (p *pending) cancel() { p.cancelled.Store(true) }

// held reports whether the event has to wait until its process goes on.
func (p *pending) held() bool {
	return p.gated && p.actor.process != nil && p.actor.process.paused
}

// At schedules fire for the actor at time t, rounded up to the next window. The
// returned function cancels the event; it may be called more than once, and after the
// event has happened. Only the conductor may call At and the returned function.
func (w *World) At(a *Actor, t time.Duration, k EventKind, o EventOptions, fire func()) (cancel func()) {
	p := w.schedule(&pending{at: t, kind: k, actor: a, vital: o.Vital, fire: call(fire)})
	return func() { w.discard(p) }
}

// EventOptions are properties of a scheduled event.
type EventOptions struct {
	// Vital makes the run wait for the event before it ends.
	Vital bool
}

// schedule puts a new event into the queue. If it has no from, that is the actor of the
// present event. Schedule returns its argument.
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

// enqueue puts an event into the queue, behind the queued events of its actor that are
// due in the same window.
func (w *World) enqueue(p *pending, at time.Duration) {
	w.scheduled++
	p.order = w.scheduled
	p.at = w.ceil(min(at, forEver))
	w.queue.add(p)
}

// requeue moves a queued event to a new time, behind the queued ones that are due then.
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

// queue is a heap of pending events, earliest first. Events that are due in the same
// window are in the order of the actors that they happen to, then of the actors that
// they come from, then of scheduling. So their order does not depend on the order of
// earlier events, except those of these two actors.
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

// up and down move an event to its place, as container/heap does, whose calls through
// an interface take twice the time.
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
