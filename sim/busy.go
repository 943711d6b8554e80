package sim

import "sync"

// busy is what a thread is busy with, and was in the present step: see
// [Process.SetTask].
type busy struct {
	mu   sync.Mutex
	task *Task  // what it has said last
	by   uint64 // the goroutine that has said so
	step int64  // when that was
	last *Task  // the last that is not nil, in that step or just before it
}

// set says what the thread is busy with from now on.
func (b *busy) set(t *Task, step int64) {
	me := goroutine()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.step != step {
		b.step, b.last = step, b.task
	}
	if t != nil {
		b.last = t
	}
	b.task, b.by = t, me
}

// now is what the thread is busy with.
func (b *busy) now() *Task {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.task
}

// sent is what the thread was busy with when one of its goroutines sent something.
type sent struct {
	b    *busy // nil if the thread is not known
	task *Task
	own  bool // it was the thread's own goroutine, that has said what it is busy with
}

// sends is for the goroutine that sends.
func (b *busy) sends() sent {
	me := goroutine()
	b.mu.Lock()
	defer b.mu.Unlock()
	return sent{b, b.task, b.by == me}
}

// in is the task that it goes with. It is for the conductor, in the step in which
// it was sent, when all is quiet.
func (s sent) in(step int64) *Task {
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
