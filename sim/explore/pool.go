package explore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/sim"
)

// pool runs requests in worker processes and passes their results on in the order
// of the requests, so a search does not depend on the number of workers.
type pool struct {
	worker Worker
	jobs   int
	// impatient is [Search.Impatient].
	impatient bool
	// each is called for every result, and finished after the last one of a
	// request; either ends the run by returning false. Both are called by the
	// goroutine that runs the pool.
	each     func(request int, r Result) bool
	finished func(request int) bool
	// heard, if not nil, is called for each result when it arrives, in any order, by
	// several goroutines.
	heard func(Result)
	// late, if not nil, reports whether the time is over. The pool then passes on the results
	// that have arrived, and no more. It is called by several goroutines.
	late func() bool
	// cut is set at the end if late left out results.
	cut bool
}

// answer is a result of a request, or the end of its results.
type answer struct {
	request int
	result  Result
	end     bool
	cut     bool // it ended late
	err     error
}

// run makes n requests. Request is called by several goroutines.
func (p *pool) run(ctx context.Context, n int, request func(int) Request) error {
	ctx, stop := context.WithCancel(ctx)
	ahead := 256
	if p.worker.Here != nil {
		ahead = 0 // runs made ahead would delay those that confirm findings
	}
	answer := make(chan answer, ahead)
	var next atomic.Int64
	var hands sync.WaitGroup
	for range min(max(p.jobs, 1), n) {
		hands.Go(func() { p.work(ctx, n, request, &next, answer) })
	}
	go func() { hands.Wait(); close(answer) }()
	defer func() {
		stop()
		for range answer { // until all workers have stopped
		}
	}()
	return p.inOrder(ctx, answer)
}

// work makes requests with one worker, one after the other.
func (p *pool) work(ctx context.Context, all int, request func(int) Request, next *atomic.Int64, out chan<- answer) {
	h := Hand{Worker: p.worker}
	defer h.Close()
	for {
		n := int(next.Add(1)) - 1
		if n >= all || ctx.Err() != nil {
			return
		}
		if p.isLate() {
			out <- answer{request: n, end: true, cut: true}
			return
		}
		q, cut := request(n), false
		err := h.runAll(ctx, q, p.impatient, func(r Result) (more bool) {
			if p.heard != nil {
				p.heard(r)
			}
			out <- answer{request: n, result: r}
			cut = r.Schedule < q.First+q.Count-1 && p.isLate()
			return !cut
		})
		out <- answer{request: n, end: true, cut: cut, err: err}
	}
}

func (p *pool) isLate() bool { return p.late != nil && p.late() }

// inOrder passes the answers on in the order of requests, and holds early ones back.
func (p *pool) inOrder(ctx context.Context, in <-chan answer) error {
	early := map[int][]answer{}
	head := 0
	for s := range in {
		if s.request != head {
			early[s.request] = append(early[s.request], s)
			continue
		}
		for list := []answer{s}; len(list) > 0; {
			s, list = list[0], list[1:]
			switch {
			case s.err != nil:
				return s.err
			case !s.end && !p.each(s.request, s.result):
				return nil
			case s.cut:
				p.cut = true
				return nil
			case s.end:
				if !p.finished(s.request) {
					return nil
				}
				head++
				list = early[head]
				delete(early, head)
			}
		}
	}
	return ctx.Err()
}

// runAll makes all runs of a request, even if workers die: it reports a schedule that
// killed a worker as trouble, and goes on after it with another worker. Since a kill
// from outside is not the schedule's fault, it first tries the schedule again; if the
// worker survives, the schedule is run like any other. It ends when each returns false.
func (h *Hand) runAll(ctx context.Context, q Request, impatient bool, each func(Result) bool) error {
	end, retried, more := q.First+q.Count, -1, true
	seen := troubleCount{impatient: impatient}
	report := func(r Result) {
		q.First = r.Schedule + 1
		q.Count = end - q.First
		if r.Trouble != nil {
			q.Skip = append(q.Skip, r.Schedule)
			seen.add(r.Trouble)
		}
		more = each(r)
	}
	for more && !seen.over() {
		before := seen
		err := h.Do(ctx, q, func(r Result) bool {
			report(r)
			return more && !seen.over()
		})
		var trouble *Trouble
		switch {
		case errors.As(err, &trouble):
			// The schedule that killed it is the one after the last answer.
			trouble.Schedule = q.First
			tape, again := h.rerunLoudly(ctx, q)
			trouble.Tape = tape
			if !again && trouble.Kind == Crashed && retried != q.First {
				retried = q.First
				continue
			}
			if !again && trouble.Cause != RealNetwork { // a socket that one run opens can kill a later run
				trouble.Kind = Inconclusive
				trouble.Reason += "; it did not happen when the schedule was run again"
			}
			report(Result{Schedule: q.First, Trouble: trouble})
		case err != nil:
			return err
		case seen == before:
			return nil
		}
		if q.Tree == nil && q.Count <= 0 {
			return nil
		}
	}
	return nil
}

// rerunLoudly runs the schedule that killed a worker again, in a worker that reports
// each choice at once: the choices until its death are the tape. Again is set if this
// worker died, too.
func (h *Hand) rerunLoudly(ctx context.Context, q Request) (tape []sim.Choice, again bool) {
	tape, err := h.loudTape(ctx, q)
	var trouble *Trouble
	return tape, errors.As(err, &trouble)
}

// loudTape returns the tape of the request's first schedule, from a worker that reports
// each choice at once. It returns a tape even if the worker dies.
func (h *Hand) loudTape(ctx context.Context, q Request) (tape []sim.Choice, err error) {
	q.Loud = true
	if q.Tree == nil {
		q.Count = 1
	}
	err = h.Do(ctx, q, func(r Result) bool {
		if r.Taken != nil && r.Schedule == q.First {
			tape = append(tape, *r.Taken)
		}
		return r.Taken != nil
	})
	return tape, err
}
