package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Thread is one thread of a client process, in a simulated world or in the real one.
// Only the thread's own goroutine may call its methods.
type Thread struct {
	// Process and Number count from 0.
	Process, Number int
	// Rand is the thread's own source of random numbers.
	Rand *rand.Rand

	ctx     context.Context
	run     run
	process *sim.Process     // nil in the real world
	rec     *record.Recorder // with process
}

// run is the shared state of a run's threads.
type run struct {
	start  time.Time
	clock  func() time.Time
	sample *Sample
	mu     *sync.Mutex // of the sample
}

// Context returns a context that ends with the run.
func (t *Thread) Context() context.Context { return t.ctx }

// Over reports whether the run is over.
func (t *Thread) Over() bool { return t.ctx.Err() != nil }

// Now returns the time since the start of the run.
func (t *Thread) Now() time.Duration { return t.run.clock().Sub(t.run.start) }

// Sleep sleeps for d.
func (t *Thread) Sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	if t.process != nil {
		// Steps that threads begin at the same time have different names.
		t.process.Step("work, thread "+strconv.Itoa(t.Number), d)
		return
	}
	select {
	case <-time.After(d):
	case <-t.ctx.Done():
	}
}

// SleepUntil sleeps until d after the start of the run.
func (t *Thread) SleepUntil(d time.Duration) { t.Sleep(d - t.Now()) }

// Hold is a lock that the thread has.
type Hold struct {
	Lease lock.Lease
	try   Try
	call  *record.Call
}

// Acquire calls the locker's Acquire and records its result. It returns nil without the lock. Waiting is the maximum
// duration, 0 for no limit; a locker with a limit of its own needs none.
func (t *Thread) Acquire(l lock.Locker, waiting time.Duration) *Hold {
	ctx, cancel := t.ctx, func() {}
	if waiting > 0 {
		ctx, cancel = t.timeout(waiting)
	}
	defer cancel()
	call := t.begin(model.Acquire, nil)
	try := Try{Process: t.Process, Thread: t.Number, Call: t.Now()}
	lease, err := l.Acquire(ctx)
	try.Return = t.Now()
	switch {
	case err == nil:
		try.Result = Acquired
	case errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, context.DeadlineExceeded):
		try.Result = TimedOut
	default:
		try.Result = Failed
	}
	t.end(call, err)
	switch {
	case err == nil:
		return &Hold{Lease: lease, try: try, call: call}
	case t.Over() && t.process != nil: // [waiting] reports it
	case t.Over():
		t.note(func(s *Sample) { s.Waiting = append(s.Waiting, try.Wait()) })
	default:
		t.noteTry(try, try.Return)
	}
	return nil
}

// Release calls the Release of a lease and records its result.
func (t *Thread) Release(h *Hold) error {
	call := t.begin(model.Release, h.call)
	h.try.Release = t.Now()
	h.try.Lost = lost(h.Lease)
	err := h.Lease.Release(t.ctx)
	h.try.Released = t.Now()
	h.try.Lost = h.try.Lost || errors.Is(err, lock.ErrNotHeld)
	t.end(call, err)
	t.noteTry(h.try, h.try.Released)
	return err
}

// lost reports whether a lease has signalled its loss.
func lost(l lock.Lease) bool {
	n, tells := l.(lock.Notifier)
	if !tells {
		return false
	}
	select {
	case <-n.Lost():
		return true
	default:
		return false
	}
}

// noteTry records a try that has ended, unless it ended before counting began.
func (t *Thread) noteTry(try Try, ended time.Duration) {
	t.note(func(s *Sample) {
		if ended >= s.From {
			s.Tries = append(s.Tries, try)
		}
	})
}

// Task calls do and records it as one task, due at the given time. do may add to the record.
func (t *Thread) Task(due time.Duration, do func(k *Task) error) {
	k := Task{Due: due}
	err := do(&k)
	if t.Over() {
		return
	}
	k.Return, k.Failed = t.Now(), err != nil
	t.note(func(s *Sample) { s.Tasks = append(s.Tasks, k) })
}

// Set sets a figure in [Sample].Counts. A later call with the same name replaces it.
func (t *Thread) Set(what string, figure float64) {
	t.note(func(s *Sample) { s.Counts[what] = figure })
}

// Do calls f, which may use state that threads share, also across processes. In a simulated run the order of such calls
// does not depend on Go's scheduler; f must not block.
func (t *Thread) Do(f func()) {
	if t.process != nil {
		t.process.Mark(t.Number, "notes", func(sim.Event) { f() })
		return
	}
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	f()
}

// note changes the sample.
func (t *Thread) note(change func(*Sample)) { t.Do(func() { change(t.run.sample) }) }

// timeout returns a context that ends after d of the thread's time.
func (t *Thread) timeout(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.ctx, d)
}

func (t *Thread) begin(kind model.OpKind, acquired *record.Call) *record.Call {
	if t.rec == nil {
		return nil
	}
	return t.rec.Begin(t.process, t.Number, kind, acquired, 0)
}

func (t *Thread) end(call *record.Call, err error) {
	switch {
	case call == nil:
	case err == nil:
		call.End(model.OK, nil, nil)
	case errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrNotHeld):
		call.End(model.Failed, err, nil)
	default:
		call.End(model.Unknown, err, nil)
	}
}

// Locker constructs the lock for a client process and returns it. It panics if the lock is
// not a mutex.
func Locker(l cell.Lock, c *cell.Client) lock.Locker {
	object := l.Construct(c)
	locker, ok := object.(lock.Locker)
	if !ok {
		panic(fmt.Sprintf("lab: the lock %s is no mutex, but a %T", l.ID, object))
	}
	return locker
}
