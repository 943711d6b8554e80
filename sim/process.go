package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
)

// A Process is one client process: an address, a clock, private random streams and
// a gate.
//
// Reads and writes of connections, dials, the timers of its [Clock], workload steps and
// history marks pass the gate. A pause closes it. From outside it looks like a GC
// pause; data that arrives meanwhile waits in socket buffers. Package time has one
// clock for all of a bubble, so a timer that a library set with it fires inside the
// pause, and the code that it wakes waits at the gate. Closing a connection is the
// exception: Close does not wait and ends the connection's own Reads and Writes; the
// other end learns of it after the pause.
type Process struct {
	*Actor
	host string
	clocks
	seed uint64
	// goroutines are the goroutines that run its code.
	goroutines goroutines

	// The rest is for the conductor. The event resume ends a pause, at heldUntil.
	paused     bool
	heldUntil  time.Duration
	resume     *pending
	crashed    bool
	workloads  int        // that have not returned
	latestWait *jointWait // the wait that began last
	phase      phase
	idle       idleness
	failures   int // of connections, so far
}

// goroutines identifies the goroutines that run a process's code, and blocks them in a
// pause. See identity.go.
type goroutines interface {
	// begin notes that the event with that number has started the calling goroutine.
	begin(event int64)
	// caller distinguishes the calling goroutine from others that do the same in one
	// step, by a number that is the same in every run.
	caller() int64
	// pass blocks the calling goroutine while the process is paused. Lane and key are
	// those of the emission that it makes next.
	pass(lane, key int64)
	// task returns the current task of the process; before is the result of the last call.
	// It is for the conductor, when all goroutines are blocked.
	task(before *Task) *Task
}

// ProcessOptions describe a process.
type ProcessOptions struct {
	// Host is the process's address, an IP literal.
	Host string
	// Offset is how far its clock is ahead of true time at the start, and Rate how much
	// faster it runs, in parts per million, more than -1,000,000. Negative values make
	// it behind, or slower.
	Offset time.Duration
	Rate   int64
	// Threads is set if the process has several threads with tasks of their own. A
	// request then carries the task of the thread that its goroutine works for; see
	// [Process.SetTask]. Each write then takes some microseconds longer.
	Threads bool
}

// NewProcess adds a process. The seed of its random streams is a decision.
//
// While the world is set up, NewProcess waits until the process's own nanosecond has
// come. Timers that code of the process sets before the next process is made are then
// not due at the same instant as those of another process.
func (w *World) NewProcess(name string, o ProcessOptions) *Process {
	w.listen() // to the process made before
	p := &Process{Actor: w.NewActor(name), host: o.Host}
	p.process = p
	p.clocks = clocks{clock: &Clock{Timepiece: w.NewTimepiece(o.Offset, o.Rate), process: p}, uses: &uses{}}
	p.goroutines = w.newGoroutines(p, o)
	p.seed = w.choose(Decision{Kind: Seed, Actor: name, Options: seedOptions})
	if w.settingUp {
		w.bubble.SleepTo(p.slot(w.moment + 1))
		w.moment = w.bubble.Now()
	}
	return p
}

// Host returns the process's address, an IP literal.
func (p *Process) Host() string { return p.host }

// World returns the world of the process.
func (p *Process) World() *World { return p.world }

// Clock returns the process's clock.
func (p *Process) Clock() *Clock { return p.clock }

// Rand returns a random stream of the process's own for the given purpose.
// Two calls with the same purpose return two generators of the same numbers.
func (p *Process) Rand(purpose string) *rand.Rand { return NewRand(p.seed, p.name+"/"+purpose) }

// Ended returns a channel that is closed when the run has ended, so that a workload can
// return. Any goroutine may call it.
func (p *Process) Ended() <-chan struct{} { return p.world.ended }

// reseedAfter reseeds the random sources that all processes share when a connection of
// the process fails: clients then draw random back-offs, which must not depend on whose
// connection failed first.
func (p *Process) reseedAfter(k EventKind) {
	if k == EventReset || k == EventRefused || k == EventTimeout {
		p.failures++
		seedShared(digest.Uint(digest.String(digest.Uint(digest.Offset, p.seed), p.name), uint64(p.failures)))
	}
}

