package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// The published experiment with local hotspots.
const (
	instances       = 3
	instanceThreads = 4
	tries           = 1200
	waitLimit       = 3 * time.Second
	// distance is the extra time of each of the two requests of the critical section:
	// the article's other Redis was not on the same machine, and the article does not
	// say how far away it was.
	distance = 10 * time.Millisecond
)

// outcome is the result of the experiment.
type outcome struct{ sets, successes int }

// experiment has three instances with four threads each try for one lock. The
// critical section is a GET and a SET on another server.
func experiment(ctx context.Context, server, other *realredis.Server, admin *redis.Client, hotspot bool) (outcome, error) {
	if err := admin.ConfigResetStat(ctx).Err(); err != nil {
		return outcome{}, err
	}
	elsewhere := redis.NewClient(&redis.Options{Addr: other.Addr})
	defer func() { _ = elsewhere.Close() }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var successes atomic.Int64
	var done sync.WaitGroup
	for range instances {
		client := redis.NewClient(&redis.Options{Addr: server.Addr})
		defer func() { _ = client.Close() }()
		options := pullOptions()
		options.Wait = waitLimit
		if hotspot {
			options.Handlers = []pull.Handler{pull.NewHotspots("lock_key")}
		}
		l := redislocks.NewPull(client, "lock_key", options)
		for range instanceThreads {
			done.Go(func() {
				for range tries / instances / instanceThreads {
					switch err := once(ctx, l, elsewhere); {
					case err == nil:
						successes.Add(1)
					case !errors.Is(err, pull.ErrTimeout):
						cancel(err)
						return
					}
				}
			})
		}
	}
	done.Wait()
	if err := context.Cause(ctx); err != nil {
		return outcome{}, fmt.Errorf("the experiment with hotspots: %w", err)
	}
	calls, err := commandStats(ctx, admin)
	return outcome{sets: calls["set"], successes: int(successes.Load())}, err
}

// once acquires, works and releases.
func once(ctx context.Context, l *pull.Locker, elsewhere *redis.Client) (err error) {
	lease, err := l.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	time.Sleep(distance)
	if err := elsewhere.Get(ctx, "value").Err(); err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	time.Sleep(distance)
	return elsewhere.Set(ctx, "value", "1", 0).Err()
}
