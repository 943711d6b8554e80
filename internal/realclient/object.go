package realclient

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/claim"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// This file makes a client process use the kinds of objects as the workload of a simulated run does.

// take acquires what an order requests.
func (s *serving) take(ctx context.Context, o Order) (lock.Lease, error) {
	of := s.object
	if o.Asks != nil && o.Asks.Owner != "" {
		ctx = lock.WithOwner(ctx, o.Asks.Owner)
	}
	if rw, is := of.(lock.RWLocker); is {
		of = rw.Reader()
		if o.Asks.Op == model.AcquireWrite {
			of = rw.Writer()
		}
	}
	if trier, can := of.(lock.TryLocker); o.Try && can {
		return trier.TryAcquire(ctx)
	}
	if semaphore, is := of.(lock.Semaphore); is {
		return semaphore.AcquireN(ctx, max(int(o.Asks.N), 1))
	}
	return of.(lock.Locker).Acquire(ctx)
}

// ended returns the lease that an order releases. Every second named permit is released by its name.
func (s *serving) ended(t *thread, o Order) lock.Lease {
	h := t.holds[o.Hold]
	if named, is := s.object.(lock.PermitSemaphore); is && t.acquired%2 == 0 {
		if i, has := h.Lease.(lock.Identified); has {
			return byName{named, i.ID()}
		}
	}
	return h.Lease
}

// byName is a permit of which only the name is known.
type byName struct {
	of lock.PermitSemaphore
	id string
}

// Release releases the permit.
func (l byName) Release(ctx context.Context) error { return l.of.ReleaseID(ctx, l.id) }

// prepare repeats the set-up of an object that needs one until it is known to have succeeded.
func (s *serving) prepare(ctx context.Context) error {
	for {
		var err error
		switch of := s.object.(type) {
		case lock.Latch:
			_, err = of.TrySet(ctx, int(s.spec.Count))
		case lock.Filler:
			items := int64(0)
			for _, n := range s.spec.Stock {
				items += n
			}
			_, err = of.Fill(ctx, int(items))
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		rest(ctx, s.packing/2)
	}
}

// ask makes a call that belongs to no hold.
func (s *serving) ask(ctx context.Context, o Order, r *Report) {
	var err error
	switch of := s.object.(type) {
	case lock.Latch:
		switch o.Asks.Op {
		case model.CountDown:
			err = of.CountDown(lock.WithOwner(ctx, fmt.Sprintf("%s/%d", s.name, o.Thread)))
		case model.Await:
			err = of.Wait(ctx)
		default:
			err = r.count(of.Count(ctx))
		}
	case lock.Barrier:
		r.Value, err = of.Await(ctx)
		r.Valued = err == nil
	case lock.Stock:
		if o.Asks.Op != model.Take {
			err = r.count(of.Left(ctx))
			break
		}
		err = of.Sell(ctx, int(o.Asks.N), func(ctx context.Context) error {
			rest(ctx, s.packing)
			return ctx.Err()
		})
	default:
		err = fmt.Errorf("%T has no %s", of, o.Asks.Op)
	}
	r.Result, r.Refused = claim.Called(err)
	r.failed(err)
}

// count records a number in an answer.
func (r *Report) count(n int, err error) error {
	r.Valued, r.Value = err == nil, int64(n)
	return err
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