// Go starts a workload of the process: the run goes on until all workloads have
// returned. They start one after another, each at an event of its own. Only the
// conductor may call it; a workload uses go statements.
func (p *Process) Go(f func()) {
	if p.crashed {
		return
	}
	w := p.world
	w.workloads++
	p.workloads++
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, fire: call(func() {
		event := w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "start"}).Seq
		go func() {
			growStack()
			p.goroutines.begin(event)
			guard(f, p.failed)
			p.emit(laneStep, 0, p.workloadDone)
		}()
	})})
}

// failed makes a failure of one of the process's goroutines a failure of the run, unless the
// process has crashed before: its goroutines then run only because the world drains.
func (p *Process) failed(f *Failure) {
	p.emit(laneFailure, int64(digest.String(digest.Offset, f.Reason)>>1), func() {
		if f.Actor = p.name; !p.crashed {
			p.world.fail(f)
		}
	})
}

// growStack makes the goroutine's stack as large as client libraries need it.
// Growing it later takes longer, since a deep stack has to be copied.
//
//go:noinline
func growStack() (used byte) {
	var room [8 << 10]byte
	for i := range 2 {
		used += room[i*len(room)/2]
	}
	return used
}

// workloadDone notes that a workload has returned.
func (p *Process) workloadDone() {
	if !p.crashed {
		p.world.workloads--
		p.workloads--
	}
}

// Mark logs an event for a thread of the process, calls f with it in the conductor, and
// returns. All later events of the thread, and of those that it wakes, get higher
// numbers. Marks that threads make in one step are in the order of the threads. The
// calling goroutine must hold no mutex that others may want. Any goroutine of the
// process may call it.
func (p *Process) Mark(thread int, detail string, f func(Event)) {
	p.goroutines.pass(laneMark+int64(thread), 0)
	w := p.world
	var m struct {
		done   bool
		logged chan struct{} // nil if the mark is applied at once
	}
	e := emission{lane: laneMark + int64(thread), apply: func() {
		if w.draining() || p.crashed {
			return
		}
		f(w.Log(Event{Kind: EventMark, Actor: p.name, Detail: detail}))
		if m.done = true; m.logged != nil {
			close(m.logged)
		}
	}}
	switch {
	case !w.applyNow(p.Actor, e):
		m.logged = make(chan struct{})
		p.put(e)
	case m.done:
		return
	}
	select {
	case <-m.logged:
	case <-w.ended:
	}
}

// Step blocks the calling goroutine for d, on the process's own clock. Its end is one
// event: the place between two actions of a workload at which a pause may strike. Any
// goroutine of the process may call it.
func (p *Process) Step(what string, d time.Duration) {
	p.goroutines.pass(laneStep, waitKey(EventStep, what, d))
	p.wait(d, EventStep, what)
}

// jointWait is a wait of one or more goroutines that one event ends.
type jointWait struct {
	key    int64
	caller int64
	since  time.Duration
	over   []chan struct{}
}

// wait blocks until d of the process's own time has passed and the process is
// not paused. Goroutines that begin the same wait in one step are woken one after
// another, each by an event of its own, in the order of their callers. Those that nothing
// distinguishes are woken by one event.
func (p *Process) wait(d time.Duration, k EventKind, what string) {
	w := p.world
	if w.draining() {
		w.sleepInDrain(d)
		return
	}
	over := make(chan struct{})
	key := waitKey(k, what, d)
	me := p.goroutines.caller()
	p.emitFor(me, laneStep, key, func() {
		if own := p.latestWait; own != nil && own.key == key && own.caller == me && own.since == w.moment {
			own.over = append(own.over, over)
			return
		}
		p.latestWait = &jointWait{key, me, w.moment, []chan struct{}{over}}
		p.scheduleEnd(p.latestWait, later(w.now, p.clock.trueDuration(d)), k, what)
	})
	select {
	case <-over:
	case <-w.ended:
	}
}

// waitKey distinguishes waits.
func waitKey(k EventKind, what string, d time.Duration) int64 {
	return int64(digest.Uint(digest.String(digest.String(digest.Offset, string(k)), what), uint64(d)) >> 1)
}

