package redislocks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Redlock is the lock on several independent Redis servers by the algorithm of
// that name (Redis documentation, "Distributed Locks with Redis"; Sanfilippo,
// 2014): SET NX PX on all of them at once, with one random value; it is held if a
// majority has it before the validity has passed, which is the TTL less a drift
// margin, counted from before the requests were sent. Otherwise it is deleted on
// all of them, and tried again after a pause.
//
// When a majority has it, it waits for the other servers as long again, so that
// more servers have it than necessary; a server that is down or hangs costs little.
// Requests to such a server go on in the background; if the lock is given up before
// they end, their keys are deleted then. Callers that share a locker try one after
// the other: together they would split the votes, and none would have a majority.
//
// It guarantees mutual exclusion as long as holders respect Until and a majority of
// the servers keep acknowledged writes and have clocks that run and do not jump. It
// is sound with any minority down, hung or cut off. What breaks it: a pause after
// the look at Until (gc-pause, overrun); with a bare majority one of it that
// forgets, by a failover, or a restart without its data, or whose clock jumps ahead
// (failover-loss, node-restart, server-clock-jump: mutual-exclusion). Servers may
// be primaries with replicas, which can forget as well: with three of them a
// failover soon leaves no majority (redlock-replicated, failover-loss). If holders
// do not check Until, a pause leads to two holders (redlock-unchecked, gc-pause:
// mutual-exclusion). A release whose answers are lost may say that the lock was not
// held (lost-reply, release-denied). It has no fencing tokens.
//
// Defaults: a TTL of 30 s; NodeTimeout of a twentieth of the TTL, 500 ms at most.
type Redlock struct {
	servers []*server
	name    string
	options RedlockOptions
	quorum  int
	random  *polling.Random
	trying  chan struct{}   // one at a time
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	closing sync.Mutex // so that nothing is started after it; never held while anything is waited for
	running sync.WaitGroup
}

// RedlockNode is a client of one of the servers.
type RedlockNode = redis.Scripter

// RedlockOptions are the options of [Redlock].
type RedlockOptions struct {
	Options
	// NodeTimeout is how long a try waits for servers that have not answered
	// while there is no majority either way (default: a twentieth of the TTL,
	// 500 ms at most). It must be well below the TTL.
	NodeTimeout time.Duration
}

