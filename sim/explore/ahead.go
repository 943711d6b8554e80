package explore

import (
	"context"
	"errors"
	"iter"
)

// ahead makes runs that are wanted one after the other, each by a request of its
// own, and makes the next ones at the same time as long as there are workers:
// whoever looks at the results in their order may end it with any of them. What
// was run ahead of that is thrown away, so that what comes of it does not depend
// on how many workers there are.
type ahead struct {
	ctx  context.Context
	stop context.CancelFunc
	idle chan *Hand
}

func newAhead(ctx context.Context, worker Worker, jobs int) *ahead {
	a := &ahead{idle: make(chan *Hand, max(jobs, 1))}
	a.ctx, a.stop = context.WithCancel(ctx)
	for range cap(a.idle) {
		a.idle <- &Hand{Worker: worker}
	}
	return a
}

// close ends the workers, and what they are still at.
func (a *ahead) close() {
	a.stop()
	for range cap(a.idle) {
		(<-a.idle).Close()
	}
}

// ran is what came of a request: no result if the run came to none. The error is
// about the worker or the context.
type ran struct {
	result *Result
	err    error
}

// judged reports whether the run came to its proper end.
func (r ran) judged() bool { return r.err == nil && r.result != nil && r.result.Trouble.judged() }

// events is what the run counts for in a budget.
func (r ran) events() int64 {
	if !r.judged() {
		return noEnd
	}
	return r.result.Events
}

// one makes a single run.
func (a *ahead) one(q Request) (r ran) {
	a.inOrder(func(yield func(Request) bool) { yield(q) }, func(_ int, got ran) bool {
		r = got
		return false
	})
	return r
}

// inOrder makes the runs and has each look at what came of them, in their order,
// until it answers false or there are no more. It calls each on the goroutine of
// its caller.
func (a *ahead) inOrder(requests iter.Seq[Request], each func(n int, r ran) (more bool)) {
	next, stop := iter.Pull(requests)
	defer stop()
	var waiting []chan ran
	for n, more := 0, true; ; n++ {
		for more && len(waiting) < cap(a.idle) {
			var q Request
			if q, more = next(); more {
				waiting = append(waiting, a.begin(q))
			}
		}
		if len(waiting) == 0 || !each(n, <-waiting[0]) {
			return
		}
		waiting = waiting[1:]
	}
}

// begin makes a run, as soon as there is a worker for it.
func (a *ahead) begin(q Request) chan ran {
	out, h := make(chan ran, 1), <-a.idle
	go func() {
		var r ran
		err := h.Do(a.ctx, q, func(got Result) bool {
			r.result = &got
			return true
		})
		a.idle <- h
		if trouble := (*Trouble)(nil); !errors.As(err, &trouble) {
			r.err = err
		} else {
			r.result = nil // the worker died of it
		}
		out <- r
	}()
	return out
}
