package testlocks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// The leases are one lock that can do everything a lease can do and keeps all its promises, and locks that break one of
// them each: both sides of every property.
var leases = []cell.Lock{
	{ID: "test-lease", Summary: "tries, extends, cleans up and knows its end: sound", Subject: cell.Mutex(leaseWith(vices{}))},
	{ID: "test-lease-subscribed", Summary: "test-lease that is woken by pub/sub: sound", Subject: cell.Mutex(leaseWith(vices{subscribes: true}))},
	{ID: "test-lease-looks-once", Summary: "waits for a message only, and does not look again when it is subscribed", Subject: cell.Mutex(leaseWith(vices{subscribes: true, endless: true, looksOnce: true}))},
	{ID: "test-lease-deaf", Summary: "waits for a message only, also when its connection has broken meanwhile", Subject: cell.Mutex(leaseWith(vices{subscribes: true, endless: true, deaf: true}))},
	{ID: "test-lease-deaf-sleeps", Summary: "waits for a message or the expiry, also when its connection has broken meanwhile", Subject: cell.Mutex(leaseWith(vices{subscribes: true, deaf: true}))},
	{ID: "test-lease-counts-late", Summary: "counts its validity from the answer on", Subject: cell.Mutex(leaseWith(vices{countsLate: true}))},
	{ID: "test-lease-lies-in-release", Summary: "reports a release of a lock that it had lost", Subject: cell.Mutex(leaseWith(vices{liesInRelease: true}))},
	{ID: "test-lease-denies-release", Summary: "reports that it had not held the lock that it has just released", Subject: cell.Mutex(leaseWith(vices{deniesRelease: true}))},
	{ID: "test-lease-lies-in-extend", Summary: "reports an extension of a lock that it had lost", Subject: cell.Mutex(leaseWith(vices{liesInExtend: true}))},
	{ID: "test-lease-extends-anew", Summary: "extends a lost lock by taking it again", Subject: cell.Mutex(leaseWith(vices{extendsAnew: true}))},
	{ID: "test-lease-dead-context", Summary: "cleans up with the context that has ended", Subject: cell.Mutex(leaseWith(vices{deadContext: true}))},
	{ID: "test-lease-no-clean-up", Summary: "does not clean up after an Acquire of unknown outcome", Subject: cell.Mutex(leaseWith(vices{noCleanUp: true}))},
	{ID: "test-lease-ignores-context", Summary: "waits on when its context has ended", Subject: cell.Mutex(leaseWith(vices{ignoresContext: true}))},
	{ID: "test-lease-sleeps", Summary: "sleeps until the lock would expire", Subject: cell.Mutex(leaseWith(vices{sleeps: true}))},
}

// vices are what a lease may do wrong, and how it waits.
type vices struct {
	countsLate, liesInRelease, deniesRelease, liesInExtend, extendsAnew bool
	deadContext, noCleanUp, ignoresContext                              bool
	sleeps, subscribes, neverLooks                                      bool
	// endless waits without a limit for a message; looksOnce does not check the lock after subscribing, and deaf not after
	// subscribing again.
	endless, looksOnce, deaf bool
	// processValue uses one value for the process, not one for each acquisition.
	processValue bool
	// kept is how the lock is kept in Redis: as asString if nil.
	kept *kept
}

// kept are the scripts by which a lock is kept in Redis.
type kept struct{ take, give, prolong *redis.Script }

var asString = &kept{takeOwn, giveBack, prolong}

func leaseWith(v vices) cell.NewLock {
	if v.kept == nil {
		v.kept = asString
	}
	return func(c *cell.Client) lock.Locker {
		return &leaser{vices: v, client: c, redis: connect(c), random: c.Rand().Uint64}
	}
}

// leaser takes its key with a value that is the acquisition's own.
type leaser struct {
	vices
	client *cell.Client
	redis  *redis.Client
	random func() uint64
}

var errTooLate = errors.New("testlocks: the answer came too late")

const (
	// margin is the time by which a lease ends before its key expires.
	margin = 10 * time.Millisecond
	// patience is the maximum duration of a clean-up.
	patience = 2 * time.Second
)

// takeOwn takes a free key, or recognizes its own: an answer may have been lost, and the request sent again.
var takeOwn = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return 1 end
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`)

// giveBack removes its own key, and notifies the waiters.
var giveBack = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("DEL", KEYS[1])
redis.call("PUBLISH", KEYS[1] .. ":free", "")
return 1`)

