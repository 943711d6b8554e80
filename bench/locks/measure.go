package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// How long a contender holds the lock: less than the pauses of contenders that poll,
// and about as long as one or two of them. Then it leaves the lock alone for up to
// twice as long.
const short, long = time.Millisecond, 20 * time.Millisecond

// result has the figures of a subject, round by round.
type result struct {
	subject subject
	// alone is measured with one thread that has the lock for itself, short and long
	// with all contenders, with short and with long holds.
	alone, short, long figures
}

// figures are the measurements of one kind.
type figures struct {
	rates   []float64       // pairs of an acquisition and a release in a second
	waits   []time.Duration // how long each acquisition took
	traffic traffic
	cpu     usage
}

// usage is processor time.
type usage struct{ client, server time.Duration }

func (f *figures) per(n int) float64 { return float64(n) / float64(max(len(f.waits), 1)) }

// crowd measures a subject once, with all contenders.
func (s *stand) crowd(ctx context.Context, r *result, period time.Duration) error {
	err := s.count(ctx, &r.short, func(ctx context.Context) ([]time.Duration, time.Duration, error) {
		return s.contended(ctx, period, short)
	})
	if err != nil {
		return err
	}
	return s.count(ctx, &r.long, func(ctx context.Context) ([]time.Duration, time.Duration, error) {
		return s.contended(ctx, 2*period, long)
	})
}

// alone measures a subject once, with one thread.
func (s *stand) alone(ctx context.Context, r *result, period time.Duration) error {
	return s.count(ctx, &r.alone, func(ctx context.Context) ([]time.Duration, time.Duration, error) {
		return s.byItself(ctx, period)
	})
}

// byItself has one thread acquire and release.
func (s *stand) byItself(ctx context.Context, period time.Duration) (waits []time.Duration, took time.Duration, err error) {
	start := time.Now()
	for asked := start; took < period; asked = start.Add(took) {
		release, err := s.single(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("acquire: %w", err)
		}
		waits = append(waits, time.Since(asked))
		if err := release(ctx); err != nil {
			return nil, 0, fmt.Errorf("release: %w", err)
		}
		took = time.Since(start)
	}
	return waits, took, nil
}

// contended has all threads of all processes acquire, hold, release and leave the
// lock. It returns how long each acquisition waited.
func (s *stand) contended(ctx context.Context, period, hold time.Duration) (waits []time.Duration, took time.Duration, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var done sync.WaitGroup
	lists := make([][]time.Duration, processes*threads)
	start := time.Now()
	for i := range lists {
		done.Go(func() {
			for time.Since(start) < period && ctx.Err() == nil {
				asked := time.Now()
				release, err := s.lockers[i/threads](ctx)
				if err != nil {
					cancel(fmt.Errorf("acquire: %w", err))
					return
				}
				lists[i] = append(lists[i], time.Since(asked))
				time.Sleep(hold)
				if err := release(ctx); err != nil {
					cancel(fmt.Errorf("release: %w", err))
				}
				time.Sleep(rand.N(2 * hold))
			}
		})
	}
	done.Wait()
	return slices.Concat(lists...), time.Since(start), context.Cause(ctx)
}

// better is the library with the greater median.
func better(results []*result, of func(*result) *figures) (best *result) {
	for _, r := range results {
		if r.subject.foreign && (best == nil || median(of(r).rates) > median(of(best).rates)) {
			best = r
		}
	}
	return best
}

// ratio is the median of a subject's rates to those of the better library that
// were measured just before or after. (Choosing the better library in each round
// would choose the one that other load disturbed less.)
func ratio(results []*result, r *result, of func(*result) *figures) float64 {
	other := of(better(results, of)).rates
	var list []float64
	for i, rate := range of(r).rates {
		list = append(list, rate/other[i])
	}
	return median(list)
}

// median of a list that is not empty.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// quantile is the least duration that at least the part q of the list does not
// exceed.
func quantile(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[min(int(q*float64(len(list))), len(list)-1)]
}
