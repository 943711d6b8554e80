package sim

import (
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"
)

// A Process is one client process: an address, a clock, private random
// streams, a gate and a life.
//
// Everything that the process does to the outside passes its gate: reads and
// writes of connections, dials, the timers of its [Clock], workload steps and
// history marks. A pause closes the gate. That is a GC pause for all that the
// outside can see; what arrives meanwhile waits in socket buffers. Package
// time has one clock for all of a bubble, so a timer that a library set with
// it fires inside the pause; what it does then waits at the gate, but for
// closing connections: that itself waits for nobody, ends their own Reads and
// Writes, and is heard of after the pause.
type Process struct {
	*Actor
	host  string
	clock *Clock
	seed  uint64
	gate  atomic.Pointer[gate] // the latest
	busy  busy                 // if it has one thread
	// threads is nil if the process has one.
	threads *threads

	// The rest is the conductor's own. A pause ends at heldUntil, by resume.
	paused    bool
	heldUntil time.Duration
	resume    *pending
	crashed   bool
	workloads int
	waits     *waits // begun last
	phase     phase
	failures  int // of connections, so far
	idle      idleness
	lines     []turns // that were asked for in the present step
}

// A Task is what a process is busy with, as an observer would name it: an
// operation of a history. Requests carry the task that was current when they
// were written, however late they arrive.
type Task struct {
	// ID is set by whoever numbers the tasks, in the conductor.
	ID int
	// Name says what kind of task it is.
	Name string
}

// ProcessOptions describe a process.
type ProcessOptions struct {
	// Host is its address, an IP literal.
	Host string
	// Offset and Rate are its clock's: how far ahead of true time it starts,
	// and how much faster it runs, in parts per million (negative: behind,
	// slower; above -1,000,000).
	Offset time.Duration
	Rate   int64
	// Threads is set if the process has several threads that are busy with
	// tasks of their own: what a goroutine sends then goes with the task of the
	// thread that it works for; see [Process.SetTask]. It costs some
	// microseconds at each write.
	Threads bool
}

// NewProcess adds a process. The seed of its random streams is a decision.
//
// While the world is set up, it waits until the process's own nanosecond has
// come: timers that code of the process sets from here on, before the next
// process is made, are then not due at the same instant as another process's.
func (w *World) NewProcess(name string, o ProcessOptions) *Process {
	p := &Process{Actor: w.NewActor(name), host: o.Host}
	p.process = p
	p.clock = &Clock{Timepiece: w.NewTimepiece(o.Offset, o.Rate), process: p}
	if o.Threads {
		p.threads = &threads{of: map[uint64]int{}}
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

// SetTask says what the process is busy with from now on; nil means nothing
// in particular. Any goroutine of the process may call it. In a process of
// several threads it says so of the one whose goroutine calls it. What that goroutine
// sends goes with the task of its time. What others send in the step in which the task
// changes goes with the last task of that step, and if there is none, with the one that
// has just ended: which of them comes first is for the scheduler to say.
func (p *Process) SetTask(t *Task) {
	if p.threads != nil {
		p.threads.set(t, p.world.steps.Load())
		return
	}
	p.busy.set(t, p.world.steps.Load())
}

// sends is what the thread is busy with that the calling goroutine works for, which
// is about to send something.
func (p *Process) sends() sent {
	if p.threads != nil {
		return p.threads.sends()
	}
	return p.busy.sends()
}

// taskOf is the task that goes with what was sent in this step. It is for the
// conductor.
func (p *Process) taskOf(s sent) *Task { return s.in(p.world.steps.Load()) }

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

// Go starts a workload of the process: the run goes on until all workloads
// have returned. They start one after another, each at an event of its own.
// Go is for the conductor; a workload starts goroutines as any code does.
func (p *Process) Go(f func()) {
	if p.crashed {
		return
	}
	w := p.world
	index := w.begun
	w.begun++
	w.workloads++
	p.workloads++
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, fire: func() {
		event := w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "start"}).Seq
		go func() {
			stretch()
			asWorkload(index, func() {
				startedAt(event)
				guard(f, p.failed)
			})
			p.emit(laneStep, 0, p.done)
		}()
	}})
}

// stretch makes the goroutine's stack as large as clients of Redis need it.
// Growing is cheap now, and later takes as long as the stack is deep.
//
//go:noinline
func stretch() (used byte) {
	var room [8 << 10]byte
	for i := range 2 {
		used += room[i*len(room)/2]
	}
	return used
}

func (p *Process) done() {
	if !p.crashed {
		p.world.workloads--
		p.workloads--
	}
}

// Step lets d of the process's own time pass, as one event: the place between
// two actions of a workload at which a pause may strike. The goroutine that
// calls it waits. Any goroutine of the process may call it.
func (p *Process) Step(what string, d time.Duration) {
	p.pass(laneStep, waitKey(EventStep, what, d), nil)
	p.wait(d, EventStep, what)
}

// waits are goroutines of a process that wait for the same event.
type waits struct {
	key   int64
	who   int64
	since time.Duration
	over  []chan struct{}
}

