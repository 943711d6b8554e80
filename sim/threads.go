package sim

import "sync"

// threads tell apart the threads of a process that has several: for which of
// them a goroutine works, and what that thread is busy with.
//
// A thread is the goroutine that calls [Process.SetTask], and works through
// those that it starts as well. The runtime tells the number of a goroutine,
// and of the one that started it, in its stack trace and nowhere else. What a
// goroutine does whose starter is not known, such as one that listens for all
// threads, is put down to the process alone.
type threads struct {
	mu    sync.Mutex
	of    map[uint64]int // the thread of a goroutine, -1 if it belongs to none
	tasks []*busy        // of each thread, in the order in which they first had a task
	seen  []*Task        // the conductor's own: what phase has been told of
	// gates are those of the threads during a pause and until all go on, in
	// addition to that of the process; nil otherwise.
	gates []*gate
}

// set says what the calling thread is busy with.
func (t *threads) set(task *Task, step int64) {
	me := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	thread, known := t.of[me]
	if !known || thread < 0 {
		thread = len(t.tasks)
		t.of[me] = thread
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

// thread is the one that the calling goroutine works for, or -1. The caller has
// the mutex.
func (t *threads) thread() int {
	me := goroutine()
	thread, known := t.of[me]
	if known {
		return thread
	}
	if thread, known = t.of[starter()]; !known {
		thread = -1
	}
	t.of[me] = thread
	return thread
}

// shut closes the gates of all threads. Those that are still shut from the pause
// before stay as they are: somebody may wait there.
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

// latest is the task of the first thread that has another than at the last
// call, or now if no thread has. It is for the conductor, when all is quiet:
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
