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
	conn      *Conn // that it is about to read from or to write to, if any
	lane, key int64
	since     time.Duration
	who       int64
	turn      chan struct{}
}

// The keys of goroutines that are about to write to a connection, or to read from it. Their
// order does not matter: see [waiter.rank].
const (
	gateWrite int64 = iota + 1
	gateRead
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

// unlock opens the gate and returns those who wait, in canonical order. It is for the
// conductor.
func (g *gate) unlock(now time.Duration) []*waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	waiting := g.waiting
	slices.SortStableFunc(waiting, compareWaiters)
	g.waiting, g.opened = nil, now
	close(g.open)
	return waiting
}

// pass blocks while the process is paused. It is for the goroutines of the process.
// Lane and key say what the caller does next: see [waiter].
func (p *Process) pass(lane, key int64) { p.passTo(nil, lane, key) }

// passTo is pass for who is about to read from a connection, or to write to it. It also
// ends when the process closes the connection.
func (p *Process) passTo(c *Conn, lane, key int64) {
	var gone <-chan struct{}
	if c != nil {
		gone = c.gone
	}
	for {
		g := p.gateOfCaller()
		if g.isOpen() {
			return
		}
		me := &waiter{c, lane, key, p.world.bubble.now(), who(), make(chan struct{})}
		if !g.wait(me, gone, p.world.ended) {
			return
		}
	}
}

// gateOfCaller is the gate of the calling goroutine.
func (p *Process) gateOfCaller() *gate {
	if p.threads != nil {
		if own := p.threads.gate(); own != nil {
			return own
		}
	}
	return p.gate.Load()
}

// isOpen reports whether the calling goroutine need not wait.
func (p *Process) isOpen() bool { return p.gateOfCaller().isOpen() }

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
		p.pass(lane, 0)
		f()
	}()
}

// unlock opens a gate of the process. Who waits there goes on, one after another and
// each by an event of its own: of two that went on at once, the scheduler would say
// which is first. It is for the conductor.
func (p *Process) unlock(g *gate) {
	var turns []chan struct{}
	for _, w := range p.chooseReaders(g.unlock(p.world.bubble.now())) {
		turns = append(turns, w.turn)
	}
	p.takeTurns(turns)
}

// chooseReaders lets the tape decide whether a reader goes on before a writer of its
// connection, where the connection has ended and its writers hold no mutex.
func (p *Process) chooseReaders(waiting []*waiter) []*waiter {
	for _, r := range slices.Clone(waiting) {
		if r.conn == nil || r.key != gateRead || !r.conn.mayReadFirst() {
			continue
		}
		writer := slices.IndexFunc(waiting, func(w *waiter) bool { return w.conn == r.conn && w.key == gateWrite })
		if writer < 0 || p.world.Choose(Decision{Kind: ReadFirst, Actor: p.name, Options: 2}) == 0 {
			continue
		}
		p.world.Log(Event{Kind: EventStep, Actor: p.name, Peer: r.conn.server.actor.name, Conn: r.conn.id, Detail: ReadsFirst})
		waiting = slices.Insert(slices.DeleteFunc(waiting, func(w *waiter) bool { return w == r }), writer, r)
	}
	return waiting
}