// wait blocks until d of the process's own time has passed and the process is
// not paused. Of goroutines that begin the same wait in one step each is woken by an
// event of its own, in the order of what tells them apart ([who]); in which order
// they began was for the scheduler to say. Those that nothing tells apart are woken
// by one event.
func (p *Process) wait(d time.Duration, k EventKind, what string) {
	w := p.world
	if w.draining() {
		w.linger(d)
		return
	}
	over := make(chan struct{})
	key := waitKey(k, what, d)
	me := who()
	p.emitFor(me, laneStep, key, func() {
		if own := p.waits; own != nil && own.key == key && own.who == me && own.since == w.moment {
			own.over = append(own.over, over)
			return
		}
		p.waits = &waits{key, me, w.moment, []chan struct{}{over}}
		p.begin(p.waits, later(w.now, p.clock.worldly(d)), k, what)
	})
	select {
	case <-over:
	case <-w.ended:
	}
}

// waitKey tells waits apart.
func waitKey(k EventKind, what string, d time.Duration) int64 {
	return int64(hashUint(hashString(hashString(fnvOffset, string(k)), what), uint64(d)) >> 1)
}

// begin schedules the end of waits.
func (p *Process) begin(waits *waits, due time.Duration, k EventKind, what string) {
	w := p.world
	w.schedule(&pending{at: due, kind: k, actor: p.Actor, gated: true, fire: func() {
		w.Log(Event{Kind: k, Actor: p.name, Detail: what})
		for _, over := range waits.over {
			close(over)
		}
	}})
}

// Mark puts an event into the log on behalf of the process's thread, hands it
// to f, in the conductor, and returns: what the thread does next, or wakes
// others to do, gets higher numbers. Marks that threads make in one step are
// in the order of the threads. The goroutine that calls it must hold no mutex
// that others may want.
func (p *Process) Mark(thread int, detail string, f func(Event)) {
	p.pass(laneMark+int64(thread), 0, nil)
	w := p.world
	logged := make(chan struct{})
	p.emit(laneMark+int64(thread), 0, func() {
		if !w.draining() && !p.crashed {
			f(w.Log(Event{Kind: EventMark, Actor: p.name, Detail: detail}))
			close(logged)
		}
	})
	select {
	case <-logged:
	case <-w.ended:
	}
}

// Ended is closed when the run has ended, so that a workload can leave. Any
// goroutine may ask for it.
func (p *Process) Ended() <-chan struct{} { return p.world.ended }

// Paused reports whether the process is paused or crashed. It is for the
// conductor.
func (p *Process) Paused() bool { return p.paused }

// Pause closes the gate for d. A process that is paused already, or has
// crashed, is left as it is; the answer says whether it was paused now.
func (p *Process) Pause(d time.Duration) bool {
	if p.paused {
		return false
	}
	w := p.world
	open := p.shut(w.ceil(max(later(w.now, d), w.now+1)))
	p.occupied(1)
	w.Fault(p.Actor, FaultPause, d)
	p.resume = w.schedule(&pending{at: p.heldUntil, kind: EventFault, actor: p.Actor, vital: true, fire: func() {
		p.paused = false
		p.occupied(-1)
		w.Fault(p.Actor, FaultResume, 0)
		open()
	}})
	return true
}

// shut closes the gate until the given time, and returns what opens it.
func (p *Process) shut(until time.Duration) (open func()) {
	g := newGate()
	p.gate.Store(g)
	p.paused, p.heldUntil = true, until
	if p.threads == nil {
		return func() { p.unlock(g) }
	}
	p.threads.shut()
	return func() {
		p.unlock(g)
		p.proceed(0)
	}
}

// proceed lets the threads of a process go on after a pause, one after another,
// each with an event of its own: which of two that go on at once is first would
// be for the scheduler to say.
func (p *Process) proceed(thread int) {
	w := p.world
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, vital: true, fire: func() {
		w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "thread " + strconv.Itoa(thread) + " goes on"})
		g, more := p.threads.open(thread)
		if g != nil {
			p.unlock(g)
		}
		if more {
			p.proceed(thread + 1)
		}
	}})
}

// Crash ends the process: its gate stays shut, its workloads count as done,
// its connections are reset and what it had in flight is lost. It does not
// come back; a restarted process is a new one at the same host.
func (p *Process) Crash() {
	if p.die() {
		p.world.net.Crash(p.Actor)
	}
}

// Kill ends the process as the operating system does on being told to kill it:
// what it has sent still arrives, and the end of its connections behind it; what
// is on its way to it is lost. All else is as after a crash.
func (p *Process) Kill() {
	if p.die() {
		p.world.net.kill(p)
	}
}

// die ends the process but for its connections, once.
func (p *Process) die() bool {
	if p.crashed {
		return false
	}
	w := p.world
	p.crashed = true
	p.occupied(1) // who is dead is not idle
	p.shut(forEver)
	if p.resume != nil {
		w.discard(p.resume)
	}
	w.Fault(p.Actor, FaultCrash, 0)
	w.workloads -= p.workloads
	p.workloads = 0
	return true
}
