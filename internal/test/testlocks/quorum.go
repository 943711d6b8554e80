package testlocks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// quorum is a lock on several independent nodes, after Redlock: who has set the
// key on most of them, and not taken too long, holds the lock for what is left
// of the TTL. It is sound as long as nodes do not forget.
type quorum struct {
	nodes   []*redis.Client
	name    string
	ttl     time.Duration
	clock   clockwork.Clock
	rand    *rand.Rand
	mu      sync.Mutex // guards rand, never across input or output
	client  string
	counter int
}

func newQuorum(c *cell.Client) lock.Locker {
	q := &quorum{name: c.LockName(), ttl: c.TTL(), clock: c.Clock(), rand: c.Rand(), client: c.Name()}
	for _, o := range redisstore.AllOptions(c) {
		// A node that does not answer must not hold up the others.
		o.ContextTimeoutEnabled, o.MaxRetryBackoff = true, 10*time.Millisecond
		client := redis.NewClient(o)
		c.Cleanup(func() { _ = client.Close() })
		q.nodes = append(q.nodes, client)
	}
	return q
}

// each asks all nodes at once, for a twentieth of the TTL at most, and counts
// those that agree.
func (q *quorum) each(ctx context.Context, ask func(context.Context, *redis.Client) (bool, error)) int {
	ctx, cancel := context.WithTimeout(ctx, q.ttl/20)
	defer cancel()
	agree := make([]bool, len(q.nodes))
	var all sync.WaitGroup
	for i, n := range q.nodes {
		all.Go(func() { agree[i], _ = ask(ctx, n) }) // an error is no agreement
	}
	all.Wait()
	n := 0
	for _, yes := range agree {
		if yes {
			n++
		}
	}
	return n
}

func (q *quorum) majority() int { return len(q.nodes)/2 + 1 }

// Acquire tries until it has a majority in time.
func (q *quorum) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		start := q.clock.Now()
		value, wait := q.draw()
		got := q.each(ctx, func(ctx context.Context, n *redis.Client) (bool, error) {
			return n.SetNX(ctx, q.name, value, q.ttl).Result()
		})
		until := start.Add(q.ttl - q.ttl/100 - 2*time.Millisecond)
		l := &quorumLease{q, value, until}
		if got >= q.majority() && q.clock.Now().Before(until) {
			return l, nil
		}
		_ = l.Release(ctx) // whatever it got
		q.clock.Sleep(wait)
	}
	return nil, ctx.Err()
}

// draw makes a value that no other acquisition has, and how long to wait if
// that fails.
func (q *quorum) draw() (value string, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.counter++
	return fmt.Sprint(q.client, "-", q.counter), q.ttl/40 + time.Duration(q.rand.Int64N(int64(q.ttl/20))).Truncate(time.Millisecond)
}

type quorumLease struct {
	*quorum
	value string
	until time.Time
}

const compareAndDelete = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`

// Release gives the lock back on all nodes.
func (l *quorumLease) Release(ctx context.Context) error {
	gone := l.each(ctx, func(ctx context.Context, n *redis.Client) (bool, error) {
		return n.Eval(ctx, compareAndDelete, []string{l.name}, l.value).Bool()
	})
	if gone < l.majority() {
		return lock.ErrNotHeld
	}
	return nil
}

// Until returns when the lease is not valid any more.
func (l *quorumLease) Until() time.Time { return l.until }
