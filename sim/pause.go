package sim

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
)

// Paused reports whether the process is paused or crashed. Only the conductor may call
// it.
func (p *Process) Paused() bool { return p.paused }

// Pause closes the gate for d and reports whether it did. A process that is paused
// already, or has crashed, is left as it is. Only the conductor may call it.
func (p *Process) Pause(d time.Duration) bool {
	if p.paused {
		return false
	}
	w := p.world
	open := p.shut(w.ceil(max(later(w.now, d), w.now+1)))
	p.occupy(1)
	w.Fault(p.Actor, FaultPause, d)
	p.resume = w.schedule(&pending{at: p.heldUntil, kind: EventFault, actor: p.Actor, vital: true, fire: call(func() {
		p.paused = false
		p.occupy(-1)
		w.Fault(p.Actor, FaultResume, 0)
		open()
	})})
	return true
}

// shut closes the gate until the given time, and returns the function that opens it.
func (p *Process) shut(until time.Duration) (open func()) {
	g := newGate()
	s := p.routines()
	s.gate.Store(g)
	p.paused, p.heldUntil = true, until
	if s.threads == nil {
		return func() { p.unlock(g) }
	}
	s.threads.shut()
	return func() {
		p.unlock(g)
		p.proceed(0)
	}
}

// proceed lets the threads of a process, from the given one on, go on after a pause,
// one after another and each by an event of its own.
func (p *Process) proceed(thread int) {
	w := p.world
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, vital: true, fire: call(func() {
		w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "thread " + strconv.Itoa(thread) + " goes on"})
		g, more := p.routines().threads.open(thread)
		if g != nil {
			p.unlock(g)
		}
		if more {
			p.proceed(thread + 1)
		}
	})})
}

// Crash ends the process: its gate stays shut, its workloads count as done, its connections
// are reset, and its segments in flight are lost. Only the conductor may call it. See
// [Process.Restart].
func (p *Process) Crash() {
	if p.die() {
		p.world.net.Crash(p.Actor)
	}
}

// Kill ends the process as an operating system kills one: segments that it has sent
// still arrive, followed by the end of its connections, and segments on their way to it
// are lost. All else is as after [Process.Crash]. Only the conductor may call it.
func (p *Process) Kill() {
	if p.die() {
		p.world.net.kill(p)
	}
}

// die ends the process, except its connections, and reports whether it was alive.
func (p *Process) die() bool {
	if p.crashed {
		return false
	}
	w := p.world
	p.crashed = true
	p.occupy(1) // a dead process is not idle
	p.shut(forEver)
	if p.resume != nil {
		w.discard(p.resume)
	}
	w.Fault(p.Actor, FaultCrash, 0)
	w.workloads -= p.workloads
	p.workloads = 0
	return true
}

// Restart restarts a process that has crashed or was killed. It returns another process with the
// same name, host and clock, with nothing in memory and other random streams; [Process.Go] starts
// its workloads. The dead process stays dead: its goroutines do not go on, and segments that it has
// sent still arrive. Only the conductor may call it.
func (p *Process) Restart() *Process {
	w := p.world
	if !p.crashed || p.process != p {
		panic("sim: Restart of " + p.name + ", which has not crashed")
	}
	for _, e := range slices.Clone(w.queue) {
		if e.gated && e.actor == p.Actor {
			w.discard(e)
			w.stranded = append(w.stranded, e)
		}
	}
	n := &Process{Actor: p.Actor, host: p.host}
	n.process = n
	n.clocks = clocks{clock: &Clock{Timepiece: p.clock.Timepiece, process: n}, uses: p.uses}
	n.goroutines = w.newGoroutines(n, ProcessOptions{Threads: p.routines().threads != nil})
	n.idle.since = w.now
	w.Fault(n.Actor, FaultRestart, 0)
	n.seed = uint64(w.Choose(Decision{Kind: Seed, Actor: p.name, Options: seedOptions}))
	return n
}

// gate blocks the goroutines of a process while it is paused.
type gate struct {
	open chan struct{} // closed when the gate opens

	mu      sync.Mutex
	opened  time.Duration // when it was opened
	waiting []*waiter
}

// waiter is a goroutine that waits at a gate. Lane and key are those of the emission that
// it makes next; since and caller distinguish waiters with the same lane and key.
type waiter struct {
	conn      gatedConn // that it is about to read from or to write to, if any
	lane, key int64
	since     time.Duration
	caller    int64
	turn      chan bool // closed at the turn
}

// gatedConn is a connection as the gate sees it: see [Conn].
type gatedConn interface {
	// hungUp is closed when the process has closed the connection.
	hungUp() <-chan struct{}
	// mayReadFirst reports whether a reader may go on before a writer after a pause.
	mayReadFirst() bool
	// label returns the name of the other end, and the connection's number.
	label() (peer string, id int)
}

// The keys of goroutines that are about to write to a connection, or to read from it. Their
// values do not give the order: see [waiter.rank].
const (
	gateWrite int64 = iota + 1
	gateRead
)

