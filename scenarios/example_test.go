package scenarios_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/redis/builtin"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// A run is a function of its tape. The calm tape lets nothing go wrong.
func ExampleCell_Run() {
	c, err := scenarios.NewCell("failover-loss", "setpx", nil, builtin.Locks())
	if err != nil {
		fmt.Println(err)
		return
	}
	out := c.Run(explore.Run{Tape: sim.Calm{}})
	for _, v := range out.Verdicts {
		fmt.Printf("%-18s %s\n", v.Property, v.Status)
	}
	// Output:
	// mutual-exclusion   holds
	// linearizable       holds
	// owner-only-release holds
	// fencing            not applicable
	// no-lost-update     holds
	// progress           holds
	// overrun            not applicable
	// lease-honesty      not applicable
	// timely-loss        not applicable
	// truthful-acquire   holds
	// truthful-release   holds
	// truthful-extend    not applicable
	// no-orphan          holds
	// prompt-cancel      not applicable
	// bounded-wakeup     holds
}

// A search is many random tapes. The same seed gives the same tapes, so the
// same search finds the same thing.
func ExampleCell_Run_search() {
	c, err := scenarios.NewCell("gc-pause", "setpx-twostep", nil, builtin.Locks())
	if err != nil {
		fmt.Println(err)
		return
	}
	for schedule := range 1000 {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule)})
		if violated := out.Violated(); len(violated) > 0 {
			fmt.Println(violated[0])
			return
		}
	}
	// Output:
	// mutual-exclusion (limit)
}

// A lock's own test: it is attacked in every scenario. Here the lock is SET NX,
// released by DEL without a look at whose the key is, and the test fails: each cause
// is told once, as docs/bring-your-own-lock.md shows. In one scenario the violation
// is expected, and does not fail.
func ExampleCheck() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		scenarios.Check(t, func(c *scenarios.Client) lock.Locker {
			rdb := redis.NewClient(c.Redis())
			c.Cleanup(func() { _ = rdb.Close() })
			return naive{rdb, c.LockName(), c.TTL()}
		}, scenarios.Runs(5000), scenarios.Expect("gc-pause", "owner-only-release"))
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
		report := scenarios.Explore(t, func(c *scenarios.Client) lock.Locker {
			rdb := redis.NewClient(c.Redis())
			c.Cleanup(func() { _ = rdb.Close() })
			return naive{rdb, c.LockName(), c.TTL()}
		}, scenarios.Only("gc-pause"))
		for _, f := range report.Findings {
			if !f.Limit {
				t.Errorf("%s: %s", f.Scenario, f.Trace.Verdict().Sentence)
			}
		}
	}
	_ = test
}

// A lock's own test. Here the lock is one of Lockpick's; an adapter for another
// has two methods, Acquire and Release.
func ExampleProperty() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		rapid.Check(t, scenarios.Property("gc-pause", func(c *scenarios.Client) lock.Locker {
			rdb := redis.NewClient(c.Redis())
			c.Cleanup(func() { _ = rdb.Close() })
			return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
		}))
	}
	_ = test
}
