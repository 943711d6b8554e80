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

// waiter is a goroutine that waits at a gate; lane and key say what it is about
// to do, as those of the emission do that it will make, and since and who tell
// apart those that are about to do the same.
type waiter struct {
	lane, key int64
	since     time.Duration
	who       int64
	turn      chan struct{}
}

// What a goroutine waits for that is about to use a connection, as keys in its lane.
const (
	gateRead int64 = iota + 1
	gateWrite
)

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

// wait blocks until the goroutine may go on, and reports whether it may; else
// gone or ended was closed.
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

// late is 1 if it is about to read from a connection, else 0.
func (w *waiter) late() int {
	if w.lane > 0 && w.key == gateRead {
		return 1
	}
	return 0
}

// compareWaiters puts those last who read: who writes may hold a mutex meanwhile
// that they want when they have read something, and then the run would stop for good.
func compareWaiters(a, b *waiter) int {
	return cmp.Or(cmp.Compare(a.late(), b.late()),
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

// pass blocks while the process is paused. It is for the goroutines of the
// process. Lane and key say what comes next: see [waiter]. It returns as soon as
// gone is closed, if that is not nil.
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

// leave calls f when the process is not paused: at once, or in a goroutine of
// its own. It is for what nobody waits for in reality. Code that waited at the
// gate there would go on with deadlines that have passed meanwhile and that it
// looked at just before, and which of the ready cases of a select is taken is for
// the runtime's own random source to say.
func (p *Process) leave(lane int64, f func()) {
	if p.gate.Load().isOpen() { // almost always
		f()
		return
	}
	go func() {
		p.pass(lane, 0, nil)
		f()
	}()
}

// unlock opens a gate of the process. Who waits there goes on; of several each by
// an event of its own, since which of two that go on at once is first would be for
// the scheduler to say. It is for the conductor.
func (p *Process) unlock(g *gate) { p.takeTurns(g.unlock(p.world.bubble.now())) }
