package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// longest is how long a worker may work on a run. A stalled run is given up long before.
const longest = 24 * time.Hour

// Spread runs all variants with seeds from first on, in jobs worker processes. Each of them gets one run after another.
// The results do not depend on jobs. Progress, if not nil, is called after each run, by one goroutine at a time. The error
// is that of the first run that fails, in the order of seeds and then of variants; it wraps an [explore.Trouble] if the
// code that ran is the cause.
func Spread(ctx context.Context, w explore.Worker, jobs int, e *Experiment, v Values, locks []cell.Lock, first uint64, seeds int, progress func(done, total int)) (Results, error) {
	variants, err := e.Variants(v, locks)
	if err != nil {
		return Results{}, err
	}
	w.Silence = longest
	s := &spread{
		Results: newResults(e, v, variants, seeds), ctx: ctx, worker: w, first: first,
		total: seeds * len(variants), progress: progress,
	}
	s.failed = s.total
	var hands sync.WaitGroup
	for range min(max(jobs, 1), s.total) {
		hands.Go(s.work)
	}
	hands.Wait()
	return s.Results, s.err
}

// spread is an experiment whose runs are being made. The mutex guards what the hands share.
type spread struct {
	Results
	ctx      context.Context
	worker   explore.Worker
	first    uint64
	total    int
	progress func(done, total int)

	mu         sync.Mutex
	next, done int
	failed     int // the number of the first run that failed
	err        error
}

// work makes runs in one worker process until there are no more, or one has failed. Runs are started in their order, and
// started runs are finished: so the first that fails is always the same one.
func (s *spread) work() {
	h := explore.Hand{Worker: s.worker}
	defer h.Close()
	for {
		n, ok := s.take()
		if !ok {
			return
		}
		seed, variant := n/len(s.Variants), n%len(s.Variants)
		sample, err := s.run(&h, variant, s.first+uint64(seed))
		s.Samples[variant][seed] = sample
		s.finished(n, err)
	}
}

// take returns the number of the next run.
func (s *spread) take() (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= s.total || s.err != nil {
		return 0, false
	}
	s.next++
	return s.next - 1, true
}

func (s *spread) finished(n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if err != nil && n < s.failed {
		s.failed, s.err = n, err
	}
	if s.progress != nil && s.err == nil {
		s.progress(s.done, s.total)
	}
}

// run makes a run in a worker.
func (s *spread) run(h *explore.Hand, variant int, seed uint64) (*lab.Sample, error) {
	job := Job{Experiment: s.Experiment.ID, Values: s.Values, Variant: variant}
	got, err := Ask(s.ctx, h, job.Request(seed))
	if err != nil {
		if s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		return nil, fmt.Errorf("%s, seed %d: %w", s.Variants[variant].Name, seed, err)
	}
	sample := &lab.Sample{}
	if err := json.Unmarshal(got.Extra, sample); err != nil {
		return nil, fmt.Errorf("%s, seed %d: the sample cannot be read: %w", s.Variants[variant].Name, seed, err)
	}
	return sample, nil
}

// Ask returns a worker's answer to a request for one run. The error is an [explore.Trouble] if the run did not end, or
// killed the worker.
func Ask(ctx context.Context, h *explore.Hand, q explore.Request) (*explore.Result, error) {
	var got *explore.Result
	err := h.Do(ctx, q, func(r explore.Result) bool {
		got = &r
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case got == nil:
		return nil, errors.New("the worker gave no result")
	case got.Trouble != nil:
		return nil, got.Trouble
	}
	return got, nil
}
