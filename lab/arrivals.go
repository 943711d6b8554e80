package lab

import (
	"iter"
	"time"
)

// Open yields the due times of tasks that arrive independently of the thread: with exponential gaps of mean every, until a
// time. Each is yielded when it is due, or as soon as the thread has finished the one before. Threads with arrivals of
// their own together have Poisson arrivals.
func (t *Thread) Open(every, until time.Duration) iter.Seq[time.Duration] {
	return func(yield func(due time.Duration) bool) {
		due := time.Duration(0)
		for !t.Over() {
			due += time.Duration(t.Rand.ExpFloat64() * float64(every)).Round(time.Microsecond)
			if due > until {
				return
			}
			t.SleepUntil(due)
			if !yield(due) {
				return
			}
		}
	}
}

// Closed is a fixed number of tasks, of which a limited number are under way at a time: so many arrive at once, and then
// one whenever another is finished. All threads of a run share it.
type Closed struct {
	// Concurrent is the number of tasks under way at a time, and Total the number of all tasks.
	Concurrent, Total int

	began bool
	left  int
	come  []time.Duration // of the tasks that no thread has begun
}

// Of yields the due times of the thread's tasks, until none is left. With fewer threads than concurrent tasks, some tasks
// wait for a thread after they are due.
func (c *Closed) Of(t *Thread) iter.Seq[time.Duration] {
	return func(yield func(due time.Duration) bool) {
		for !t.Over() {
			due, more := c.next(t)
			if !more || !yield(due) {
				return
			}
			c.done(t)
		}
	}
}

func (c *Closed) next(t *Thread) (due time.Duration, more bool) {
	t.Do(func() {
		if !c.began {
			c.began = true
			c.come = make([]time.Duration, min(c.Concurrent, c.Total))
			c.left = c.Total - len(c.come)
		}
		if more = len(c.come) > 0; more {
			due, c.come = c.come[0], c.come[1:]
		}
	})
	return due, more
}

func (c *Closed) done(t *Thread) {
	now := t.Now()
	t.Do(func() {
		if c.left > 0 {
			c.left--
			c.come = append(c.come, now)
		}
	})
}
