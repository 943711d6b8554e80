package sim

import (
	"strconv"
	"time"
)

// Paused reports whether the process is paused or crashed. It is for the
// conductor.
func (p *Process) Paused() bool { return p.paused }

// Pause closes the gate for d and reports whether it did. A process that is paused
// already, or has crashed, is left as it is.
func (p *Process) Pause(d time.Duration) bool {
	if p.paused {
		return false
	}
	w := p.world
	open := p.shut(w.ceil(max(later(w.now, d), w.now+1)))
	p.occupy(1)
	w.Fault(p.Actor, FaultPause, d)
	p.resume = w.schedule(&pending{at: p.heldUntil, kind: EventFault, actor: p.Actor, vital: true, fire: func() {
		p.paused = false
		p.occupy(-1)
		w.Fault(p.Actor, FaultResume, 0)
		open()
	}})
	return true
}

// shut closes the gate until the given time, and returns what opens it.
func (p *Process) shut(until time.Duration) (open func()) {
	g := newGate()
	p.gate.Store(g)
	p.paused, p.heldUntil = true, until
	if p.threads == nil {
		return func() { p.unlock(g) }
	}
	p.threads.shut()
	return func() {
		p.unlock(g)
		p.proceed(0)
	}
}

// proceed lets the threads of a process go on after a pause, from the given one on,
// one after another and each by an event of its own.
func (p *Process) proceed(thread int) {
	w := p.world
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, vital: true, fire: func() {
		w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "thread " + strconv.Itoa(thread) + " goes on"})
		g, more := p.threads.open(thread)
		if g != nil {
			p.unlock(g)
		}
		if more {
			p.proceed(thread + 1)
		}
	}})
}