// newGate returns a gate that is shut.
func newGate() *gate { return &gate{open: make(chan struct{})} }

// isOpen reports whether the gate is open. Any goroutine may call it.
func (g *gate) isOpen() bool {
	select {
	case <-g.open:
		return true
	default:
		return false
	}
}

// since returns when the gate was opened, if it was.
func (g *gate) since() (at time.Duration, open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened, g.isOpen()
}

// wait blocks until the goroutine may go on. It returns false if gone or ended is
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

// compareWaiters returns the order in which waiters go on. Readers go last: a writer may
// hold a mutex that a reader wants when it has read something, and nothing moves while
// a goroutine is blocked on a mutex.
func compareWaiters(a, b *waiter) int {
	return cmp.Or(cmp.Compare(a.rank(), b.rank()),
		cmp.Compare(a.lane, b.lane), cmp.Compare(a.key, b.key), cmp.Compare(a.since, b.since), cmp.Compare(a.caller, b.caller))
}

// unlock opens the gate and returns the waiters, in canonical order. Only the conductor
// calls it.
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
// Lane and key are those of the caller's next emission: see [waiter].
func (p *Process) pass(lane, key int64) { p.routines().pass(lane, key) }

func (s *goroutineSet) pass(lane, key int64) { s.passTo(nil, lane, key) }

// passTo is pass for a goroutine that is about to read from a connection, or to write
// to it. It also ends when the process closes the connection.
func (s *goroutineSet) passTo(c gatedConn, lane, key int64) {
	var gone <-chan struct{}
	if c != nil {
		gone = c.hungUp()
	}
	w := s.process.world
	for {
		g := s.gateOfCaller()
		if g.isOpen() {
			return
		}
		me := &waiter{c, lane, key, w.bubble.Now(), s.caller(), make(chan bool)}
		if !g.wait(me, gone, w.ended) {
			return
		}
	}
}

// gateOfCaller returns the gate of the calling goroutine.
func (s *goroutineSet) gateOfCaller() *gate {
	if s.threads != nil {
		if own := s.threads.gate(); own != nil {
			return own
		}
	}
	return s.gate.Load()
}

// isOpen reports whether the calling goroutine need not wait.
func (p *Process) isOpen() bool { return p.routines().gateOfCaller().isOpen() }

// whenOpen calls f when the process is not paused: at once, or later in a goroutine of
// its own. It is for calls that do not block in reality. If their callers waited at the
// gate, deadlines could pass meanwhile; several cases of a select would then be ready,
// and the runtime would pick one at random.
func (p *Process) whenOpen(lane int64, f func()) {
	if p.routines().gate.Load().isOpen() { // almost always
		f()
		return
	}
	go func() {
		p.pass(lane, 0)
		f()
	}()
}

// unlock opens a gate of the process. The goroutines that wait there go on one after
// another, each by an event of its own: if two went on at once, the scheduler would
// choose which is first. It is for the conductor.
func (p *Process) unlock(g *gate) {
	var turns []chan bool
	for _, w := range p.chooseReaders(g.unlock(p.world.bubble.Now())) {
		turns = append(turns, w.turn)
	}
	p.takeTurns(turns)
}

// chooseReaders lets the tape decide whether a reader goes on before a writer of its
// connection, if the connection has ended and its writers hold no mutex.
func (p *Process) chooseReaders(waiting []*waiter) []*waiter {
	for _, r := range slices.Clone(waiting) {
		if r.conn == nil || r.key != gateRead || !r.conn.mayReadFirst() {
			continue
		}
		writer := slices.IndexFunc(waiting, func(w *waiter) bool { return w.conn == r.conn && w.key == gateWrite })
		if writer < 0 || p.world.Choose(Decision{Kind: ReadFirst, Actor: p.name, Options: 2}) == 0 {
			continue
		}
		peer, id := r.conn.label()
		p.world.Log(Event{Kind: EventStep, Actor: p.name, Peer: peer, Conn: id, Detail: ReadsFirst})
		waiting = slices.Insert(slices.DeleteFunc(waiting, func(w *waiter) bool { return w == r }), writer, r)
	}
	return waiting
}

// AwaitTurn blocks until it is the caller's turn. It is for goroutines whose next
// action shows which of them was first, such as a draw from math/rand. Of the callers
// in one step, the first goes on at once, and each of the others by an event of its
// own; a single caller does not wait. They are ordered by about (an address or a name),
// then by the last failure ([FailedOn]), the number of calls, and the workload or timer
// that started the goroutine. Any goroutine of the process may call it.
func (p *Process) AwaitTurn(about string) {
	if p.world.draining() {
		return
	}
	p.waitInLine(emission{lane: laneTurn, key: int64(digest.Uint(uint64(keyOf(about, FailedOn())), countTurn()) >> 1)}, nil)
}

