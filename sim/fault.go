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
	// FaultPartition parts two sides; FaultUnited ends that.
	FaultPartition FaultKind = "partition"
	FaultUnited    FaultKind = "united"
)

// Fault is a fault that struck or ended. The event's Peer is the other end of
// what was cut or healed.
type Fault struct {
	Event
	Kind FaultKind
	// For is how long it will last, if that is known.
	For time.Duration
	// Task is whose request a late segment is, nil if nobody's in particular.
	Task *Task
	// Sides are those of a partition, in words: see [Partition.String].
	Sides string
}

// OnFault registers a function that the conductor calls for every fault.
func (w *World) OnFault(f func(Fault)) { w.watchers = append(w.watchers, f) }

// Fault logs that a fault struck the actor, for as long as d says (zero: not
// known, or at once over), and tells whoever watches.
func (w *World) Fault(a *Actor, k FaultKind, d time.Duration) {
	w.fault(Fault{Event: Event{Actor: a.name}, Kind: k, For: d})
}

func (w *World) fault(f Fault) {
	detail := string(f.Kind)
	if f.For > 0 && f.For < forEver {
		detail += " for " + f.For.String()
	}
	if f.Sides != "" {
		detail += ": " + f.Sides
	}
	f.Event = w.Log(Event{Kind: EventFault, Actor: f.Actor, Peer: f.Peer, Detail: detail})
	for _, watch := range w.watchers {
		watch(f)
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
