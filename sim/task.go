package sim

import "sync"

// A Task is the current activity of a process, usually an operation of a history.
// Requests carry the task that was current when they were written, however late
// they arrive.
type Task struct {
	// ID is for code that numbers tasks. It is set in the conductor.
	ID int
	// Name says what kind of task it is.
	Name string

	row row // of its requests
}

// SetTask sets the task of the process; nil means none. Any goroutine of the
// process may call it. In a process of several threads it sets the task of the
// thread that the goroutine belongs to.
//
// A request of the calling goroutine carries the task at that moment. Requests of
// others in the step in which the task changes carry the last task of that step or,
// if that is nil, the one that has just ended: the scheduler decides which
// goroutine runs first.
func (p *Process) SetTask(t *Task) {
	if p.threads != nil {
		p.threads.set(t, p.world.steps.Load())
		return
	}
	p.busy.set(t, p.world.steps.Load())
}

// sends is what the calling goroutine's thread is busy with. It is for a goroutine
// that is about to send something.
func (p *Process) sends() sent {
	if p.threads != nil {
		return p.threads.sends()
	}
	return p.busy.sends()
}

// sendsForOthers is sends for a goroutine of a client library's own, which sends for others.
func (p *Process) sendsForOthers() sent {
	if p.threads != nil {
		return p.threads.sends()
	}
	return sent{b: &p.busy, task: p.busy.now()}
}

// taskOf is the task that goes with what was sent in this step. It is for the
// conductor.
func (p *Process) taskOf(s sent) *Task { return s.in(p.world.steps.Load()) }

// busy is what a thread is busy with, and was in the present step: see
// [Process.SetTask].
type busy struct {
	mu   sync.Mutex
	task *Task // that was set last
	by   gid   // the goroutine that set it
	step int64 // in which it was set
	last *Task // the last one that is not nil, in that step or just before it
}

// set says what the thread is busy with from now on.
func (b *busy) set(t *Task, step int64) {
	by := me()
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
	own  bool // it was sent by the goroutine that set the task
}

// sends is for the goroutine that sends.
func (b *busy) sends() sent {
	b.mu.Lock()
	task, by := b.task, b.by
	b.mu.Unlock()
	return sent{b, task, by == me()}
}

// in is the task that it goes with, having been sent in that step. It is for the
// conductor, at the end of the step, when all goroutines are blocked.
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
