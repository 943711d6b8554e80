package testlocks

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// The untrue claim a lock that the store has not granted, take another's, or do not report a loss that they know of: each
// breaks in a way that might be mistaken for a limit of leases.
var untrue = []cell.Lock{
	{ID: "test-takes-after-timeout", Summary: "asks again without NX when its first request has timed out", Subject: cell.Mutex(impatientWith(takesAnyway))},
	{ID: "test-timeout-is-acquired", Summary: "takes a request that has timed out for one that was granted", Subject: cell.Mutex(impatientWith(believes))},
	{ID: "test-watchdog-too-slow", Summary: "is renewed when its lease has ended, and signals the loss then", Renews: true, Subject: cell.Mutex(watchdogWith(1.2, true))},
	{ID: "test-watchdog-mute", Summary: "is renewed in time, and its Lost is never closed", Renews: true, Subject: cell.Mutex(watchdogWith(1.0/3, false))},
	{ID: "test-watchdog-tells", Summary: "is renewed in time, and signals the loss when its lease has ended by its clock: sound", Renews: true, Subject: cell.Mutex(watchdogThatTells)},
	{ID: "test-lease-acquires-late", Summary: "does not look at its clock when it has the lock", Subject: cell.Mutex(leaseWith(vices{neverLooks: true}))},
	{ID: "test-extends-late", Summary: "has no Until, and does not look at its clock when it has extended", Subject: cell.Mutex(without(vices{neverLooks: true}, (*endless).extend))},
	{ID: "test-extend-cleans-up", Summary: "cleans up after an Extend that timed out, and says that it succeeded", Subject: cell.Mutex(without(vices{}, (*endless).extendAndCleanUp))},
}

// timedOut reports whether a request was given up by its client.
func timedOut(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// impatientWith returns a lease whose requests time out after a quarter of it, and are not sent again: then decides what
// happens next.
func impatientWith(then func(g *grant) (taken bool, err error)) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		o := redisstore.Options(c)
		o.ReadTimeout, o.MaxRetries = c.TTL()/4, -1
		client := redis.NewClient(o)
		c.Cleanup(func() { _ = client.Close() })
		return impatient{&leaser{vices: vices{kept: asString}, client: c, redis: client, random: c.Rand().Uint64}, then}
	}
}

type impatient struct {
	of   *leaser
	then func(*grant) (bool, error)
}

func (l impatient) Acquire(ctx context.Context) (lock.Lease, error) {
	g := l.of.grant()
	for {
		start := l.of.client.Clock().Now()
		taken, err := l.of.redis.SetNX(ctx, l.of.client.LockName(), g.value, l.of.client.TTL()).Result()
		g.until = start.Add(l.of.client.TTL() - margin)
		if timedOut(err) {
			taken, err = l.then(g)
		}
		switch {
		case taken && l.of.client.Clock().Now().Before(g.until):
			return g, nil
		case err == nil:
			err = l.of.sleep(ctx, steady())
		}
		if err != nil {
			return nil, g.abandon(ctx, err)
		}
	}
}

// takesAnyway overwrites whatever is there.
func takesAnyway(g *grant) (bool, error) {
	start := g.client.Clock().Now()
	g.until = start.Add(g.client.TTL() - margin)
	err := g.redis.Set(context.Background(), g.client.LockName(), g.value, g.client.TTL()).Err()
	return err == nil, err
}

// believes takes no answer for success.
func believes(*grant) (bool, error) { return true, nil }

// watchdogWith is renewed once in the given number of leases. If it signals its loss, it has a Lost that is closed when a
// renewal fails.
func watchdogWith(every float64, signals bool) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		return renewed{&leaser{vices: vices{kept: asString}, client: c, redis: connect(c), random: c.Rand().Uint64}, every, signals}
	}
}

type renewed struct {
	of      *leaser
	every   float64
	signals bool
}

func (l renewed) Acquire(ctx context.Context) (lock.Lease, error) {
	got, err := l.of.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	w := &notifier{watched: &watched{grant: got.(*grant)}, of: l, lost: make(chan struct{})}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = l.of.client.Clock().AfterFunc(w.rest(), w.renew)
	return notifying{w}, nil
}

// notifier is a watchdog with a Lost.
type notifier struct {
	*watched
	of   renewed
	lost chan struct{}
}

func (w *notifier) rest() time.Duration { return time.Duration(w.of.every * float64(w.client.TTL())) }

func (w *notifier) renew() {
	held, err := w.run(w.ctx, w.kept.prolong, w.client.TTL())
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ctx.Err() != nil:
	case held || err != nil:
		w.next.Reset(w.rest())
	case w.of.signals:
		close(w.lost)
	}
}

// notifying is its holder's view: no end, and no Extend.
type notifying struct{ of *notifier }

func (l notifying) Release(ctx context.Context) error { return l.of.release(ctx) }
func (l notifying) Lost() <-chan struct{}             { return l.of.lost }

// watchdogThatTells is renewed every third of its lease, and closes Lost when the lease has ended by its clock, whatever
// the renewals returned.
func watchdogThatTells(c *cell.Client) lock.Locker {
	return telling{renewed{&leaser{vices: vices{kept: asString}, client: c, redis: connect(c), random: c.Rand().Uint64}, 1.0 / 3, false}}
}

type telling struct{ renewed }

func (l telling) Acquire(ctx context.Context) (lock.Lease, error) {
	got, err := l.renewed.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	w := got.(notifying).of
	go w.look()
	return got, nil
}

// look closes Lost at the end of the lease.
func (w *notifier) look() {
	for {
		w.mu.Lock()
		left := w.client.Clock().Until(w.until)
		w.mu.Unlock()
		if left <= 0 {
			close(w.lost)
			return
		}
		if w.sleep(w.ctx, left) != nil {
			return // released
		}
	}
}

// without returns a lease that has no Until, and is extended by the function.
func without(v vices, extend func(*endless, context.Context, time.Duration) error) cell.NewLock {
	v.kept = asString
	return func(c *cell.Client) lock.Locker {
		return endlessLocker{&leaser{vices: v, client: c, redis: connect(c), random: c.Rand().Uint64}, extend}
	}
}

type endlessLocker struct {
	of     *leaser
	extend func(*endless, context.Context, time.Duration) error
}

func (l endlessLocker) Acquire(ctx context.Context) (lock.Lease, error) {
	got, err := l.of.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return &endless{got.(*grant), l.extend}, nil
}

// endless hides the end of a grant's lease.
type endless struct {
	of       *grant
	prolongs func(*endless, context.Context, time.Duration) error
}

func (l *endless) Release(ctx context.Context) error { return l.of.Release(ctx) }
func (l *endless) Extend(ctx context.Context, ttl time.Duration) error {
	return l.prolongs(l, ctx, ttl)
}

func (l *endless) extend(ctx context.Context, ttl time.Duration) error { return l.of.Extend(ctx, ttl) }

// extendAndCleanUp gives up when it has waited for a quarter of the lease, cleans up as an Acquire would, and does not
// report that.
func (l *endless) extendAndCleanUp(ctx context.Context, ttl time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, ttl/4)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- l.of.Extend(limited, ttl) }()
	select {
	case err := <-answer:
		return err
	case <-limited.Done():
		_ = l.of.abandon(ctx, nil)
		return nil
	}
}
