package testlocks

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/model"
)

// The families are objects of other kinds than a mutex, each with one flaw.
var families = []cell.Lock{
	{ID: "test-readwrite-blind", Summary: "lets readers in without a look at the writer", Subject: cell.ReadWrite(blindReaders)},
	{ID: "test-semaphore-twostep", Summary: "looks how many permits are free, and then takes them", Subject: cell.Semaphore(2, twoStepSemaphore)},
	{ID: "test-permits-twostep", Summary: "looks how many permits are free, and then takes one for a while", Subject: cell.PermitSemaphore(0, twoStepPermits)},
	{ID: "test-latch-counts-twice", Summary: "counts again when the answer was lost", Subject: cell.Latch(twiceLatch)},
	{ID: "test-latch-forgets", Summary: "wakes its waiters once, and not those that missed the message", Subject: cell.Latch(deafLatch)},
	{ID: "test-barrier-counts-twice", Summary: "counts again when the answer was lost", Subject: cell.Barrier(twiceBarrier)},
	{ID: "test-stock-twostep", Summary: "reads how many there are, and writes how many are left", Subject: cell.Stock(8, twoStepStock)},
	{ID: "test-stock-strands", Summary: "is sold out when no segment has enough", Subject: cell.Stock(8, strandingStock)},
	{ID: "test-fair-pushes-in", Summary: "queues its waiters, and grants the lock to any client that asks", Reading: cell.Reading{Ownership: model.HashOwnership{Key: "lock"}, Queue: "{lock}:queue"}, Subject: cell.Mutex(leaseWith(vices{kept: pushingIn}))},
	{ID: "test-reentrant-once", Summary: "is free after the first of several releases", Reading: cell.Reading{Ownership: model.HashOwnership{}}, Subject: cell.Reentrant(onceReentrant)},
}

// rw is a read-write lock of two lockers.
type rw struct{ reader, writer lock.Locker }

func (l rw) Reader() lock.Locker { return l.reader }
func (l rw) Writer() lock.Locker { return l.writer }

// blindReaders breaks mutual exclusion: its writers exclude each other, and its
// readers nobody.
func blindReaders(c *cell.Client) lock.RWLocker {
	client := connect(c)
	o := redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
	nothing := func(ctx context.Context) error { return client.Exists(ctx, c.LockName()).Err() }
	return rw{reader: &locker{acquire: nothing, release: nothing}, writer: redislocks.NewReentrant(client, c.LockName(), o)}
}

// twoStep is a semaphore that reads how many permits are taken, and then takes
// some.
type twoStep struct {
	c      *cell.Client
	client *redis.Client
}

func twoStepSemaphore(c *cell.Client) lock.Semaphore { return twoStep{c, connect(c)} }

func (s twoStep) Acquire(ctx context.Context) (lock.Lease, error) { return s.AcquireN(ctx, 1) }

func (s twoStep) AcquireN(ctx context.Context, n int) (lock.Lease, error) {
	for ctx.Err() == nil {
		free, err := s.Available(ctx)
		if err != nil {
			return nil, err
		}
		if free >= n {
			return lease{release: func(ctx context.Context) error {
				return s.client.DecrBy(ctx, s.c.LockName(), int64(n)).Err()
			}}, s.client.IncrBy(ctx, s.c.LockName(), int64(n)).Err()
		}
		s.c.Clock().Sleep(steady())
	}
	return nil, ctx.Err()
}

func (s twoStep) Available(ctx context.Context) (int, error) {
	taken, err := s.client.IncrBy(ctx, s.c.LockName(), 0).Result()
	return int(s.c.Spec().Permits - taken), err
}

// leasedPermits is a semaphore of permits that end, with the same two steps.
type leasedPermits struct {
	c      *cell.Client
	client *redis.Client
}

func twoStepPermits(c *cell.Client) lock.PermitSemaphore { return leasedPermits{c, connect(c)} }

func (s leasedPermits) Acquire(ctx context.Context) (lock.Lease, error) { return s.AcquireN(ctx, 1) }

func (s leasedPermits) AcquireN(ctx context.Context, _ int) (lock.Lease, error) {
	for ctx.Err() == nil {
		free, err := s.Available(ctx)
		if err != nil {
			return nil, err
		}
		if free > 0 {
			now := s.c.Clock().Now()
			id := s.c.Name() + "@" + strconv.FormatInt(now.UnixNano(), 10)
			end := now.Add(s.c.TTL())
			err := s.client.ZAdd(ctx, s.c.LockName(), redis.Z{Score: float64(end.UnixMilli()), Member: id}).Err()
			return permit{s, id, end}, err
		}
		s.c.Clock().Sleep(steady())
	}
	return nil, ctx.Err()
}

func (s leasedPermits) Available(ctx context.Context) (int, error) {
	now := strconv.FormatInt(s.c.Clock().Now().UnixMilli(), 10)
	taken, err := s.client.ZCount(ctx, s.c.LockName(), now, "+inf").Result()
	return int(s.c.Spec().Permits - taken), err
}

func (s leasedPermits) ReleaseID(ctx context.Context, id string) error {
	n, err := s.client.ZRem(ctx, s.c.LockName(), id).Result()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}

type permit struct {
	of  leasedPermits
	id  string
	end time.Time
}

func (p permit) ID() string                        { return p.id }
func (p permit) Until() time.Time                  { return p.end }
func (p permit) Release(ctx context.Context) error { return p.of.ReleaseID(ctx, p.id) }