// scheduleEnd schedules the end of a wait.
func (p *Process) scheduleEnd(wait *jointWait, due time.Duration, k EventKind, what string) {
	w := p.world
	w.schedule(&pending{at: due, kind: k, actor: p.Actor, gated: true, fire: call(func() {
		w.Log(Event{Kind: k, Actor: p.name, Detail: what})
		for _, over := range wait.over {
			close(over)
		}
	})})
}

// A Task is the current activity of a process, usually an operation of a history.
// Requests carry the task that was current when they were written, however late
// they arrive.
type Task struct {
	// ID is a number of the caller's own, for code that numbers tasks.
	ID int
	// Name names the kind of task, such as the kind of operation.
	Name string

	streak streak // of its requests
	began  int64  // the event with which it began, 0 if unknown: see Begun
	code   string // the line of the user's code that began it, in a recorded run
}

// streak counts the requests of a task that are sent in a row: each at the instant at
// which the one before was answered. The conductor alone uses it.
type streak struct {
	answeredAt time.Duration // when the last answer arrived
	unused     bool          // nothing was sent since then
	// The number of requests in the present row, 0 before the first, and in the
	// longest.
	length, longest int
	began           []time.Duration // when each row began
}

// BackToBack returns the length of the task's longest row of requests, each sent at the
// instant at which its process got the answer to the one before. A task that sleeps
// between its requests has rows of 1, whatever other tasks do meanwhile. Only data that
// the server sends for the task counts as an answer: see [ServerConn.Send]. Only the
// conductor may call it.
func (t *Task) BackToBack() int { return t.streak.longest }

// Tries returns when the rows of requests of the task began; see BackToBack. A lock that
// sleeps between its tries has one for each. Only the conductor may call it, and it must
// not change the result.
func (t *Task) Tries() []time.Duration { return t.streak.began }

// requested notes that a request was sent for the task. Several that one answer has caused
// count as one.
func (t *Task) requested(now time.Duration) {
	if t == nil {
		return
	}
	s := &t.streak
	switch {
	case s.length == 0 || s.answeredAt != now:
		s.length, s.began = 1, append(s.began, now)
	case s.unused:
		s.length++
	}
	s.unused, s.longest = false, max(s.longest, s.length)
}

// answered notes that an answer to the task has arrived.
func (t *Task) answered(now time.Duration) {
	if t != nil {
		t.streak.answeredAt, t.streak.unused = now, true
	}
}

// NoteNondeterminism notes a reason why the run may not repeat: the order of something
// in the process depends on the scheduler, or on a map. If two runs of one tape differ,
// the reasons are printed with the first difference, so a reason should name the
// remedy. It changes neither the run nor its hash. Once the run is over, nothing is
// noted. Any goroutine of the process may call it.
func (p *Process) NoteNondeterminism(reason string) {
	if !p.world.draining() {
		p.world.nondeterminism.add(reason)
	}
}

// phase is a process's progress in its task.
type phase struct {
	task   *Task
	name   uint64         // a hash of the name of the task, or of the last one
	number int            // which of the process's tasks of that name it is, from 1
	steps  int            // that have happened to the process since the task began or ended
	begun  map[string]int // how many tasks of each name it has begun
}

// currentPhase returns the phase, brought up to date with the task. It is for the
// conductor, when all goroutines are blocked: a task that began in a step counts for
// everything that the step sent.
func (p *Process) currentPhase() *phase {
	f := &p.phase
	t := p.goroutines.task(f.task)
	if t == f.task {
		return f
	}
	f.task, f.steps = t, 0
	if t != nil {
		if f.begun == nil {
			f.begun = map[string]int{}
		}
		f.begun[t.Name]++
		f.name, f.number = digest.String(digest.Offset, t.Name), f.begun[t.Name]
	}
	return f
}

// idleness measures how long a process has been idle. Only the conductor uses it.
type idleness struct {
	busy  int           // the number of things that now keep it from being idle
	since time.Duration // when busy last changed from or to 0
	total time.Duration // idle time until then
}

