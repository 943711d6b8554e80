package sim

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// gate is where the goroutines of a process wait while it is paused.
type gate struct {
	open chan struct{} // closed when it is

	mu      sync.Mutex
	opened  time.Duration // when it was opened
	waiting []*waiter
}

// waiter is a goroutine that waits at a gate. Lane and key are those of the emission
// that it is about to make; since and who tell apart those that are about to make the
// same.
type waiter struct {
	lane, key int64
	since     time.Duration
	who       int64
	turn      chan struct{}
}

// The keys of goroutines that are about to read from a connection, or to write to it.
const (
	gateRead int64 = iota + 1
	gateWrite
)

// newGate returns a gate that is shut.
func newGate() *gate { return &gate{open: make(chan struct{})} }

// isOpen reports whether nobody has to wait. Any goroutine may ask.
func (g *gate) isOpen() bool {
	select {
	case <-g.open:
		return true
	default:
		return false
	}
}

// since is when the gate was opened, if it was.
func (g *gate) since() (at time.Duration, open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened, g.isOpen()
}

// wait blocks until the goroutine may go on. It answers false if gone or ended was
// closed before.
func (g *gate) wait(me *waiter, gone, ended <-chan struct{}) bool {
	g.mu.Lock()
	if g.isOpen() {
		g.mu.Unlock()
		return true
	}
	g.waiting = append(g.waiting, me)
	g.mu.Unlock()
	select {
	case <-me.turn:
		return true
	case <-gone:
	case <-ended:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(w *waiter) bool { return w == me })
	return false
}

// rank is 1 for readers and 0 for others: readers go last.
func (w *waiter) rank() int {
	if w.lane > 0 && w.key == gateRead {
		return 1
	}
	return 0
}

// compareWaiters is the order in which waiters go on. Readers go last: a writer may
// hold a mutex that a reader wants when it has read something, and nothing moves while
// a goroutine is blocked on a mutex.
func compareWaiters(a, b *waiter) int {
	return cmp.Or(cmp.Compare(a.rank(), b.rank()),
		cmp.Compare(a.lane, b.lane), cmp.Compare(a.key, b.key), cmp.Compare(a.since, b.since), cmp.Compare(a.who, b.who))
}

// unlock opens the gate and returns the turns of those who wait, in canonical
// order. It is for the conductor.
func (g *gate) unlock(now time.Duration) (turns []chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.SortStableFunc(g.waiting, compareWaiters)
	for _, w := range g.waiting {
		turns = append(turns, w.turn)
	}
	g.waiting, g.opened = nil, now
	close(g.open)
	return turns
}

// pass blocks while the process is paused, or until gone, if it is not nil, is
// closed. It is for the goroutines of the process. Lane and key say what the caller
// does next: see [waiter].
func (p *Process) pass(lane, key int64, gone <-chan struct{}) {
	for {
		g := p.gate.Load()
		if p.threads != nil {
			if own := p.threads.gate(); own != nil {
				g = own
			}
		}
		if g.isOpen() {
			return
		}
		me := &waiter{lane, key, p.world.bubble.now(), who(), make(chan struct{})}
		if !g.wait(me, gone, p.world.ended) {
			return
		}
	}
}

// whenOpen calls f when the process is not paused: at once, or later in a goroutine
// of its own. It is for calls that do not block in reality. If their callers waited at
// the gate, deadlines would have passed when they go on, several cases of a select
// would be ready, and the runtime would pick one at random.
func (p *Process) whenOpen(lane int64, f func()) {
	if p.gate.Load().isOpen() { // almost always
		f()
		return
	}
	go func() {
		p.pass(lane, 0, nil)
		f()
	}()
}

// unlock opens a gate of the process. Who waits there goes on, one after another and
// each by an event of its own: of two that went on at once, the scheduler would say
// which is first. It is for the conductor.
func (p *Process) unlock(g *gate) { p.takeTurns(g.unlock(p.world.bubble.now())) }
