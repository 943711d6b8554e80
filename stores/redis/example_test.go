package redis_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// mylock is a lock over Redis: SET NX, and DEL.
type mylock struct {
	rdb *redis.Client
	key string
	ttl time.Duration
}

func newLock(c *locktest.Client) lock.Locker {
	return mylock{redisstore.Connect(c), c.LockName(), c.TTL()}
}

func (l mylock) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		ok, err := l.rdb.SetNX(ctx, l.key, "locked", l.ttl).Result()
		if ok || err != nil {
			return l, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l mylock) Release(ctx context.Context) error { return l.rdb.Del(ctx, l.key).Err() }

// A test names the store of its lock.
func Example() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Check(t, newLock, locktest.On(redisstore.Store))
	}
	_ = test
}

// Clients connect to the primary. This is one run, in which nothing fails.
func ExampleConnect() {
	locks := []cell.Lock{{ID: "mylock", Store: redisstore.Store, Subject: locktest.Mutex(newLock)}}
	c, err := scenarios.Registry(locks).Cell("contention", "mylock", nil)
	if err != nil {
		panic(err)
	}
	run := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	held := 0
	for _, op := range run.Recording.History.Operations {
		if op.Kind == model.Acquire && op.Result == model.OK {
			held++
		}
	}
	fmt.Println("acquired:", held, "violations:", len(run.Violated()))
	// Output: acquired: 6 violations: 0
}
