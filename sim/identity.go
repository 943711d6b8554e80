package sim

import (
	"sync"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/sim/internal/callpath"
	"github.com/lockpick-dev/lockpick/sim/internal/digest"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// goroutineSet identifies the goroutines of a process. It has the task that each works
// for, and the gates at which they wait while the process is paused. The runtime
// numbers goroutines differently in each run, and lets them run in any order, so a run
// must depend on neither. Goroutines are distinguished by what started them and by
// their last failure ([goroutineSet.caller]).
type goroutineSet struct {
	process *Process
	// The current tasks. If the process has one thread, threads is nil, and busy has
	// its task.
	busy    busy
	threads *threads
	// gate is that of the present or the latest pause.
	gate atomic.Pointer[gate]
	// lines are the turns that were asked for in the present step. Only the conductor
	// uses them.
	lines []line
	// users has the number of the goroutine that uses a resource alone, or severalUsers: see
	// [Process.AwaitTurnFor]. Goroutines read it, and the conductor changes it.
	users sync.Map
	// starter is the goroutine of the first workload.
	starter atomic.Uint64
}

// severalUsers is not the number of a goroutine.
const severalUsers gid = 0

// newGoroutines returns the set of a new process, whose gate is open.
func newGoroutines(p *Process, o ProcessOptions) goroutines {
	s := &goroutineSet{process: p}
	if o.Threads {
		s.threads = &threads{of: map[gid]int{}}
	}
	open := newGate()
	close(open.open)
	s.gate.Store(open)
	if p.world.settingUp {
		goruntime.Own(p.name, p) // objects constructed before the next process is made belong to this one
	}
	return s
}

// routines returns the goroutines of the process.
func (p *Process) routines() *goroutineSet { return p.goroutines.(*goroutineSet) }

// forgetGoroutines clears the state of the run before. It is called before each run.
func forgetGoroutines() {
	lastFailed.Clear()
	turnCounts.Clear()
	startedBy.Clear()
}

// startedBy maps the number of a goroutine to the number of the event that started its
// workload or its timer's function, which distinguishes it from others of its process.
// A goroutine that another started has the number of that one. There is one run at a
// time, and the map is cleared before each.
var startedBy sync.Map

// begin notes which event has started the calling goroutine.
func (s *goroutineSet) begin(event int64) {
	g := thisGoroutine()
	startedBy.Store(g, event)
	goruntime.Own(s.process.name, s.process)
	s.starter.CompareAndSwap(0, uint64(g))
}

// first returns the goroutine of the first workload, 0 if none has started.
func (s *goroutineSet) first() gid { return gid(s.starter.Load()) }

// caller distinguishes the calling goroutine from others that do the same in one step, such
// as set a timer for the same duration. Emissions are sorted by it, and not by the order in
// which the scheduler let the goroutines run. Goroutines of one starter whose last failure
// was on the same connection, or that never failed, have the same number.
func (s *goroutineSet) caller() int64 {
	g := thisGoroutine()
	name, known := startedBy.Load(g)
	if !known {
		if name, known = startedBy.Load(parentGoroutine()); !known {
			name = int64(0)
		}
		startedBy.Store(g, name)
	}
	n := name.(int64)
	if on := FailedOn(); on != 0 {
		n = int64(digest.Uint(digest.Uint(digest.Offset, uint64(n)), uint64(on)) >> 1)
	}
	return n
}

// callPath distinguishes goroutines of one starter by the lines of code that each is at. A
// watchdog and a caller that waits may use their pool of connections at the same instant;
// when its server refuses, a pool may dial for a caller and probe the server in the
// background.
func callPath() int64 { return callpath.Here() }

// OnceForEachStack returns a function that returns ask's result for the stack of the calling
// goroutine, from its caller on, as [runtime.Callers] finds it. It calls ask once for each
// distinct stack, since a program has few and reading one takes as long as serving a request. Ask
// must not keep the stack. The function is safe for concurrent use.
func OnceForEachStack[T any](ask func(stack []uintptr) T) func() T { return callpath.Of(ask).Here }

// lastFailed maps the number of a goroutine to its last failure ([FailedOn]). It is
// cleared before each run.
var lastFailed sync.Map

// FailedOn identifies the last failure of the calling goroutine: a number, unique in
// the run, of the connection, or of the address that it could not reach; 0 if it has
// never failed. It distinguishes goroutines that are otherwise alike, such as two that
// use one client and go on at the same instant after a pause. A shared source of random
// numbers can then give each its own numbers, whatever the order in which they draw.
// See [Seeders].
func FailedOn() int64 {
	if n, ok := lastFailed.Load(thisGoroutine()); ok {
		return n.(int64)
	}
	return 0
}

// noteFailure sets the last failure of the calling goroutine.
func noteFailure(number int64) {
	lastFailed.Store(thisGoroutine(), number)
}

// keyOf distinguishes goroutines of a process by a text, such as the address that they
// dial, and by their last failure, 0 for none.
func keyOf(about string, failedOn int64) int64 {
	h := digest.String(digest.Offset, about)
	if failedOn != 0 {
		h = digest.Uint(h, uint64(failedOn))
	}
	return int64(h >> 1)
}

// SetTask sets the task of the process; nil means none. Any goroutine of the
// process may call it. In a process of several threads it sets the task of the
// thread that the goroutine belongs to.
//
// A request of the calling goroutine carries the task at that moment. Requests of
// others in the step in which the task changes carry the last task of that step or, if
// that is nil, the one that has just ended: which of these goroutines runs first
// depends on the scheduler.
func (p *Process) SetTask(t *Task) {
	s := p.routines()
	if t != nil && p.world.config.Record {
		t.code = callpath.CodeOf(p.world.stackHere()).Inner
	}
	if s.threads != nil {
		s.threads.set(t, p.world.steps.Load())
		return
	}
	s.busy.set(t, p.world.steps.Load())
}

// sender returns the calling goroutine as a sender. It is for a goroutine that is about
// to send something.
func (p *Process) sender() sender {
	s := p.routines()
	if s.threads != nil {
		return s.threads.sender()
	}
	return s.busy.sender()
}

// senderForOthers is sender for a goroutine of a client library's own, which sends for others.
func (p *Process) senderForOthers() sender {
	s := p.routines()
	if s.threads != nil {
		return s.threads.sender()
	}
	return sender{b: &s.busy, task: s.busy.now()}
}

// taskOf returns the task of data that was sent in this step. It is for the conductor.
func (p *Process) taskOf(s sender) *Task { return s.in(p.world.steps.Load()) }

// task returns the current task of the process. In a process of several threads it is the
// task of the first thread whose task has changed since the last call, which returned
// before.
func (s *goroutineSet) task(before *Task) *Task {
	if s.threads != nil {
		return s.threads.latest(before)
	}
	return s.busy.now()
}

// busy has the current task of a thread, and its last one in the present step: see
// [Process.SetTask].
type busy struct {
	mu   sync.Mutex
	task *Task // that was set last
	by   gid   // the goroutine that set it
	step int64 // in which it was set
	last *Task // the last one that is not nil, in that step or just before it
}

// set sets the task of the thread from now on.
func (b *busy) set(t *Task, step int64) {
	by := thisGoroutine()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.step != step {
		b.step, b.last = step, b.task
	}
	if t != nil {
		b.last = t
	}
	b.task, b.by = t, by
}

// now returns the task of the thread.
func (b *busy) now() *Task {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.task
}

// sender identifies the thread whose goroutine sent something, to find the task that it
// was sent for.
type sender struct {
	b    *busy // nil if the thread is not known
	task *Task
	own  bool // it was sent by the goroutine that set the task
	// stack is that of the goroutine that sends, in a recorded run.
	stack []uintptr
}

// sender returns the calling goroutine, which sends, as a sender.
func (b *busy) sender() sender {
	b.mu.Lock()
	task, by := b.task, b.by
	b.mu.Unlock()
	return sender{b: b, task: task, own: by == thisGoroutine()}
}

// owner returns the goroutine that set the task.
func (b *busy) owner() gid {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.by
}

// in returns the task for data that was sent in the step. It is for the conductor, at
// the end of the step, when all goroutines are blocked.
func (s sender) in(step int64) *Task {
	if s.b == nil || s.own {
		return s.task
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.b.step == step {
		return s.b.last
	}
	return s.task
}

// threads has the threads of a process that has several: for which of them each
// goroutine works, and the task of each.
//
// A thread is a goroutine that calls [Process.SetTask], with the goroutines that it
// starts. A goroutine whose starter is not known, such as one that listens for all
// threads, belongs to none.
type threads struct {
	mu    sync.Mutex
	of    map[gid]int // the thread of a goroutine, -1 if it belongs to none
	tasks []*busy     // of each thread, in the order in which they first had a task
	seen  []*Task     // of each thread, at the last call of latest; for the conductor
	// gates are the gates of the threads, during a pause and until all threads have
	// gone on. A thread that has one waits there instead of at the process's gate.
	gates []*gate
}

// set sets the task of the calling thread.
func (t *threads) set(task *Task, step int64) {
	g := thisGoroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	thread, known := t.of[g]
	if !known || thread < 0 {
		thread = len(t.tasks)
		t.of[g] = thread
		t.tasks = append(t.tasks, new(busy))
	}
	t.tasks[thread].set(task, step)
}

// sender returns the calling goroutine as a sender of the thread that it works for.
func (t *threads) sender() sender {
	t.mu.Lock()
	defer t.mu.Unlock()
	if thread := t.thread(); thread >= 0 {
		return t.tasks[thread].sender()
	}
	return sender{}
}

// Thread returns the number of the thread that the calling goroutine works for, from 0
// in the order in which the threads first had a task ([Process.SetTask]). Known is
// false if the goroutine belongs to none, and in a process without threads
// ([ProcessOptions]). Any goroutine of the process may call it.
func (p *Process) Thread() (n int, known bool) {
	t := p.routines().threads
	if t == nil {
		return 0, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n = t.thread()
	return max(n, 0), n >= 0
}

// WorkForAll declares that the calling goroutine, and those that it starts from now on,
// work for no single thread of the process. Client libraries have such goroutines: they
// send for all threads, and are started by whichever thread was first. Their requests
// carry no task, and after a pause they go on before the threads. Any goroutine of the
// process may call it; in a process without threads it does nothing.
func (p *Process) WorkForAll() {
	t := p.routines().threads
	if t == nil {
		return
	}
	g := thisGoroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[g] = -1
}

// thread returns the number of the thread that the calling goroutine works for, or -1.
// The caller holds the mutex.
func (t *threads) thread() int {
	g := thisGoroutine()
	thread, known := t.of[g]
	if known {
		return thread
	}
	if thread, known = t.of[parentGoroutine()]; !known {
		thread = -1
	}
	t.of[g] = thread
	return thread
}

// shut closes the gates of all threads. A gate that is still shut from the pause before
// stays: goroutines may wait there.
func (t *threads) shut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.tasks {
		switch {
		case i == len(t.gates):
			t.gates = append(t.gates, newGate())
		case t.gates[i].isOpen():
			t.gates[i] = newGate()
		}
	}
}

// open returns the gate to open now for a thread, nil if it has no shut one, and
// whether there are more.
func (t *threads) open(thread int) (g *gate, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if thread < len(t.gates) && !t.gates[thread].isOpen() {
		g = t.gates[thread]
	}
	if thread+1 < len(t.gates) {
		return g, true
	}
	t.gates = nil
	return g, false
}

// gate returns the gate of the thread that the calling goroutine works for, or nil.
func (t *threads) gate() *gate {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gates != nil {
		if thread := t.thread(); thread >= 0 && thread < len(t.gates) {
			return t.gates[thread]
		}
	}
	return nil
}

// latest returns the task of the first thread whose task has changed since the last
// call, or now if none has. It is for the conductor, when all goroutines are blocked,
// so the result does not depend on the order of threads within a step.
func (t *threads) latest(now *Task) *Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := false
	for i, b := range t.tasks {
		if i == len(t.seen) {
			t.seen = append(t.seen, nil)
		}
		task := b.now()
		if t.seen[i] != task && !found {
			now, found = task, true
		}
		t.seen[i] = task
	}
	return now
}

// gid is the number of a goroutine, unique in the process.
type gid uint64

// thisGoroutine returns the number of the calling goroutine.
func thisGoroutine() gid { return gid(goruntime.Number()) }

// parentGoroutine returns the number of the goroutine that has started the calling one, 0 if the runtime does
// not know.
func parentGoroutine() gid { return gid(goruntime.Parent()) }
