package sim

import "time"

// An Actor is the target of events: a client process with its goroutines, a node of
// a store, the protected resource, a fault injector. One event wakes one actor.
//
// On package time's clock each actor owns one nanosecond in every microsecond, and
// its events happen on that nanosecond only. Timers that code under test sets with
// package time inherit it (their durations are whole microseconds, but for random
// back-offs), so that timers of two actors are never due at the same instant, where
// the runtime would fire them in any order. Virtual time, which is in whole
// windows, does not show it.
type Actor struct {
	world       *World
	id          int
	name        string
	occurrences map[Kind]int // of decisions, so far
	// process is set if the actor is one.
	process *Process
	// occupied is until when it works, and sends nothing: see Serve.
	occupied time.Duration
}

// Name returns the actor's name, unique in its world.
func (a *Actor) Name() string { return a.name }

// slots is how many actors a world can have.
const slots = int(time.Microsecond)

// slot returns the first instant not before t that belongs to the actor.
func (a *Actor) slot(t time.Duration) time.Duration {
	s := t - t%time.Microsecond + time.Duration(a.id)
	if s < t {
		s += time.Microsecond
	}
	return s
}

// Serve makes the actor work for d more, behind what it works on already. What it sends
// meanwhile leaves when that is done. A server that serves one request at a time calls it
// when a request arrives, and carries the request out at once: the order of requests is that
// of their arrivals anyway.
func (a *Actor) Serve(d time.Duration) { a.occupied = max(a.occupied, a.world.now) + d }