// NewRedlock returns a locker for the lock of the given name, which is the key on
// each of the servers. Their number should be odd. It keeps goroutines while
// servers have not answered; Close waits for them. It is safe for concurrent use.
func NewRedlock(nodes []RedlockNode, name string, options RedlockOptions) *Redlock {
	options.Options = options.withDefaults()
	if options.NodeTimeout == 0 {
		options.NodeTimeout = min(options.TTL/20, 500*time.Millisecond)
	}
	l := &Redlock{name: name, options: options, quorum: len(nodes)/2 + 1,
		random: options.random(), trying: make(chan struct{}, 1)}
	for _, node := range nodes {
		l.servers = append(l.servers, &server{client: node})
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Close makes waiters return [lock.ErrClosed], and waits for open requests: if a
// server hangs, for the client's own timeout, and for two TTLs at most. It releases
// no lease; leases can be released after it.
func (l *Redlock) Close() error {
	l.closing.Lock()
	l.cancel()
	l.closing.Unlock()
	l.running.Wait()
	return nil
}

// Acquire tries until a majority of the servers has the lock, ctx is done, or the
// locker is closed, or so many servers fail that there can be no majority. After an
// error other than [lock.ErrClosed] it has tried to give back the lock that it may
// have taken; a late request may still take it.
func (l *Redlock) Acquire(ctx context.Context) (lock.Lease, error) {
	lease, err := l.acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("redislocks: acquire: %w", err)
	}
	return lease, nil
}

func (l *Redlock) acquire(ctx context.Context) (lock.Lease, error) {
	if err := l.ended(ctx); err != nil {
		return nil, err
	}
	select {
	case l.trying <- struct{}{}:
		defer func() { <-l.trying }()
	case <-l.ctx.Done():
		return nil, lock.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		start := l.options.Clock.Now()
		lease, err := l.attempt(ctx)
		if !errors.Is(err, lock.ErrNotAcquired) {
			return lease, err
		}
		if err := l.rest(ctx, l.options.Clock.Since(start)); err != nil {
			return nil, err
		}
	}
}

// ended returns the reason to stop trying, or nil.
func (l *Redlock) ended(ctx context.Context) error {
	if l.ctx.Err() != nil {
		return lock.ErrClosed
	}
	return ctx.Err()
}

// rest pauses before another try. Clients that have split the votes should not try
// again at the same time, so it adds a random part of up to twice the duration of a try
// to the pause of the options.
func (l *Redlock) rest(ctx context.Context, took time.Duration) error {
	spread := time.Duration(l.random.Draw(max(int(2*took/time.Microsecond), 1))) * time.Microsecond
	timer := l.options.Clock.NewTimer(l.random.Pause() + spread)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-l.ctx.Done():
		return lock.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TryAcquire tries once.
func (l *Redlock) TryAcquire(ctx context.Context) (lock.Lease, error) {
	var lease lock.Lease
	err := l.ended(ctx)
	if err == nil {
		lease, err = l.attempt(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("redislocks: acquire: %w", err)
	}
	return lease, nil
}

// attempt asks all servers once. It returns [lock.ErrNotAcquired] if there was no
// majority, or too late. Each attempt has a value of its own, because the deletions of
// the attempt before may still be under way.
func (l *Redlock) attempt(ctx context.Context) (lock.Lease, error) {
	value := rand.Text()
	ttl := max(lock.TTL(ctx, l.options.TTL), time.Millisecond)
	start := l.options.Clock.Now()
	asked := l.ask(ctx, ttl, func(ctx context.Context, node RedlockNode) (bool, error) {
		n, err := scripts.AddIfAbsent.Run(ctx, node, []string{l.name}, value, scripts.Millis(ttl)).Int()
		return n == 1, err
	})
	lease := &redlockLease{lock: l, value: value, ttl: ttl, asked: asked, until: validUntil(start, ttl)}
	got := asked.wait(ctx, l, l.options.NodeTimeout, true)
	if got.yes >= l.quorum && l.options.Clock.Now().Before(lease.until) {
		return lease, nil
	}
	short, cancel := cleanup(ctx)
	defer cancel()
	lease.delete(short, ttl).wait(short, l, l.options.NodeTimeout, false)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case l.ctx.Err() != nil:
		return nil, lock.ErrClosed
	case got.failed > len(l.servers)-l.quorum:
		return nil, errors.Join(got.errs...)
	}
	return nil, lock.ErrNotAcquired
}

// redlockLease is one acquisition.
type redlockLease struct {
	lock  *Redlock
	value string
	asked *ballot // who was asked for the lock

	mu    sync.Mutex
	until time.Time
	ttl   time.Duration // the longest of the acquisition and of extensions
}

// Until returns the end of the validity.
func (l *redlockLease) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// delete deletes the lock on all servers that were asked for it, for up to ttl, after
// which it does not exist any more.
func (l *redlockLease) delete(ctx context.Context, ttl time.Duration) *ballot {
	return l.lock.undo(ctx, ttl, l.asked, func(ctx context.Context, node RedlockNode) (bool, error) {
		n, err := scripts.CompareAndDelete.Run(ctx, node, []string{l.lock.name}, l.value).Int()
		return n == 1, err
	})
}

// Release deletes the lock on all servers, and returns when a majority has deleted it,
// or it is clear that no majority will. It returns [lock.ErrNotHeld] if a majority did
// not have it.
func (l *redlockLease) Release(ctx context.Context) error {
	l.mu.Lock()
	ttl := l.ttl
	l.mu.Unlock()
	got := l.delete(ctx, ttl).wait(ctx, l.lock, min(patience, ttl/2), false)
	switch {
	case got.yes >= l.lock.quorum:
		return nil
	case got.no > len(l.lock.servers)-l.lock.quorum:
		return lock.ErrNotHeld
	}
	return fmt.Errorf("redislocks: release: %d of %d servers have deleted the lock: %w", got.yes, len(l.lock.servers), got.why(ctx))
}

// Extend makes the lease last for ttl from now, if a majority of the servers still has
// it.
func (l *redlockLease) Extend(ctx context.Context, ttl time.Duration) error {
	ttl = max(ttl, time.Millisecond)
	start := l.lock.options.Clock.Now()
	asked := l.lock.ask(ctx, ttl, func(ctx context.Context, node RedlockNode) (bool, error) {
		n, err := scripts.CompareAndExpire.Run(ctx, node, []string{l.lock.name}, l.value, scripts.Millis(ttl)).Int()
		return n == 1, err
	})
	defer asked.stop()
	got := asked.wait(ctx, l.lock, l.lock.options.NodeTimeout, true)
	until := validUntil(start, ttl)
	switch {
	case got.yes >= l.lock.quorum && l.lock.options.Clock.Now().Before(until):
		l.mu.Lock()
		defer l.mu.Unlock()
		l.until, l.ttl = until, max(l.ttl, ttl)
		return nil
	case got.no > len(l.lock.servers)-l.lock.quorum:
		return lock.ErrNotHeld
	}
	return fmt.Errorf("redislocks: extend: %d of %d servers have extended the lock in time: %w", got.yes, len(l.lock.servers), got.why(ctx))
}
