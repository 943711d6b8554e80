package user

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// readWrite is a read-write lock whose readers do not look for a writer.
type readWrite struct {
	writer *Lock
	rdb    *redis.Client
}

// newReadWrite makes it.
func newReadWrite(c *locktest.Client) lock.RWLocker {
	l := New(c)
	return readWrite{l, l.rdb}
}

// Reader is a lock that is always free.
func (l readWrite) Reader() lock.Locker { return reader(l) }

// Writer is the lock of a user of Redis.
func (l readWrite) Writer() lock.Locker { return l.writer }

type reader readWrite

// Acquire notes that there is a reader.
func (r reader) Acquire(ctx context.Context) (lock.Lease, error) {
	return r, r.rdb.Incr(ctx, "readers").Err()
}

// Release notes that it has gone.
func (r reader) Release(ctx context.Context) error { return r.rdb.Decr(ctx, "readers").Err() }

// twoSteps is a semaphore that looks how many permits are free, and then takes them.
type twoSteps struct {
	rdb     *redis.Client
	permits int
}

func newTwoSteps(c *locktest.Client) lock.Semaphore {
	return twoSteps{redisstore.Connect(c), int(c.Spec().Permits)}
}

// Acquire takes one permit.
func (s twoSteps) Acquire(ctx context.Context) (lock.Lease, error) { return s.AcquireN(ctx, 1) }

// AcquireN takes n permits if as many were free a moment ago.
func (s twoSteps) AcquireN(ctx context.Context, n int) (lock.Lease, error) {
	free, err := s.Available(ctx)
	if err != nil || free < n {
		return nil, lock.ErrNotAcquired
	}
	return taken{s, int64(n)}, s.rdb.IncrBy(ctx, "taken", int64(n)).Err()
}

// Available is how many permits were free a moment ago.
func (s twoSteps) Available(ctx context.Context) (int, error) {
	n, err := s.rdb.IncrBy(ctx, "taken", 0).Result()
	return s.permits - int(n), err
}

// taken is n permits.
type taken struct {
	of twoSteps
	n  int64
}

// Release gives them back.
func (t taken) Release(ctx context.Context) error { return t.of.rdb.DecrBy(ctx, "taken", t.n).Err() }
