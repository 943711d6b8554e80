package explore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/sim"
)

// pool has requests done by worker processes and hands their results on in the
// order of the requests, as if one worker had done all: what comes of a search
// does not depend on how many there are.
type pool struct {
	worker Worker
	jobs   int
	// impatient is [Search.Impatient].
	impatient bool
	// each is called for every result, and finished after the last one of a
	// request; either ends it all by answering false. Both are called by the
	// goroutine that runs the pool.
	each     func(request int, r Result) bool
	finished func(request int) bool
	// heard, if not nil, is called as results come in, in any order, from
	// several goroutines.
	heard func(Result)
}

// said is a result of a request, or that there are no more.
type said struct {
	request int
	result  Result
	end     bool
	err     error
}

// run has n requests done. Request is called by several goroutines.
func (p *pool) run(ctx context.Context, n int, request func(int) Request) error {
	ctx, stop := context.WithCancel(ctx)
	said := make(chan said, 256)
	var next atomic.Int64
	var hands sync.WaitGroup
	for range min(max(p.jobs, 1), n) {
		hands.Go(func() { p.work(ctx, n, request, &next, said) })
	}
	go func() { hands.Wait(); close(said) }()
	defer func() {
		stop()
		for range said { // until all have noticed
		}
	}()
	return p.inOrder(ctx, said)
}

// work is one worker's: request after request.
func (p *pool) work(ctx context.Context, all int, request func(int) Request, next *atomic.Int64, out chan<- said) {
	h := Hand{Worker: p.worker}
	defer h.Close()
	for {
		n := int(next.Add(1)) - 1
		if n >= all || ctx.Err() != nil {
			return
		}
		err := h.whole(ctx, request(n), p.impatient, func(r Result) {
			if p.heard != nil {
				p.heard(r)
			}
			out <- said{request: n, result: r}
		})
		out <- said{request: n, end: true, err: err}
	}
}

// inOrder hands on what was said, keeping back what comes too early.
func (p *pool) inOrder(ctx context.Context, in <-chan said) error {
	early := map[int][]said{}
	head := 0
	for s := range in {
		if s.request != head {
			early[s.request] = append(early[s.request], s)
			continue
		}
		for list := []said{s}; len(list) > 0; {
			s, list = list[0], list[1:]
			switch {
			case s.err != nil:
				return s.err
			case !s.end && !p.each(s.request, s.result):
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

// whole has a request done although workers may die of it: the schedule that
// one died of is told as trouble, and another goes on behind it. A worker that
// was killed from outside is not the schedule's fault: whether it dies of it
// again is tried first, and if it does not, the schedule is run as any other.
func (h *Hand) whole(ctx context.Context, q Request, impatient bool, each func(Result)) error {
	end, retried := q.First+q.Count, -1
	seen := endured{impatient: impatient}
	tell := func(r Result) {
		q.First = r.Schedule + 1
		q.Count = end - q.First
		if r.Trouble != nil {
			q.Skip = append(q.Skip, r.Schedule)
			seen.add(r.Trouble)
		}
		each(r)
	}
	for !seen.over() {
		before := seen
		err := h.Do(ctx, q, func(r Result) bool {
			tell(r)
			return !seen.over()
		})
		var trouble *Trouble
		switch {
		case errors.As(err, &trouble):
			// The schedule that killed it is the one after the last answer.
			trouble.Schedule = q.First
			tape, again := h.lastWords(ctx, q)
			trouble.Tape = tape
			if !again && trouble.Kind == Crashed && retried != q.First {
				retried = q.First
				continue
			}
			if !again && trouble.Cause != RealNetwork { // what one run opens, another dies of
				trouble.Kind = Inconclusive
				trouble.Reason += "; it did not when it was run again"
			}
			tell(Result{Schedule: q.First, Trouble: trouble})
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

// lastWords runs the schedule that a worker died of again, in another that says
// each choice at once: what it has said when it dies is the tape. Again is set
// if that one died of it, too.
func (h *Hand) lastWords(ctx context.Context, q Request) (tape []sim.Choice, again bool) {
	tape, err := h.overheard(ctx, q)
	var trouble *Trouble
	return tape, errors.As(err, &trouble)
}

// overheard is the tape of the first schedule that is asked for, of a worker
// that says each choice at once. There is one even if it dies of it.
func (h *Hand) overheard(ctx context.Context, q Request) (tape []sim.Choice, err error) {
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
