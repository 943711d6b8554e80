package sim

import (
	"strconv"
	"time"
)

// FaultKind is the kind of a fault.
type FaultKind string

// The kernel's own kinds of faults. Injectors have others.
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
	FaultJump      FaultKind = "clock jump"
	FaultLost      FaultKind = "lost reply" // a segment to this actor is lost with its connection
	FaultSkew      FaultKind = "clock off"  // from the beginning on
)

// Fault is a fault that struck or ended. The event's Peer is the other end of the
// route that was cut or healed.
type Fault struct {
	Event
	Kind FaultKind
	// For is how long it will last, if that is known.
	For time.Duration
	// By is how far a clock has jumped, or is off: forward, ahead, or back,
	// behind if negative. Rate is how much faster it runs than true time, in
	// parts per million.
	By   time.Duration
	Rate int64
	// Task is the task whose request a late or lost segment is, or answers; nil if
	// there is none.
	Task *Task
	// Sides is the partition that begins or ends, nil if it is another fault.
	Sides *Partition
}

// OnFault registers a function that the conductor calls for every fault.
func (w *World) OnFault(f func(Fault)) { w.watchers = append(w.watchers, f) }

// Fault logs that a fault struck the actor, and calls the functions of OnFault. It
// lasts for d; zero means that it is over at once, or that this is not known.
func (w *World) Fault(a *Actor, k FaultKind, d time.Duration) {
	w.Strike(a, Fault{Kind: k, For: d})
}

// Strike is Fault with more detail. It fills in the fault's event.
func (w *World) Strike(a *Actor, f Fault) {
	f.Event = Event{Actor: a.name}
	w.fault(f)
}

// fault logs a fault whose actor and peer are set, and calls the functions of OnFault.
func (w *World) fault(f Fault) {
	detail := string(f.Kind)
	if f.For > 0 && f.For < forEver {
		detail += " for " + f.For.String()
	}
	if f.Sides != nil {
		detail += ": " + f.Sides.String()
	}
	if f.By != 0 {
		detail += " by " + f.By.String()
	}
	if f.Rate != 0 {
		detail += " at " + strconv.FormatInt(f.Rate, 10) + " ppm"
	}
	f.Event = w.Log(Event{Kind: EventFault, Actor: f.Actor, Peer: f.Peer, Detail: detail})
	for _, watch := range w.watchers {
		watch(f)
	}
}
