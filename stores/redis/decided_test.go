package redis_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// checkAndSet is a lock that checks in one script that nobody has the key, and sets it in another.
type checkAndSet struct {
	rdb        *goredis.Client
	key, owner string
	ttl        time.Duration
}

var (
	isFree = goredis.NewScript(`if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end return 1`)
	setIt  = goredis.NewScript(`return redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])`)
	freeIt = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

func (l *checkAndSet) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		free, err := isFree.Run(ctx, l.rdb, []string{l.key}).Int()
		if err == nil && free == 1 {
			return l, setIt.Run(ctx, l.rdb, []string{l.key}, l.owner, l.ttl.Milliseconds()).Err()
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

func (l *checkAndSet) Release(ctx context.Context) error {
	return freeIt.Run(ctx, l.rdb, []string{l.key}, l.owner).Err()
}

// TestWhatDecided: a counterexample tells the answer by which Acquire took itself for the holder, and
// who had the lock.
func TestWhatDecided(t *testing.T) {
	r := locktest.Explore(t, func(c *locktest.Client) lock.Locker {
		return &checkAndSet{redis.Connect(c), c.LockName(), c.Name(), c.TTL()}
	}, locktest.On(redis.Store), locktest.Only("contention"), locktest.Runs(60), locktest.Properties(checker.MutualExclusion))
	if len(r.Findings) != 1 || r.Findings[0].Limit {
		t.Fatalf("%+v", r.Findings)
	}
	wrong, steps := render.Brief(r.Findings[0].Trace)
	golden.Pinned(t, "github.com/redis/go-redis/v9")
	golden.File(t, "testdata/decided.golden", strings.Join(slices.Concat(wrong, steps), "\n")+"\n")
}
