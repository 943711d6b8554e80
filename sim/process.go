package sim

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// A Process is one client process: an address, a clock, private random streams and
// a gate.
//
// Reads and writes of connections, dials, the timers of its [Clock], workload steps
// and history marks pass the gate. A pause closes it. From outside it looks like a
// GC pause; data that arrives meanwhile waits in socket buffers. Package time has
// one clock for all of a bubble, so a timer that a library set with it fires inside
// the pause, and what it does then waits at the gate. Closing a connection is the
// exception: Close does not wait, it ends the connection's own Reads and Writes,
// and the other end hears of it after the pause.
type Process struct {
	*Actor
	host  string
	clock *Clock
	seed  uint64
	gate  atomic.Pointer[gate] // that of the present or the latest pause

	// What the process is busy with. Threads is nil if there is but one thread,
	// and only then busy is used.
	busy    busy
	threads *threads

	// The rest is for the conductor. A pause ends at heldUntil, by resume.
	paused     bool
	heldUntil  time.Duration
	resume     *pending
	crashed    bool
	workloads  int        // that have not returned
	latestWait *jointWait // the wait that began last
	lines      []turns    // turns that were asked for in the present step
	phase      phase
	idle       idleness
	failures   int // of connections, so far
}

// ProcessOptions describe a process.
type ProcessOptions struct {
	// Host is the process's address, an IP literal.
	Host string
	// Offset is how far ahead of true time its clock starts, and Rate how much
	// faster it runs, in parts per million (negative: behind, slower; above
	// -1,000,000).
	Offset time.Duration
	Rate   int64
	// Threads is set if the process has several threads with tasks of their own. A
	// request then carries the task of the thread that its goroutine works for; see
	// [Process.SetTask]. It costs some microseconds at each write.
	Threads bool
}

// NewProcess adds a process. The seed of its random streams is a decision.
//
// While the world is set up, NewProcess waits until the process's own nanosecond has
// come. Timers that code of the process sets before the next process is made are then
// not due at the same instant as those of another process.
func (w *World) NewProcess(name string, o ProcessOptions) *Process {
	p := &Process{Actor: w.NewActor(name), host: o.Host}
	p.process = p
	p.clock = &Clock{Timepiece: w.NewTimepiece(o.Offset, o.Rate), process: p}
	if o.Threads {
		p.threads = &threads{of: map[gid]int{}}
	}
	p.seed = w.choose(Decision{Kind: Seed, Actor: name, Options: seedOptions})
	open := newGate()
	close(open.open)
	p.gate.Store(open)
	if w.settingUp {
		w.bubble.sleepTo(p.slot(w.moment + 1))
		w.moment = w.bubble.now()
	}
	return p
}

// Host returns the process's address.
func (p *Process) Host() string { return p.host }

// Clock returns the process's clock.
func (p *Process) Clock() *Clock { return p.clock }

// Rand returns a random stream of the process's own for the given purpose.
// Two calls with the same purpose return two generators of the same numbers.
func (p *Process) Rand(purpose string) *rand.Rand { return NewRand(p.seed, p.name+"/"+purpose) }

// Ended is closed when the run has ended, so that a workload can leave. Any
// goroutine may ask for it.
func (p *Process) Ended() <-chan struct{} { return p.world.ended }
