package testlocks

import (
	"context"
	"math/rand"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// retryingQuorum is a quorum lock that asks all nodes at once, with a short
// time-out for each request, asks again those that did not answer, after a random
// while, and waits for no more answers than it needs: what is still under way goes
// on beside what comes next. Whatever fails at the same instant must go on in an
// order that does not depend on the scheduler, since it draws from math/rand.
type retryingQuorum struct{ quorum }

func newRetryingQuorum(c *cell.Client) lock.Locker {
	q := &retryingQuorum{quorum{name: c.LockName(), ttl: c.TTL(), clock: c.Clock(), rand: c.Rand(), client: c.Name()}}
	for _, o := range redisstore.AllOptions(c) {
		o.DialTimeout, o.ReadTimeout, o.MaxRetries, o.ContextTimeoutEnabled = q.ttl/20, q.ttl/20, -1, true
		client := redis.NewClient(o)
		c.Cleanup(func() { _ = client.Close() })
		q.nodes = append(q.nodes, client)
	}
	return q
}

// each asks all nodes at once and counts those that agree, until there are
// enough.
func (q *retryingQuorum) each(ctx context.Context, ask func(context.Context, *redis.Client) (bool, error)) (agree int) {
	answers := make(chan bool, len(q.nodes))
	for _, n := range q.nodes {
		go func() { answers <- q.tries(ctx, n, ask) }()
	}
	for range q.nodes {
		if <-answers {
			agree++
		}
		if agree == q.majority() {
			break
		}
	}
	return agree
}

// tries asks a node three times at most.
func (q *retryingQuorum) tries(ctx context.Context, n *redis.Client, ask func(context.Context, *redis.Client) (bool, error)) bool {
	for range 3 {
		short, cancel := context.WithTimeout(ctx, q.ttl/50)
		yes, err := ask(short, n)
		cancel()
		if err == nil {
			return yes
		}
		time.Sleep(time.Duration(1+rand.Intn(20)) * time.Millisecond)
	}
	return false
}

// Acquire tries until it has a majority in time.
func (q *retryingQuorum) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		start := q.clock.Now()
		value, wait := q.draw()
		got := q.each(ctx, func(ctx context.Context, n *redis.Client) (bool, error) {
			return n.SetNX(ctx, q.name, value, q.ttl).Result()
		})
		l := &retryingLease{q, value, start.Add(q.ttl - q.ttl/100 - 2*time.Millisecond)}
		if got >= q.majority() && q.clock.Now().Before(l.until) {
			return l, nil
		}
		_ = l.Release(ctx) // whatever it got
		q.clock.Sleep(wait)
	}
	return nil, ctx.Err()
}

type retryingLease struct {
	*retryingQuorum
	value string
	until time.Time
}

// Release gives the lock back on all nodes.
func (l *retryingLease) Release(ctx context.Context) error {
	gone := l.each(ctx, func(ctx context.Context, n *redis.Client) (bool, error) {
		return n.Eval(ctx, compareAndDelete, []string{l.name}, l.value).Bool()
	})
	if gone < l.majority() {
		return lock.ErrNotHeld
	}
	return nil
}

// Until returns when the lease is not valid any more.
func (l *retryingLease) Until() time.Time { return l.until }
