package scenarios_test

import (
	"context"
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

// asker asks for its key until it has it, with a pause after each answer. One that never
// gives up a key keeps the others asking.
type asker struct {
	client *redis.Client
	of     *cell.Client
	pause  time.Duration
	keeps  bool
}

func (a asker) Acquire(ctx context.Context) (lock.Lease, error) {
	ttl := a.of.TTL()
	if a.keeps {
		ttl = 0
	}
	for ctx.Err() == nil {
		ok, err := a.client.SetNX(ctx, a.of.LockName(), a.of.Name(), ttl).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			return a, nil
		}
		if a.pause > 0 {
			a.of.Clock().Sleep(a.pause)
		}
	}
	return nil, ctx.Err()
}

func (a asker) Release(ctx context.Context) error {
	if a.keeps {
		return nil
	}
	return a.client.Del(ctx, a.of.LockName()).Err()
}

// TestBusyWait: a client is blamed for asking without a pause, whatever its other threads
// do meanwhile, and also if that never ends. One that pauses is not, however many there are.
func TestBusyWait(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, e := range []struct {
		name    string
		pause   time.Duration
		keeps   bool
		threads string
		want    model.Status
	}{
		{"pauses", time.Millisecond, false, "1", model.Holds},
		{"threads pause", time.Millisecond, false, "5", model.Holds},
		{"does not pause", 0, false, "1", model.Violated},
		{"threads do not pause", 0, false, "3", model.Violated},
		{"never pauses", 0, true, "1", model.Violated},
	} {
		t.Run(e.name, func(t *testing.T) {
			l := cell.Lock{ID: "asker", Store: redisstore.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
				client := redis.NewClient(redisstore.Options(c))
				c.Cleanup(func() { _ = client.Close() })
				return asker{client, c, e.pause, e.keeps}
			})}
			c, err := scenarios.Registry([]cell.Lock{l}).Cell("contention", "asker", nil)
			for _, s := range [][2]string{{"threads", e.threads}, {"weak", "1"}, {"events", "20000"}} {
				if err == nil {
					err = c.Set(s[0], s[1])
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			for schedule := range 4 {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				if out.Failure != nil {
					t.Fatal(out.Failure.Reason, out.Failure.Stack)
				}
				v := checker.Check(&out.Recording.History, c.Judging(), checker.BusyWait)[0]
				if v.Status != e.want {
					t.Errorf("schedule %d: %s (%s), want %s", schedule, v.Status, v.Sentence, e.want)
				}
			}
		})
	}
}
