package redislocks

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

// RedlockMulti is what the Chinese literature on Redisson prints as its RedLock
// (RedissonRedLock, a RedissonMultiLock of which a minority may fail): it takes a
// [Reentrant] lock on one server after the other, waiting for each an equal share
// of the time, with a lease of twice that time, and when a majority is had it
// sets the lease that was asked for. It is not [Redlock], and flawed. What breaks it:
//
//   - The age of the leases is not looked at: Acquire may return when they have
//     run out (scenarios late-reply, late-request, hung-node, watchdog-late, partition, property
//     mutual-exclusion), and the lease says nothing of its validity (gc-pause,
//     mutual-exclusion).
//   - What failed is not given back, though it may have been taken (cancel,
//     no-orphan). That it is asked for again, and released on all servers in the
//     end, hides it elsewhere.
//   - Release tells nothing of what the servers say (gc-pause,
//     truthful-release).
//   - The lease that was asked for is set without looking whose it is by then: it
//     may prolong another's, or cut it short. No property is about that alone.
//   - Servers are asked in turn, so that one that hangs costs everybody its share of
//     the time, and more where the client waits for its answer. That is slow and
//     breaks nothing by itself.
//
// It guarantees that a minority of servers that forget is no harm, to holders that
// are done long before the lease is over, as long as every answer is prompt.
//
// Defaults: a lease of 30 s. The time for a try is drawn as the original draws
// it: between half of the lease and the lease, or between 1.5 s for each server
// and the lease if that is longer.
type RedlockMulti struct {
	nodes   []redlockMultiNode
	options Options
	random  *random
}

// RedlockMultiClient is a client of one of the servers.
type RedlockMultiClient interface {
	redis.Scripter
	Subscribe(ctx context.Context, channels ...string) *redis.PubSub
	PExpire(ctx context.Context, key string, expiration time.Duration) *redis.BoolCmd
}

type redlockMultiNode struct {
	lock   *Reentrant
	client RedlockMultiClient
	name   string
}

// NewRedlockMulti returns a locker for the lock of the given name, which is the
// key on each of the servers. It keeps a connection to each while somebody waits;
// Close ends that. It is safe for concurrent use.
func NewRedlockMulti(clients []RedlockMultiClient, name string, options Options) *RedlockMulti {
	l := &RedlockMulti{options: options.withDefaults(), random: options.random()}
	options.Rand = nil // of which only one can draw
	for _, client := range clients {
		l.nodes = append(l.nodes, redlockMultiNode{NewReentrant(client, name, options), client, name})
	}
	return l
}

// Close ends the subscriptions and makes those who wait return
// [lock.ErrClosed].
func (l *RedlockMulti) Close() error {
	for _, n := range l.nodes {
		_ = n.lock.Close() // has no errors
	}
	return nil
}

// Acquire tries until a majority was had or ctx is done. After an error what was
// taken may be so still.
func (l *RedlockMulti) Acquire(ctx context.Context) (lock.Lease, error) {
	lease := &redlockMultiLease{of: l}
	for _, n := range l.nodes {
		lease.holds = append(lease.holds, n.lock.newHold(""))
	}
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
	return from + time.Duration(l.random.draw(int(max(ttl-from, 1))))
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
		if l.one(ctx, i, lease.holds[i], 2*wait, patience) {
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
			return false, l.closed()
		}
	}
	for _, i := range acquired {
		_ = l.nodes[i].client.PExpire(ctx, l.nodes[i].name, ttl).Err() // the original does not look either
	}
	return true, nil
}

// closed is an error if the locker is.
func (l *RedlockMulti) closed() error {
	if l.nodes[0].lock.waits.ctx.Err() != nil {
		return lock.ErrClosed
	}
	return nil
}

// one waits for the lock on one server.
func (l *RedlockMulti) one(ctx context.Context, i int, h *hold, ttl, patience time.Duration) bool {
	n := l.nodes[i].lock
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := n.waits.await(ctx, "", n.often, false, func(ctx context.Context) (answer, error) {
		return n.store.take(ctx, h.holder, 1, ttl)
	})
	return err == nil
}

// redlockMultiLease is one acquisition.
type redlockMultiLease struct {
	of    *RedlockMulti
	holds []*hold
}

// Release gives the lock up on all servers, one after the other, whatever they
// say.
func (l *redlockMultiLease) Release(ctx context.Context) error {
	all := make([]int, len(l.holds))
	for i := range all {
		all[i] = i
	}
	l.release(ctx, all)
	return nil
}

func (l *redlockMultiLease) release(ctx context.Context, nodes []int) {
	ctx = context.WithoutCancel(ctx)
	for _, i := range nodes {
		_ = l.of.nodes[i].lock.store.abandon(ctx, l.holds[i].holder) // the original skips errors
	}
}
