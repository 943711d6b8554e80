package sim

import "time"

// FaultKind is what struck.
type FaultKind string

// The kernel's own kinds of faults. What kinds there are beyond them is for
// those who inject them.
const (
	FaultPause  FaultKind = "pause"
	FaultResume FaultKind = "resume"
	FaultCrash  FaultKind = "crash"
	FaultLate   FaultKind = "late" // a segment is held back
	FaultCut    FaultKind = "cut"  // segments from this actor to another are held
	FaultHeal   FaultKind = "heal"
)

// Fault is a fault that struck or ended.
type Fault struct {
	Event
	Kind FaultKind
	// For is how long it will last, if that is known.
	For time.Duration
	// Task is whose request a late segment is, nil if nobody's in particular.
	Task *Task
}

// OnFault registers a function that the conductor calls for every fault.
func (w *World) OnFault(f func(Fault)) { w.watchers = append(w.watchers, f) }

// Fault logs that a fault struck the actor, for as long as d says (zero: not
// known, or at once over), and tells whoever watches.
func (w *World) Fault(a *Actor, k FaultKind, d time.Duration) { w.fault(a, k, d, nil) }

func (w *World) fault(a *Actor, k FaultKind, d time.Duration, t *Task) {
	detail := string(k)
	if d > 0 && d < forEver {
		detail += " for " + d.String()
	}
	e := w.Log(Event{Kind: EventFault, Actor: a.name, Detail: detail})
	for _, f := range w.watchers {
		f(Fault{Event: e, Kind: k, For: d, Task: t})
	}
}

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
}

// Inject adds an injector. They are asked in the order of their adding.
func (w *World) Inject(i Injector) { w.injectors = append(w.injectors, i) }
