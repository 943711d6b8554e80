package redislocks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// SetPXFencedElsewhere is [SetPXFenced] whose tokens are counted elsewhere than on
// the lock's server. An Acquire takes the lock by SET NX PX, takes the next number
// from the counter, and then checks that it still has the lock, by a script that
// also renews the lease. Without that check a client that was paused between the
// first two steps would carry a greater token than the next holder.
//
// Guarantees: what SetPXFenced gives, and tokens that do not repeat when the
// lock's node forgets what it has acknowledged, since the counter's has not: the
// second holder, whom a failover lets in, has a greater token than the first.
//
// What breaks it: all that gives [SetPX] two holders gives them to this one, and
// a resource that checks tokens on every access is not harmed by it. A
// counter that forgets repeats its tokens (property fencing, where node-restart
// empties the counter's node). And a primary that is cut off and still serves
// some may let in one more holder after its successor has, whose token is then
// greater (partition, fencing): no harm at the resource either.
//
// Commands: acquire 1 for a try that fails, 2 and those of the counter for one
// that succeeds; release 1. Defaults: those of SetPX.
type SetPXFencedElsewhere struct {
	client  polling.SetPXClient
	counter Counter
	name    string
	options Options
}

// A Counter returns numbers, each greater than all before. It must be safe for
// concurrent use.
type Counter interface {
	Next(ctx context.Context) (int64, error)
}

// NewSetPXFencedElsewhere returns a locker for the lock of the given name, which
// is the key, with tokens from the counter. It is safe for concurrent use if
// options.Rand is nil.
func NewSetPXFencedElsewhere(client polling.SetPXClient, counter Counter, name string, options Options) *SetPXFencedElsewhere {
	return &SetPXFencedElsewhere{client: client, counter: counter, name: name, options: options.withDefaults()}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXFencedElsewhere) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.spin(ctx, l.try)
}

func (l *SetPXFencedElsewhere) try(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
	ok, err := l.client.SetNX(ctx, l.name, value, ttl).Result()
	if err != nil || !ok {
		return nil, err
	}
	token, err := l.counter.Next(ctx)
	if err == nil {
		var held bool
		if held, err = scripts.Expire(ctx, l.client, l.name, value, ttl); err == nil && held {
			return &fencedLease{scripts.Lease{Client: l.client, Name: l.name, Value: value}, token}, nil
		}
	}
	if err == nil {
		return nil, nil // the lock has expired meanwhile: try again
	}
	// The key is ours and may not stay, even if ctx is done meanwhile.
	undo := scripts.Delete(context.WithoutCancel(ctx), l.client, l.name, value)
	if undo != nil && !errors.Is(undo, lock.ErrNotHeld) {
		err = errors.Join(err, undo)
	}
	return nil, err
}

// RedisCounter is a [Counter] in Redis.
type RedisCounter struct {
	client   pipeliner
	key      string
	replicas int
}

type pipeliner interface {
	Pipelined(ctx context.Context, f func(redis.Pipeliner) error) ([]redis.Cmder, error)
}

// replicasPatience is how long a counter waits for its replicas.
const replicasPatience = time.Second

// NewRedisCounter returns a counter under the given key. Next returns a number only
// once the given number of replicas have it (0 for none), so that a failover to one of
// them does not repeat it.
func NewRedisCounter(client pipeliner, key string, replicas int) *RedisCounter {
	return &RedisCounter{client: client, key: key, replicas: replicas}
}

// Next sends INCR, and WAIT for the replicas. A number whose answer is lost, or that
// too few replicas have, is not used again.
func (c *RedisCounter) Next(ctx context.Context) (int64, error) {
	var number *redis.IntCmd
	var wait *redis.Cmd
	// WAIT counts for the writes of its own connection: see SetPXWait.
	_, err := c.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		number = p.Incr(ctx, c.key)
		if c.replicas > 0 {
			wait = p.Do(ctx, "wait", c.replicas, replicasPatience.Milliseconds())
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if wait == nil {
		return number.Val(), nil
	}
	switch have, err := wait.Int(); {
	case err != nil:
		return 0, err
	case have < c.replicas:
		return 0, fmt.Errorf("the counter %q has %d replicas that know its number, want %d", c.key, have, c.replicas)
	}
	return number.Val(), nil
}