// Idle returns how long, so far, the process has been idle: alive, not paused, not
// dialing, and without a request under way. A request is under way on a connection
// until data has arrived after it (though this may answer an earlier request), nothing
// is on its way in either direction, and the server owes no more answers ([Owing]). A
// process that only listens, such as a subscriber with a confirmed subscription, is
// idle. Only the conductor may call it.
func (p *Process) Idle() time.Duration {
	if p.idle.busy > 0 {
		return p.idle.total
	}
	return p.idle.total + p.world.now - p.idle.since
}

// occupy adds a number, 1 or -1, to the things that keep the process from being idle.
func (p *Process) occupy(by int) {
	f := &p.idle
	was := f.busy
	f.busy += by
	switch now := p.world.now; {
	case was == 0:
		f.total += now - f.since
	case f.busy == 0:
		f.since = now
	}
}

// emission is an effect of a goroutine on the world during a step: a segment written, a
// timer set, a mark in the history. Goroutines run in any order; emissions are put into
// the canonical order (actor, lane, key, caller, entry, n) before any of them gets a
// latency, an event number or a decision, so that the scheduler's order leaves no
// trace.
type emission struct {
	actor  *Actor
	lane   int64 // stream within the actor
	key    int64 // its kind, if n depends on the scheduler
	caller int64 // distinguishes goroutines with the same key: see goroutines
	entry  int64 // distinguishes goroutines of one caller, for dials and turns: see callPath
	n      int64 // number in the order of arrival
	apply  func()
}

// The lanes other than those of connections, which are positive. History marks are
// before segments, so that the task that a mark begins is known when the segments are
// sent.
const (
	// Waits for a turn with a resource. They are noted before a mark lets another goroutine go on
	// that may want the resource, too.
	laneTurnFor int64 = laneMark - 2
	laneFailure int64 = laneMark - 1
	laneMark    int64 = -1 << 32 // plus the thread
	laneTurn    int64 = -3       // waits for a turn
	laneStep    int64 = -2       // steps and clock timers
	laneDial    int64 = -1       // dials
)

// compareEmissions returns the canonical order.
func compareEmissions(a, b emission) int {
	switch {
	case a.actor != b.actor:
		return cmp.Compare(a.actor.id, b.actor.id)
	case a.lane != b.lane:
		return cmp.Compare(a.lane, b.lane)
	case a.key != b.key:
		return cmp.Compare(a.key, b.key)
	case a.caller != b.caller:
		return cmp.Compare(a.caller, b.caller)
	case a.entry != b.entry:
		return cmp.Compare(a.entry, b.entry)
	}
	return cmp.Compare(a.n, b.n)
}

// emit hands f to the conductor, which calls it when the step is over, in
// canonical order. Any goroutine of the run may call it.
func (a *Actor) emit(lane, key int64, f func()) { a.emitFor(0, lane, key, f) }

// emitFor is emit for a caller, by which emissions of one key are sorted: see [goroutines].
func (a *Actor) emitFor(caller, lane, key int64, f func()) {
	a.put(emission{lane: lane, key: key, caller: caller, apply: f})
}

// put puts an emission of the actor's into the inbox.
func (a *Actor) put(e emission) {
	e.actor = a
	a.world.inbox.put(e)
	a.world.bubble.Wake()
}

// inbox collects the emissions of a step.
type inbox struct {
	mu    sync.Mutex
	n     int64      // emissions so far
	list  []emission // those since the last take
	spare []emission // the memory of the emissions taken last
}

// put adds an emission.
func (in *inbox) put(e emission) {
	in.mu.Lock()
	in.n++
	e.n = in.n
	in.list = append(in.list, e)
	in.mu.Unlock()
}

// take returns the emissions since the last call, in canonical order. The slice is
// valid until the next call.
func (in *inbox) take() []emission {
	in.mu.Lock()
	list := in.list
	in.list, in.spare = in.spare[:0], list
	in.mu.Unlock()
	if len(list) > 1 {
		slices.SortFunc(list, compareEmissions)
	}
	return list
}

// empty reports whether nothing has been put since the last take.
func (in *inbox) empty() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.list) == 0
}
