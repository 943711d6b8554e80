package stage

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/sim"
)

// Stage is a run as faults see it. Only the conductor may use it.
type Stage struct {
	World  *sim.World
	Params Params
	// Store is the store of the servers in Cluster.
	Store   Store
	Cluster Cluster
	// Clients are the client processes that have started, in order.
	Clients []*sim.Process

	// Clocks, if not nil, returns the clock error of the next client process.
	Clocks func() ClockError
	// Calls, if not nil, returns a function for a thread of a client process. The thread
	// passes the context of each operation through it, and calls the returned function
	// after the operation.
	Calls func(*sim.Process) func(context.Context, *record.Call) (context.Context, func())

	// Revives, if not nil, restarts a crashed client process, and returns the new one.
	Revives func(dead *sim.Process) *sim.Process

	resting bool
}

// Revive restarts a crashed client process after a while, in an event of the injector.
func (s *Stage) Revive(injector *sim.Actor, dead *sim.Process, after time.Duration) {
	s.World.At(injector, s.World.Now()+after, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		for i, c := range s.Clients {
			if c == dead {
				s.Clients[i] = s.Revives(dead)
			}
		}
	})
}

// Rest puts the stage at rest: faults that have struck go on, and no fault strikes any
// more.
func (s *Stage) Rest() { s.resting = true }

// Add adds an injector of a fault, which is asked until the stage is at rest. A fault that
// strikes before an event of its actor uses [Stage.Strike] instead.
func (s *Stage) Add(i sim.Injector) { s.World.Inject(&until{s, i}) }

// until asks an injector until the stage is at rest.
type until struct {
	stage *Stage
	sim.Injector
}

// Before asks the injector.
func (u *until) Before(e sim.Upcoming) bool { return !u.stage.resting && u.Injector.Before(e) }

// Leave removes a client process that is done, so that no fault strikes it any more.
func (s *Stage) Leave(p *sim.Process) {
	for i, c := range s.Clients {
		if c == p {
			s.Clients = append(s.Clients[:i:i], s.Clients[i+1:]...)
			return
		}
	}
}

// ClockError is the error of a process's clock from its start.
type ClockError struct {
	// Offset is how far the clock is ahead.
	Offset time.Duration
	// Rate is how much faster than true time the clock runs, in parts per million.
	Rate int64
}

// Timing returns how long the store's clients wait.
func (s *Stage) Timing() Timing { return s.Store.Timing() }

// Link returns the network link of the run.
func (s *Stage) Link(faults []*Fault) sim.Link {
	l := sim.Link{Base: BaseLatency, Jitter: s.Params.Jitter()}
	for _, f := range faults {
		if n := s.Params.Often(f); n > 0 && f.Late != nil {
			l.Late = append(l.Late, f.Late(s, n))
		}
	}
	return l
}

// The latency of a segment that is not delayed by a fault is from BaseLatency to BaseLatency+[Params.Jitter].
const (
	BaseLatency = 200 * time.Microsecond
	jitter      = time.Millisecond
)

// Inject adds the faults that the parameters have a budget for.
func (s *Stage) Inject(faults []*Fault) {
	for _, f := range faults {
		if n := s.Params.Often(f); n > 0 && f.Inject != nil {
			f.Inject(s, n)
		}
	}
}

// Client returns the client process of an actor, or nil.
func (s *Stage) Client(a *sim.Actor) *sim.Process {
	for _, c := range s.Clients {
		if c.Actor == a {
			return c
		}
	}
	return nil
}

// Running returns the client process of the next event, if it is neither paused nor crashed; or
// nil.
func (s *Stage) Running(e sim.Upcoming) *sim.Process {
	if p := s.Client(e.Actor); p != nil && !p.Paused() && e.Kind != sim.EventFault {
		return p
	}
	return nil
}

// Up returns the node of the next event, if it is up; or nil.
func (s *Stage) Up(e sim.Upcoming) Node {
	if n := s.Cluster.Node(e.Actor); n != nil && n.Up() && e.Kind != sim.EventFault {
		return n
	}
	return nil
}

// Later calls f after a while, in an event of the injector.
func (s *Stage) Later(injector *sim.Actor, d time.Duration, what sim.FaultKind, f func()) {
	s.World.At(injector, s.World.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		s.World.Fault(injector, what, 0)
		f()
	})
}

// ClockError returns the clock error of the next client process.
func (s *Stage) ClockError() ClockError {
	if s.Clocks == nil {
		return ClockError{}
	}
	return s.Clocks()
}

// Join adds a client process with its clock error.
func (s *Stage) Join(p *sim.Process, off ClockError) {
	if off != (ClockError{}) {
		s.World.Strike(p.Actor, sim.Fault{Kind: sim.FaultSkew, By: off.Offset, Rate: off.Rate})
	}
	s.Clients = append(s.Clients, p)
}
