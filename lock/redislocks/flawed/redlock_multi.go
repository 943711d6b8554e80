package flawed

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// RedlockMulti is Redisson's RedLock as the Chinese literature prints it
// (RedissonRedLock, a RedissonMultiLock of which a minority may fail). It takes a
// [redislocks.Reentrant] lock on one server after the other, waits for each an equal share of
// the time, with a lease of twice that time, and with a majority it sets the
// requested lease. It is not [redislocks.Redlock], and flawed. What breaks it:
//
//   - It does not check the age of the leases: Acquire may return when they have
//     run out (scenarios late-reply, late-request, hung-node, watchdog-late,
//     partition, property mutual-exclusion), and the lease does not say how long it is
//     valid (gc-pause, mutual-exclusion).
//   - A failed lock is not given back, though it may have been taken (cancel,
//     no-orphan). Elsewhere a later try, and the release on all servers, hide that.
//   - Release ignores the servers' answers (gc-pause, truthful-release).
//   - It sets the requested lease without checking the holder: it may extend
//     another's lease, or shorten it. No property is about that alone.
//   - It asks servers in turn, so that one that hangs costs each caller its share
//     of the time, and more if the client waits for its answer. That is slow and
//     breaks nothing by itself.
//
// It guarantees that a minority of servers that forget does no harm to holders that
// finish long before the lease is over, as long as every answer is prompt.
//
// Defaults: a lease of 30 s. The time for a try is drawn as the original draws
// it: between half of the lease and the lease, or between 1.5 s for each server
// and the lease if that is longer.
type RedlockMulti struct {
	nodes   []redlockMultiNode
	options polling.Options
	random  *polling.Random
}

// RedlockMultiClient is a client of one of the servers.
type RedlockMultiClient interface {
	redis.Scripter
	PExpire(ctx context.Context, key string, expiration time.Duration) *redis.BoolCmd
}

type redlockMultiNode struct {
	client  RedlockMultiClient
	name    string
	channel string // on which releases are announced
}

// NewRedlockMulti returns a locker for the lock of the given name, which is the
// key on each of the servers. It is safe for concurrent use.
func NewRedlockMulti(clients []RedlockMultiClient, name string, options redislocks.Options) *RedlockMulti {
	// Without options there is no pause but a sixteenth of the patience: see one.
	l := &RedlockMulti{options: withDefaults(options), random: polling.Options(options).Random()}
	for _, client := range clients {
		l.nodes = append(l.nodes, redlockMultiNode{client, name, scripts.Beside(name, "released")})
	}
	return l
}

// Acquire tries until it has a majority or ctx is done. After an error some servers
// may still have the lock.
func (l *RedlockMulti) Acquire(ctx context.Context) (lock.Lease, error) {
	lease := &redlockMultiLease{of: l, holder: rand.Text()}
	ttl := max(lock.TTL(ctx, l.options.TTL), time.Millisecond)
	for {
		wait := l.wait(ttl)
		held, err := l.try(ctx, lease, ttl, wait)
		switch {
		case err != nil:
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		case held:
			return lease, nil
		}
	}
}

// wait draws how long a try takes at most.
func (l *RedlockMulti) wait(ttl time.Duration) time.Duration {
	base := time.Duration(len(l.nodes)) * 1500 * time.Millisecond
	from := base
	if ttl <= base {
		from = ttl / 2
	}
	return from + time.Duration(l.random.Draw(int(max(ttl-from, 1))))
}

// try goes once, and once more if there is time, over the servers.
func (l *RedlockMulti) try(ctx context.Context, lease *redlockMultiLease, ttl, wait time.Duration) (bool, error) {
	limit := len(l.nodes) - (len(l.nodes)/2 + 1) // how many may fail
	share, start := wait/time.Duration(len(l.nodes)), l.options.Clock.Now()
	failures := limit
	var acquired []int
	for i := 0; i < len(l.nodes); i++ {
		remaining := wait - l.options.Clock.Since(start)
		patience := max(min(share, remaining), time.Millisecond) // that is what the original counts in
		if l.one(ctx, l.nodes[i], lease.holder, 2*wait, patience) {
			acquired = append(acquired, i)
		} else {
			if ctx.Err() != nil {
				lease.release(ctx, acquired)
				return false, ctx.Err()
			}
			if len(l.nodes)-len(acquired) == limit {
				break
			}
			if failures--; failures < 0 {
				lease.release(ctx, acquired)
				failures, acquired, i = limit, nil, -1
			}
		}
		if l.options.Clock.Since(start) >= wait {
			lease.release(ctx, acquired)
			return false, nil
		}
	}
	for _, i := range acquired {
		_ = l.nodes[i].client.PExpire(ctx, l.nodes[i].name, ttl).Err() // the original does not look either
	}
	return true, nil
}

// one waits for the lock on one server, as long as it answers and patience is not
// over. The original is notified of releases as [redislocks.Reentrant] is; this one asks again
// after a pause, some sixteen times.
func (l *RedlockMulti) one(ctx context.Context, n redlockMultiNode, holder string, ttl, patience time.Duration) bool {
	for start := l.options.Clock.Now(); ; {
		left, err := scripts.ReentrantAcquire.Run(ctx, n.client, []string{n.name}, scripts.Millis(ttl), holder, 1).Int64()
		if err != nil || left == scripts.Had {
			return err == nil
		}
		remaining := patience - l.options.Clock.Since(start)
		if remaining <= 0 {
			return false
		}
		timer := l.options.Clock.NewTimer(min(remaining, max(l.random.Pause(), patience/16)))
		select {
		case <-timer.Chan():
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// redlockMultiLease is one acquisition.
type redlockMultiLease struct {
	of     *RedlockMulti
	holder string
}

// Release gives the lock up on all servers, one after the other, whatever they
// say.
func (l *redlockMultiLease) Release(ctx context.Context) error {
	all := make([]int, len(l.of.nodes))
	for i := range all {
		all[i] = i
	}
	l.release(ctx, all)
	return nil
}

func (l *redlockMultiLease) release(ctx context.Context, nodes []int) {
	ctx = context.WithoutCancel(ctx)
	for _, i := range nodes {
		n := l.of.nodes[i]
		_ = scripts.ReentrantRelease.Run(ctx, n.client, []string{n.name}, scripts.Millis(time.Millisecond), l.holder, 0, n.channel).Err() // the original skips errors
	}
}
