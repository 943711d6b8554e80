package sim

import "math/bits"

// A Site is a place in the protocol: what kind of event is about to happen, or
// has just happened, to whom, and how far which process is in which task. Runs
// of the same code have the same sites, and a process that tries the same thing
// again and again has but a few, so a search can tell the rare places from the
// common ones.
type Site uint64

// phase is how far a process is in its task.
type phase struct {
	task  *Task
	steps int // that have happened to the process since it began the task
	last  EventKind
}

// advance notes that an event happens to the process.
func (p *Process) advance(k EventKind) {
	if t := p.task.Load(); t != p.phase.task {
		p.phase = phase{task: t}
	}
	p.phase.steps++
	p.phase.last = k
}

// hash names the phase: the first steps of a task one by one, later ones by
// their magnitude.
func (f *phase) hash(h uint64) uint64 {
	if f.task != nil {
		h = hashString(h, f.task.Name)
	}
	n := f.steps
	if n > 8 {
		n = 8 + bits.Len(uint(n))
	}
	return hashUint(hashString(h, string(f.last)), uint64(n))
}

// site is where a decision of the actor is asked: before the event that is
// about to happen, or in the step that the last one began.
func (w *World) site(a *Actor) Site {
	h := hashUint(fnvOffset, uint64(a.id))
	if p := w.upcoming; p != nil {
		h = hashString(hashUint(h, uint64(p.actor.id)), string(p.kind))
		return Site(w.nearby(h, p.actor, p.from))
	}
	return Site(w.nearby(h, w.acting, nil))
}

// nearby adds the phases of the processes that are concerned.
func (w *World) nearby(h uint64, actors ...*Actor) uint64 {
	for _, a := range actors {
		if a != nil && a.process != nil {
			h = a.process.phase.hash(hashUint(h, uint64(a.id)))
		}
	}
	return h
}
