package testlocks

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// The counted are test-lease with fencing tokens, which are drawn before the lock
// is asked for, or with the same step that takes it.
var counted = []cell.Lock{
	{ID: "test-counts-then-takes", Summary: "draws its token before it takes the lock, so that a later holder may have a lower one", Subject: cell.Mutex(countedWith(true))},
	{ID: "test-counts-and-takes", Summary: "draws its token in the step that takes the lock: sound", Subject: cell.Mutex(countedWith(false))},
}

// takeCounted takes a free key and answers with a token, negative if the key was
// another's; a token that is drawn already is kept.
var takeCounted = redis.NewScript(`
local token = tonumber(ARGV[3])
if redis.call("GET", KEYS[1]) == ARGV[1] then return tonumber(redis.call("GET", KEYS[2])) end
if not redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return -1 end
if token == 0 then token = redis.call("INCR", KEYS[2]) end
return token`)

func countedWith(first bool) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		return &counter{leaser: &leaser{vices: vices{kept: asString}, client: c, redis: connect(c), random: c.Rand().Uint64}, first: first}
	}
}

// counter is a leaser whose leases have tokens.
type counter struct {
	*leaser
	first bool // it draws the token first
}

// countedGrant is one acquisition of it.
type countedGrant struct {
	*grant
	token int64
}

// Token returns the fencing token.
func (g *countedGrant) Token() int64 { return g.token }

// TryAcquire takes the lock if it is free.
func (l *counter) TryAcquire(ctx context.Context) (lock.Lease, error) {
	g := &countedGrant{grant: l.grant()}
	switch taken, err := l.take(ctx, g); {
	case err != nil:
		return nil, g.abandon(ctx, err)
	case !taken:
		return nil, lock.ErrNotAcquired
	}
	return g, nil
}

// Acquire waits until it has the lock or ctx is done.
func (l *counter) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		g := &countedGrant{grant: l.grant()}
		taken, err := l.take(ctx, g)
		if taken {
			return g, nil
		}
		if err == nil {
			err = l.sleep(ctx, l.pause(ctx))
		}
		if err != nil {
			return nil, g.abandon(ctx, err)
		}
	}
}

// take tries once. The validity counts from before the first request.
func (l *counter) take(ctx context.Context, g *countedGrant) (bool, error) {
	ttl := l.client.TTL()
	g.until = l.client.Clock().Now().Add(ttl - margin)
	var err error
	if l.first {
		if g.token, err = l.redis.Incr(ctx, l.client.LockName()+":token").Result(); err != nil {
			return false, err
		}
	}
	keys := []string{l.client.LockName(), l.client.LockName() + ":token"}
	token, err := takeCounted.Run(ctx, l.redis, keys, g.value, ttl.Milliseconds(), g.token).Int64()
	switch {
	case err != nil || token < 0:
		return false, err
	case ctx.Err() != nil:
		return false, ctx.Err()
	case !l.client.Clock().Now().Before(g.until):
		return false, errTooLate
	}
	if !l.first {
		g.token = token
	}
	return true, nil
}
