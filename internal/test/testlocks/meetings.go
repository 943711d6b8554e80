package testlocks

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// countLatch is a latch that is a counter: a count that is sent again counts
// twice.
type countLatch struct {
	c      *cell.Client
	client *redis.Client
}

func twiceLatch(c *cell.Client) lock.Latch { return countLatch{c, connect(c)} }

func (l countLatch) TrySet(ctx context.Context, count int) (bool, error) {
	return l.client.SetNX(ctx, l.c.LockName(), count, 0).Result()
}

func (l countLatch) CountDown(ctx context.Context) error {
	return l.client.Decr(ctx, l.c.LockName()).Err()
}

func (l countLatch) Count(ctx context.Context) (int, error) {
	n, err := l.client.Get(ctx, l.c.LockName()).Int()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	return max(n, 0), err
}

func (l countLatch) Wait(ctx context.Context) error {
	for ctx.Err() == nil {
		if n, err := l.Count(ctx); err != nil || n == 0 {
			return err
		}
		l.c.Clock().Sleep(steady())
	}
	return ctx.Err()
}

// forgetful is a latch that opens for those of the process that opens it: others
// look once, and wait for a word that does not come.
type forgetful struct {
	lock.Latch
	once sync.Once
	open chan struct{}
}

func deafLatch(c *cell.Client) lock.Latch {
	o := redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
	return &forgetful{Latch: redislocks.NewLatch(connect(c), c.LockName(), o), open: make(chan struct{})}
}

func (l *forgetful) Wait(ctx context.Context) error {
	n, err := l.Count(ctx)
	if err != nil || n == 0 {
		l.once.Do(func() { close(l.open) })
		return err
	}
	select {
	case <-l.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// countBarrier is a barrier that is a counter of all who have come.
type countBarrier struct {
	c      *cell.Client
	client *redis.Client
}

func twiceBarrier(c *cell.Client) lock.Barrier { return countBarrier{c, connect(c)} }

func (b countBarrier) Await(ctx context.Context) (int64, error) {
	parties := int64(b.c.Spec().Parties)
	mine, err := b.client.Incr(ctx, b.c.LockName()).Result()
	if err != nil {
		return 0, err
	}
	generation := (mine - 1) / parties
	for ctx.Err() == nil {
		n, err := b.client.Get(ctx, b.c.LockName()).Int64()
		if err != nil || n >= (generation+1)*parties {
			return generation, err
		}
		b.c.Clock().Sleep(steady())
	}
	return 0, ctx.Err()
}

// countStock is a stock that is a number, which is read and then written.
type countStock struct {
	c      *cell.Client
	client *redis.Client
}

func twoStepStock(c *cell.Client) lock.Stock { return countStock{c, connect(c)} }

func (s countStock) Fill(ctx context.Context, items int) (bool, error) {
	return s.client.SetNX(ctx, s.c.LockName(), items, 0).Result()
}

func (s countStock) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	left, err := s.Left(ctx)
	if err != nil {
		return err
	}
	if left < n {
		return lock.ErrSoldOut
	}
	if err := order(ctx); err != nil {
		return err
	}
	return s.client.Set(ctx, s.c.LockName(), left-n, 0).Err()
}

func (s countStock) Left(ctx context.Context) (int, error) {
	return s.client.Get(ctx, s.c.LockName()).Int()
}

// segments is a stock of two counters, of which it sells whatever one of them
// has enough of.
type segments struct {
	c      *cell.Client
	client *redis.Client
}

func strandingStock(c *cell.Client) lock.Stock { return segments{c, connect(c)} }

func (s segments) keys() []string {
	return []string{"{" + s.c.LockName() + "}:1", "{" + s.c.LockName() + "}:2"}
}

var takeFrom = redis.NewScript(`
if tonumber(redis.call("GET", KEYS[1])) < tonumber(ARGV[1]) then return 0 end
redis.call("DECRBY", KEYS[1], ARGV[1])
return 1`)

func (s segments) Fill(ctx context.Context, items int) (bool, error) {
	half := items / 2
	return s.client.MSetNX(ctx, s.keys()[0], half, s.keys()[1], items-half).Result()
}

func (s segments) Sell(ctx context.Context, n int, order func(context.Context) error) error {
	if err := order(ctx); err != nil {
		return err
	}
	for _, key := range s.keys() {
		if sold, err := takeFrom.Run(ctx, s.client, []string{key}, strconv.Itoa(n)).Int(); err != nil || sold == 1 {
			return err
		}
	}
	return lock.ErrSoldOut
}

func (s segments) Left(ctx context.Context) (sum int, err error) {
	list, err := s.client.MGet(ctx, s.keys()...).Result()
	for _, v := range list {
		text, _ := v.(string)
		n, _ := strconv.Atoi(text)
		sum += n
	}
	return sum, err
}

// onceReentrant is free after the first release: its owner is known by a field
// that is not counted.
func onceReentrant(c *cell.Client) lock.Locker {
	return &uncounted{c: c, client: connect(c)}
}

type uncounted struct {
	c      *cell.Client
	client *redis.Client
}

func (l *uncounted) Acquire(ctx context.Context) (lock.Lease, error) {
	owner, _ := lock.Owner(ctx)
	for ctx.Err() == nil {
		held, err := asHash.take.Run(ctx, l.client, []string{l.c.LockName()}, owner, l.c.TTL().Milliseconds()).Int()
		if err != nil {
			return nil, err
		}
		if held == 1 {
			return lease{release: func(ctx context.Context) error {
				n, err := asHash.give.Run(ctx, l.client, []string{l.c.LockName()}, owner).Int()
				if err == nil && n == 0 {
					return lock.ErrNotHeld
				}
				return err
			}}, nil
		}
		l.c.Clock().Sleep(steady())
	}
	return nil, ctx.Err()
}
