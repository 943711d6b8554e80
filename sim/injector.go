package sim

import "time"

// An Injector may let a fault strike before an event happens.
type Injector interface {
	// Before is called once for each event that is about to happen. If it
	// answers true it has changed the world, and the event is looked at
	// again: it may now come later, or not at all.
	Before(e Upcoming) bool
}

// Upcoming is an event that is about to happen.
type Upcoming struct {
	At    time.Duration
	Kind  EventKind
	Actor *Actor
	// Conn is the connection of a segment that is about to arrive, nil if the
	// event is something else. A segment for the process at the client's end is
	// an answer.
	Conn *Conn
	// Task is whose request that segment is, or answers.
	Task *Task
}

// Inject adds an injector. They are asked in the order of their adding.
func (w *World) Inject(i Injector) { w.injectors = append(w.injectors, i) }

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
