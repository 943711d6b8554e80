package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// observer is a lock by observation, as Kubernetes' leases are: its key has no expiry, and who has seen it
// unchanged for so long, by its own clock, puts its own value in its place.
type observer struct {
	client  *redis.Client
	of      *cell.Client
	patient time.Duration
	number  int
}

const (
	swap   = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('SET', KEYS[1], ARGV[2]) return 1`
	remove = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
)

func (l *observer) Acquire(ctx context.Context) (lock.Lease, error) {
	l.number++
	mine, key, clock := fmt.Sprint(l.of.Name(), " ", l.number), l.of.LockName(), l.of.Clock()
	seen, since := "", clock.Now()
	for ; ctx.Err() == nil; clock.Sleep(20 * time.Millisecond) {
		sent := clock.Now()
		taken, err := l.client.SetNX(ctx, key, mine, 0).Result()
		if err == nil && !taken {
			var now string
			switch now, err = l.client.Get(ctx, key).Result(); {
			case errors.Is(err, redis.Nil):
				continue
			case err == nil && now == mine:
				taken = true // an earlier try was not answered
			case err == nil && now != seen:
				seen, since = now, clock.Now()
			case err == nil && clock.Since(since) >= l.patient:
				sent = clock.Now()
				taken, err = l.client.Eval(ctx, swap, []string{key}, seen, mine).Bool()
			}
		}
		if until := sent.Add(l.of.TTL()); err == nil && taken && clock.Now().Before(until) {
			return observed{l, mine, until}, nil
		}
	}
	return nil, ctx.Err()
}

type observed struct {
	*observer
	mine  string
	until time.Time
}

func (l observed) Until() time.Time { return l.until }

func (l observed) Release(ctx context.Context) error {
	held, err := l.client.Eval(ctx, remove, []string{l.of.LockName()}, l.mine).Bool()
	if err == nil && !held {
		err = lock.ErrNotHeld
	}
	return err
}

// TestLeaseByObservation: where the clocks of clients are off, two hold a lock by observation, and that is a limit. One
// that waits for half a lease only is at fault, there too.
func TestLeaseByObservation(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, e := range []struct {
		name  string
		waits func(ttl time.Duration) time.Duration
		want  string
	}{
		{"a lease", func(ttl time.Duration) time.Duration { return ttl }, model.ClientClockOff},
		{"half a lease", func(ttl time.Duration) time.Duration { return ttl / 2 }, model.RemovedByAnother},
	} {
		t.Run(e.name, func(t *testing.T) {
			l := cell.Lock{ID: "observer", Store: redisstore.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
				client := redis.NewClient(redisstore.Options(c))
				c.Cleanup(func() { _ = client.Close() })
				return &observer{client: client, of: c, patient: e.waits(c.TTL())}
			})}
			c, err := scenarios.Registry([]cell.Lock{l}).Cell("clock-skew", "observer", nil)
			if err != nil {
				t.Fatal(err)
			}
			causes := map[string]int{}
			for schedule := range 300 {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				if out.Failure != nil {
					t.Fatal(out.Failure.Reason, out.Failure.Stack)
				}
				for _, v := range checker.Check(&out.Recording.History, c.Judging(), checker.MutualExclusion, checker.OwnerOnlyRelease) {
					if v.Status == model.Violated {
						causes[v.Cause]++
						if !v.Limit && e.want == model.ClientClockOff {
							t.Errorf("schedule %d: %s, %s: %s", schedule, v.Property, v.Cause, v.Sentence)
						}
					}
				}
			}
			if causes[e.want] == 0 {
				t.Errorf("causes %v, none of them %s", causes, e.want)
			}
		})
	}
}
