package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// hold is how long a contender holds the lock.
const hold = time.Millisecond

// result is what was measured of a subject, a round after the other.
type result struct {
	subject subject
	// alone and crowd are pairs of an acquisition and a release in a second:
	// of one thread that has the lock for itself, and of all contenders.
	alone, crowd []float64
	// waits is how long the contenders waited.
	waits []time.Duration
	// What the server was asked for, and for how many acquisitions.
	aloneTraffic, crowdTraffic traffic
	alonePairs, crowdPairs     int
}

// measure measures a subject once.
func (s *stand) measure(ctx context.Context, r *result, period time.Duration) error {
	t, err := s.count(ctx, func() error {
		n, took, err := s.byItself(ctx, period/2)
		r.alone = append(r.alone, float64(n)/took.Seconds())
		r.alonePairs += n
		return err
	})
	if err != nil {
		return err
	}
	r.aloneTraffic.add(t)
	t, err = s.count(ctx, func() error {
		waits, took, err := s.contended(ctx, period)
		r.crowd = append(r.crowd, float64(len(waits))/took.Seconds())
		r.waits = append(r.waits, waits...)
		r.crowdPairs += len(waits)
		return err
	})
	r.crowdTraffic.add(t)
	return err
}

func (t *traffic) add(more traffic) {
	t.requests += more.requests
	t.commands += more.commands
}

// byItself has one thread acquire and release.
func (s *stand) byItself(ctx context.Context, period time.Duration) (n int, took time.Duration, err error) {
	start := time.Now()
	for ; took < period; n++ {
		release, err := s.lockers[0](ctx)
		if err != nil {
			return 0, 0, fmt.Errorf("acquire: %w", err)
		}
		if err := release(ctx); err != nil {
			return 0, 0, fmt.Errorf("release: %w", err)
		}
		took = time.Since(start)
	}
	return n, took, nil
}

// contended has all threads of all processes acquire, hold and release, and
// answers how long each acquisition waited.
func (s *stand) contended(ctx context.Context, period time.Duration) (waits []time.Duration, took time.Duration, err error) {
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
			}
		})
	}
	done.Wait()
	return slices.Concat(lists...), time.Since(start), context.Cause(ctx)
}

// best is the better library's figure of a round.
func best(results []*result, round int, of func(*result) []float64) (most float64) {
	for _, r := range results {
		if r.subject.library {
			most = max(most, of(r)[round])
		}
	}
	return most
}

// ratio is the median of a subject's figures to those of the better library of
// the same round.
func ratio(results []*result, r *result, of func(*result) []float64) float64 {
	var list []float64
	for round, x := range of(r) {
		list = append(list, x/best(results, round, of))
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