// prolong extends its own key.
var prolong = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`)

func (l *leaser) grant() *grant {
	if l.processValue {
		return &grant{leaser: l, value: l.client.Name()}
	}
	return &grant{leaser: l, value: fmt.Sprintf("%s-%x", l.client.Name(), l.random())}
}

// TryAcquire takes the lock if it is free.
func (l *leaser) TryAcquire(ctx context.Context) (lock.Lease, error) {
	g := l.grant()
	switch taken, err := g.take(ctx); {
	case err != nil:
		return nil, g.abandon(ctx, err)
	case !taken:
		return nil, lock.ErrNotAcquired
	}
	return g, nil
}

// Acquire waits until it has the lock or ctx is done.
func (l *leaser) Acquire(ctx context.Context) (lock.Lease, error) {
	if l.ignoresContext {
		ctx = context.WithoutCancel(ctx)
	}
	g := l.grant()
	wait, stop := l.waiting(ctx)
	defer stop()
	for {
		taken, err := g.take(ctx)
		if taken {
			return g, nil
		}
		if err == nil {
			err = wait()
		}
		if err != nil {
			return nil, g.abandon(ctx, err)
		}
	}
}

// waiting returns how to wait for the next try, and a function that ends waiting for good.
func (l *leaser) waiting(ctx context.Context) (wait func() error, stop func()) {
	if !l.subscribes {
		return func() error { return l.sleep(ctx, l.pause(ctx)) }, func() {}
	}
	var sub *redis.PubSub
	return func() error {
			if sub == nil {
				sub = l.redis.Subscribe(ctx, l.client.LockName()+":free")
				if _, err := sub.Receive(ctx); err == nil && !l.looksOnce {
					return nil // and look again
				}
			}
			return l.listen(ctx, sub, l.client.Clock().Now().Add(l.attention(ctx)))
		}, func() {
			if sub != nil {
				_ = sub.Close()
			}
		}
}

// listen waits for a message, for the given time or until ctx is done. Closing a subscription that is reconnecting would
// wait for a mutex, so it checks ctx now and then.
func (l *leaser) listen(ctx context.Context, sub *redis.PubSub, until time.Time) error {
	for ctx.Err() == nil && l.client.Clock().Now().Before(until) {
		word, err := sub.ReceiveTimeout(ctx, 100*time.Millisecond)
		var slice net.Error
		_, again := word.(*redis.Subscription) // which go-redis does by itself
		switch {
		case err == nil && !(again && l.deaf):
			return nil
		case err == nil || errors.As(err, &slice) && slice.Timeout():
		default:
			if err := l.sleep(ctx, 10*time.Millisecond); err != nil || !l.deaf {
				return err // a word may have been lost with the connection
			}
		}
	}
	return ctx.Err()
}

// pause returns how long to wait between two tries.
func (l *leaser) pause(ctx context.Context) time.Duration {
	if l.sleeps {
		return l.remaining(ctx)
	}
	return 50*time.Millisecond + time.Duration(l.random()%uint64(50*time.Millisecond))
}

// attention returns how long to wait for a message.
func (l *leaser) attention(ctx context.Context) time.Duration {
	if l.endless {
		return time.Hour // runs are shorter
	}
	return l.remaining(ctx)
}

// remaining returns when the lock will expire, as far as can be learnt.
func (l *leaser) remaining(ctx context.Context) time.Duration {
	ttl, err := l.redis.PTTL(ctx, l.client.LockName()).Result()
	if err != nil || ttl < 0 {
		return time.Millisecond
	}
	return ttl
}

func (l *leaser) sleep(ctx context.Context, d time.Duration) error {
	timer := l.client.Clock().NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// grant is one acquisition.
type grant struct {
	*leaser
	value string
	until time.Time
}

// run runs a script on the lock's key with the grant's value. If the script returns 1, the lease is valid for ttl from
// before the request.
func (g *grant) run(ctx context.Context, script *redis.Script, ttl time.Duration) (bool, error) {
	start := g.client.Clock().Now()
	n, err := script.Run(ctx, g.redis, []string{g.client.LockName()}, g.value, ttl.Milliseconds()).Int()
	if err != nil || n == 0 {
		return false, err
	}
	if g.countsLate {
		start = g.client.Clock().Now()
	}
	if ttl > 0 {
		g.until = start.Add(ttl - margin)
	}
	return true, nil
}

// take tries once. A success that is no longer wanted, or too late, is none.
func (g *grant) take(ctx context.Context) (bool, error) {
	taken, err := g.run(ctx, g.kept.take, g.client.TTL())
	switch {
	case !taken:
		return false, err
	case ctx.Err() != nil:
		return false, ctx.Err()
	case !g.neverLooks && !g.client.Clock().Now().Before(g.until):
		return false, errTooLate
	}
	return true, nil
}

// abandon gives back whatever may have been taken, whether or not ctx has ended.
func (g *grant) abandon(ctx context.Context, err error) error {
	if g.noCleanUp {
		return err
	}
	if !g.deadContext {
		live, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		ctx = live
	}
	_, failed := g.run(ctx, g.kept.give, 0)
	return errors.Join(err, failed)
}

// Release gives the lock back if it is still its own.
func (g *grant) Release(ctx context.Context) error {
	switch own, err := g.run(ctx, g.kept.give, 0); {
	case err != nil:
		return err
	case g.deniesRelease, !own && !g.liesInRelease:
		return lock.ErrNotHeld
	}
	return nil
}

// Extend makes the lease last for ttl from now if it is still its own.
func (g *grant) Extend(ctx context.Context, ttl time.Duration) error {
	script := g.kept.prolong
	if g.extendsAnew {
		script = g.kept.take
	}
	own, err := g.run(ctx, script, ttl)
	switch {
	case err != nil:
		return err
	case !own && g.liesInExtend:
		g.until = g.client.Clock().Now().Add(ttl)
	case !own:
		return lock.ErrNotHeld
	case !g.neverLooks && !g.client.Clock().Now().Before(g.until):
		return errTooLate
	}
	return nil
}

// Until returns the end of the lease.
func (g *grant) Until() time.Time { return g.until }
