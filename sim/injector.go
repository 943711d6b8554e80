package sim

import "time"

// An Injector may let a fault strike before an event happens.
type Injector interface {
	// Before is called once for each event that is about to happen. It returns true
	// if it has changed the world: the event may then come later, or not at all.
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
	// Data is what the segment carries; it must not be changed.
	Data []byte
	// Task is the task whose request that segment is, or answers.
	Task *Task
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
		changed := i.Before(p.upcoming())
		w.shown = shown{}
		if changed {
			w.committed = nil
			w.trail.beginStrike(w.now, w.conductor, w.decisions)
			return true
		}
	}
	return false
}

// upcoming describes the event to injectors.
func (p *pending) upcoming() Upcoming {
	e := Upcoming{At: p.at, Kind: p.kind, Actor: p.actor}
	if p.segment != nil {
		e.Conn, e.Data, e.Task = p.segment.pipe.conn, p.segment.data, p.segment.task
	}
	return e
}
