package explore

import (
	"context"
	"errors"
	"iter"
)

// ahead makes a sequence of runs, each by its own request, and uses free workers to
// make later ones early. Its caller reads the results in order and may stop at any of
// them. Later runs are then discarded, so the result does not depend on the number of
// workers.
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

// close ends the workers and their runs.
func (a *ahead) close() {
	a.stop()
	for range cap(a.idle) {
		(<-a.idle).Close()
	}
}

// ran is the outcome of a request. The result is nil if the run has none; the error is
// about the worker or the context.
type ran struct {
	result *Result
	err    error
}

// judged reports whether the run finished and was judged.
func (r ran) judged() bool { return r.err == nil && r.result != nil && r.result.Trouble.judged() }

// events returns the run's cost in a budget.
func (r ran) events() int64 {
	if !r.judged() {
		return unfinishedCost
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

// inOrder makes the runs and calls each with their outcomes, in order, until it
// returns false or there are no more. It calls each on the goroutine of its caller.
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
			r.result = nil // the run killed the worker
		}
		out <- r
	}()
	return out
}