// AwaitTurnFor is AwaitTurn for goroutines that are about to use one resource, such as a pool
// of connections: any value that == compares. Only callers with the same resource in one step
// wait for each other. They are ordered by about, which must be the same in every run, by
// their last failure, the workload that started them, and the lines of code that they are at.
// Callers that nothing distinguishes are noted ([Process.NoteNondeterminism]). A goroutine
// does not wait as long as it alone uses the resource. Any goroutine of the process may call
// it.
func (p *Process) AwaitTurnFor(about string, resource any) {
	if !p.UsesAlone(resource) {
		p.waitInLine(emission{lane: laneTurnFor, key: keyOf(about, FailedOn())}, resource)
	}
}

// UsesAlone reports whether only the calling goroutine has awaited turns for the resource so
// far. It then does not wait in [Process.AwaitTurnFor].
func (p *Process) UsesAlone(resource any) bool {
	user, _ := p.routines().users.Load(resource)
	return user == thisGoroutine()
}

// turnCounts maps the number of a goroutine to how often it has asked for its turn.
var turnCounts sync.Map

// countTurn counts the calling goroutine's requests for a turn.
func countTurn() uint64 {
	g := thisGoroutine()
	before, _ := turnCounts.Load(g)
	n, _ := before.(uint64)
	turnCounts.Store(g, n+1)
	return n
}

// waitInLine blocks until it is the caller's turn in its line, which is in the order of the
// emissions. If these do not distinguish two goroutines of a resource's line, they ask once
// more, by the lines of code that they are at.
func (p *Process) waitInLine(e emission, resource any) {
	s, me, mine := p.routines(), thisGoroutine(), make(chan bool, 1)
	e.caller = s.caller()
	e.apply = func() { s.join(resource, me, e, mine) }
	for {
		if !p.world.applyNow(p.Actor, e) {
			p.put(e)
		}
		select {
		case tied := <-mine:
			if !tied {
				return
			}
			e.entry = callPath()
		case <-p.world.ended:
			return
		}
	}
}

// line has the goroutines that asked in the present step for their turn with one
// resource.
type line struct {
	resource any // nil for [Process.AwaitTurn]
	waiting  []chan bool
	last     emission // of the last of them, without its number
	tied     bool     // nothing distinguishes two of them so far
}

// join appends a goroutine to the line of a resource. It is for the conductor.
func (s *goroutineSet) join(resource any, me gid, e emission, mine chan bool) {
	if len(s.lines) == 0 {
		s.process.world.stepEnd = append(s.process.world.stepEnd, s.grant)
	}
	if user, known := s.users.LoadOrStore(resource, me); known && user != me {
		s.users.Store(resource, severalUsers)
	}
	at := slices.IndexFunc(s.lines, func(l line) bool { return l.resource == resource })
	if at < 0 {
		at = len(s.lines)
		s.lines = append(s.lines, line{resource: resource})
	}
	l := &s.lines[at]
	if resource != nil && len(l.waiting) > 0 && compareEmissions(e, l.last) == 0 {
		if l.tied = e.entry == 0; !l.tied {
			s.process.NoteNondeterminism(alike)
		}
	}
	l.waiting, l.last = append(l.waiting, mine), e
}

// alike is the reason to note when nothing distinguishes two goroutines of a line.
const alike = "several goroutines that run the same code began requests over one client at one instant, and Go's scheduler decides which of them " +
	"gets which connection: give each goroutine a client of its own"

// readers is the resource of goroutines that read from connections which had ended before they were accepted. What one
// of them does then is over when others go on.
type readers struct{}

// grant gives their turns to the goroutines that asked for one in the present step. If a reader asked, the first one
// goes on, and the others ask once more.
func (s *goroutineSet) grant() {
	lines := s.lines
	s.lines = nil
	reads := slices.IndexFunc(lines, func(l line) bool { return l.resource == readers{} })
	if reads >= 0 {
		close(lines[reads].waiting[0])
		lines[reads].waiting = lines[reads].waiting[1:]
	}
	for _, l := range lines {
		if !l.tied && reads < 0 {
			s.process.takeTurns(l.waiting)
			continue
		}
		for _, turn := range l.waiting {
			turn <- true
		}
	}
}

// takeTurns lets goroutines go on, the first at once and each of the others by an
// event of its own.
func (p *Process) takeTurns(turns []chan bool) {
	if len(turns) == 0 {
		return
	}
	close(turns[0])
	if len(turns) == 1 {
		return
	}
	w := p.world
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, fire: call(func() {
		w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "goes on"})
		p.takeTurns(turns[1:])
	})})
}

// AwaitTurnAnyway is AwaitTurnFor for a resource whose library has goroutines of its own, such as a pool of net/http,
// which remove connections that have ended. A goroutine that alone uses the resource waits, too: until all others of
// the step are blocked.
func (p *Process) AwaitTurnAnyway(about string, resource any) {
	p.waitInLine(emission{lane: laneTurnFor, key: keyOf(about, FailedOn())}, resource)
}
