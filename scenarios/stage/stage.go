package stage

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/internal/record"
	"github.com/lockpick-dev/lockpick/sim"
)

// Stage is where a run takes place. Only the conductor uses it.
type Stage struct {
	World  *sim.World
	Params Params
	// Store is the kind of the servers that are in Cluster.
	Store   Store
	Cluster Cluster
	// Clients are the client processes that are there by now, in order.
	Clients []*sim.Process

	// Clocks, if not nil, says before a client process begins how its clock is off.
	Clocks func() ClockError
	// Calls, if not nil, is what a thread of a client process passes the contexts of
	// its operations through; what it returns is called when the operation is over.
	Calls func(*sim.Process) func(context.Context, *record.Call) (context.Context, func())
}

// ClockError is how the clock of a process is off from the beginning on.
type ClockError struct {
	// Offset is by how much it is ahead.
	Offset time.Duration
	// Rate is how much faster than true time it runs, in parts per million.
	Rate int64
}

// Timing is how long the clients of the store wait.
func (s *Stage) Timing() Timing { return s.Store.Timing() }

// Link is how segments travel on this stage.
func (s *Stage) Link(faults []*Fault) sim.Link {
	l := sim.Link{Base: BaseLatency, Jitter: Jitter}
	for _, f := range faults {
		if n := s.Params.Faults.Of(f); n > 0 && f.Late != nil {
			l.Late = append(l.Late, f.Late(s, n))
		}
	}
	return l
}

// The latency of a segment: at least BaseLatency, and at most Jitter more unless
// it is held back.
const (
	BaseLatency = 200 * time.Microsecond
	Jitter      = time.Millisecond
)

// Inject adds the faults that the parameters have a budget for.
func (s *Stage) Inject(faults []*Fault) {
	for _, f := range faults {
		if n := s.Params.Faults.Of(f); n > 0 && f.Inject != nil {
			f.Inject(s, n)
		}
	}
}

// Client is the client process that is the actor, or nil.
func (s *Stage) Client(a *sim.Actor) *sim.Process {
	for _, c := range s.Clients {
		if c.Actor == a {
			return c
		}
	}
	return nil
}

// Running is the client process that an event is about to happen to, if it is one
// that is neither paused nor crashed; or nil.
func (s *Stage) Running(e sim.Upcoming) *sim.Process {
	if p := s.Client(e.Actor); p != nil && !p.Paused() && e.Kind != sim.EventFault {
		return p
	}
	return nil
}

// Up is the node that an event is about to happen to, if it is one that is up;
// or nil.
func (s *Stage) Up(e sim.Upcoming) Node {
	if n := s.Cluster.Node(e.Actor); n != nil && n.Up() && e.Kind != sim.EventFault {
		return n
	}
	return nil
}

// Later lets something happen to the world after a while, as an event of the
// injector's.
func (s *Stage) Later(injector *sim.Actor, d time.Duration, what sim.FaultKind, f func()) {
	s.World.At(injector, s.World.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		s.World.Fault(injector, what, 0)
		f()
	})
}

// ClockError is how the clock of the next client process is off.
func (s *Stage) ClockError() ClockError {
	if s.Clocks == nil {
		return ClockError{}
	}
	return s.Clocks()
}

// Join adds a client process, whose clock may be off.
func (s *Stage) Join(p *sim.Process, off ClockError) {
	if off != (ClockError{}) {
		s.World.Strike(p.Actor, sim.Fault{Kind: sim.FaultSkew, By: off.Offset, Rate: off.Rate})
	}
	s.Clients = append(s.Clients, p)
}
