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

// unlock opens a gate of the process. Who waits there goes on; of several each by
// an event of its own, since which of two that go on at once is first would be for
// the scheduler to say. It is for the conductor.
func (p *Process) unlock(g *gate) { p.takeTurns(g.unlock(p.world.bubble.now())) }

// takeTurns lets goroutines go on, the first at once and each of the others by an
// event of its own.
func (p *Process) takeTurns(turns []chan struct{}) {
	if len(turns) == 0 {
		return
	}
	close(turns[0])
	if len(turns) == 1 {
		return
	}
	w := p.world
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, fire: func() {
		w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "goes on"})
		p.takeTurns(turns[1:])
	}})
}

// Turn is for goroutines of a process that may do something at the same instant
// which leaves a mark of who was first, such as drawing from math/rand: it blocks
// until it is the caller's turn. Of those that call it in one step the first goes
// on at once and each of the others by an event of its own, in the order of what
// it is about; to who calls it alone nothing happens. About is an address or a
// name; several about the same are told apart by what they have failed on (see
// [FailedOn]), by how often they have called it, and by the workload or timer that
// has started them. Any goroutine of the process may
// call it.
func (p *Process) Turn(about string) {
	p.turn(laneTurn, int64(hashUint(uint64(dialKey(about, FailedOn())), oftenTurned())>>1))
}

// TurnFor is Turn for goroutines that are about to use the same thing, such as a pool
// of connections, and where who comes first gets another than who comes next: only
// those of one step that name the same thing wait for each other. They are told apart
// by the workload that has started them and by what they have failed on, so nobody
// waits in a process without threads ([ProcessOptions]). Any goroutine of the process
// may call it.
func (p *Process) TurnFor(thing string) {
	if p.threads == nil {
		return
	}
	p.await(laneTurnFor, dialKey(thing, FailedOn()), dialKey(thing, 0))
}

// turn is Turn for what the lane and the key say.
func (p *Process) turn(lane, key int64) { p.await(lane, key, 0) }

// await blocks until it is the caller's turn among those of the same line.
func (p *Process) await(lane, key, line int64) {
	w := p.world
	mine := make(chan struct{})
	p.emitFor(who(), lane, key, func() {
		if len(p.lines) == 0 {
			w.turning = append(w.turning, p)
		}
		at := slices.IndexFunc(p.lines, func(l turns) bool { return l.line == line })
		if at < 0 {
			at = len(p.lines)
			p.lines = append(p.lines, turns{line: line})
		}
		p.lines[at].list = append(p.lines[at].list, mine)
	})
	select {
	case <-mine:
	case <-w.ended:
	}
}

// turns are those who have asked for their turn in the present step, in one line.
type turns struct {
	line int64 // 0 for [Process.Turn]
	list []chan struct{}
}

// grant lets those go on who have asked for their turn in the present step.
func (w *World) grant() {
	for _, p := range w.turning {
		lines := p.lines
		p.lines = nil
		for _, l := range lines {
			p.takeTurns(l.list)
		}
	}
	w.turning = w.turning[:0]
}
