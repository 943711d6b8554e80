package sim

import "sync"

// threads tell apart the threads of a process that has several: for which of
// them a goroutine works, and what that thread is busy with.
//
// A thread is the goroutine that calls [Process.SetTask], with those that it
// starts. A goroutine whose starter is not known, such as one that listens for all
// threads, belongs to none.
type threads struct {
	mu    sync.Mutex
	of    map[gid]int // the thread of a goroutine, -1 if it belongs to none
	tasks []*busy     // of each thread, in the order in which they first had a task
	seen  []*Task     // of each thread, at the last call of latest; for the conductor
	// gates are those of the threads, during a pause and until all have gone on. A
	// thread that has one waits there, and not at that of the process.
	gates []*gate
}

// set says what the calling thread is busy with.
func (t *threads) set(task *Task, step int64) {
	g := me()
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

// sends is what the thread is busy with that the calling goroutine works for.
func (t *threads) sends() sent {
	t.mu.Lock()
	defer t.mu.Unlock()
	if thread := t.thread(); thread >= 0 {
		return t.tasks[thread].sends()
	}
	return sent{}
}

// Thread is the number of the thread that the calling goroutine works for, from 0 in the
// order in which they first had a task ([Process.SetTask]). It answers false if the
// goroutine belongs to none, and in a process without threads ([ProcessOptions]). Any
// goroutine of the process may ask.
func (p *Process) Thread() (n int, known bool) {
	if p.threads == nil {
		return 0, false
	}
	p.threads.mu.Lock()
	defer p.threads.mu.Unlock()
	n = p.threads.thread()
	return max(n, 0), n >= 0
}

// WorkForAll says that the calling goroutine works for no single thread of the process, nor
// do those that it starts from now on. It is for goroutines of a client library that send
// for all threads, and that whichever thread comes first has started. What they send carries
// no task, and after a pause they go on before the threads. Any goroutine of the process may
// call it; in a process without threads it does nothing.
func (p *Process) WorkForAll() {
	if p.threads == nil {
		return
	}
	g := me()
	p.threads.mu.Lock()
	defer p.threads.mu.Unlock()
	p.threads.of[g] = -1
}

// thread is the one that the calling goroutine works for, or -1. The caller has
// the mutex.
func (t *threads) thread() int {
	g := me()
	thread, known := t.of[g]
	if known {
		return thread
	}
	if thread, known = t.of[starter()]; !known {
		thread = -1
	}
	t.of[g] = thread
	return thread
}

// shut closes the gates of all threads. Those that are still shut from the pause
// before stay as they are: goroutines may wait there.
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

// open returns the gate of a thread, which is to be opened now, if there is one
// that is shut, and whether there are more.
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

// gate is the one of the thread that the calling goroutine works for, nil if there
// is none.
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

// latest is the task of the first thread whose task has changed since the last
// call, or now if none has. It is for the conductor, when all goroutines are blocked:
// which of two threads was first within a step leaves no mark.
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
