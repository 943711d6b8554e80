package redis_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/testdata/globals"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// watched is a lock over Redis whose waiters keep its key alive as well. A ticker of package
// time does that, and a timer of package time with the same period lets the waiter look again:
// both are due at one instant, and both send a request.
type watched struct {
	rdb   *redis.Client
	key   string
	every time.Duration
	ttl   time.Duration
}

func newWatched(c *locktest.Client) lock.Locker {
	return &watched{redisstore.Connect(c), c.LockName(), c.TTL() / 4, c.TTL()}
}

func (l *watched) Acquire(ctx context.Context) (lock.Lease, error) {
	over := make(chan struct{})
	for round := 0; ; round++ {
		ok, err := l.rdb.SetNX(ctx, l.key, "locked", l.ttl).Result()
		if round == 0 {
			go l.watchdog(over)
		}
		if ok {
			return &watchedLease{l, over}, nil
		}
		if err == nil {
			select {
			case <-time.After(l.every):
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			close(over)
			return nil, err
		}
		dawdle()
	}
}

// watchdog keeps the key alive.
func (l *watched) watchdog(over <-chan struct{}) {
	t := time.NewTicker(l.every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			dawdle()
			l.rdb.PExpire(context.Background(), l.key, l.ttl)
		case <-over:
			return
		}
	}
}

// dawdle lets other goroutines go first, or not.
func dawdle() {
	for range globals.Unseedable() % 4 {
		runtime.Gosched()
	}
}

type watchedLease struct {
	*watched
	over chan struct{}
}

func (l *watchedLease) Release(ctx context.Context) error {
	close(l.over)
	n, err := l.rdb.Del(ctx, l.key).Result()
	if err == nil && n == 0 {
		return errors.New("it was not held")
	}
	return err
}

// TestTimersOfPackageTime: two goroutines of a process that timers of package time wake at one
// instant ask their pool for a connection in an order that is the same in every run.
func TestTimersOfPackageTime(t *testing.T) {
	for _, threads := range []int{1, 2} {
		locks := []cell.Lock{{ID: "watched", Store: redisstore.Store, Subject: locktest.Mutex(newWatched)}}
		c, err := scenarios.Registry(locks).Cell("contention", "watched", nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Params.Threads = threads
		differ := 0
		for n := range 10 {
			first := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
			if first.Failure != nil {
				t.Fatalf("schedule %d: %s\n%s", n, first.Failure.Reason, first.Failure.Stack)
			}
			for range 5 {
				if again := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true}); again.Hash != first.Hash {
					differ++
					t.Logf("%d threads, schedule %d: %s", threads, n, explore.FirstDifference(first.Recording, again.Recording))
					break
				}
			}
		}
		if differ > 0 {
			t.Errorf("%d threads: %d of 10 schedules differ", threads, differ)
		}
	}
}
