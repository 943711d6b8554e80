package locktest_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// A lock's own test: every
// scenario is searched. Here the lock is SET NX,
// released by DEL without a look at whose the key is, and the test fails: each cause
// is told once, as docs/bring-your-own-lock.md shows. In one scenario the violation
// is expected, and does not fail.
func ExampleCheck() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Check(t, func(c *locktest.Client) lock.Locker {
			return naive{redisstore.Connect(c), c.LockName(), c.TTL()}
		}, locktest.On(redisstore.Store), locktest.Runs(5000), locktest.Expect("gc-pause", "owner-only-release"))
	}
	_ = test
}

// naive is a lock with a fault that everybody knows.
type naive struct {
	rdb *redis.Client
	key string
	ttl time.Duration
}

func (n naive) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		ok, err := n.rdb.SetNX(ctx, n.key, "locked", n.ttl).Result()
		switch {
		case err != nil:
			return nil, err
		case ok:
			return n, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (n naive) Release(ctx context.Context) error { return n.rdb.Del(ctx, n.key).Err() }

// What a lock loses can be looked at by a program: here nothing but limits of
// leases is put up with.
func ExampleExplore() {
	test := func(t *testing.T) {
		report := locktest.Explore(t, func(c *locktest.Client) lock.Locker {
			return naive{redisstore.Connect(c), c.LockName(), c.TTL()}
		}, locktest.On(redisstore.Store), locktest.Only("gc-pause"))
		for _, f := range report.Findings {
			if !f.Limit {
				t.Errorf("%s: %s", f.Scenario, f.Trace.Verdict().Sentence)
			}
		}
	}
	_ = test
}
