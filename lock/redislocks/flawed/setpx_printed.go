package flawed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// PatientOptions are the options of locks whose Acquire waits for a limited time.
type PatientOptions struct {
	redislocks.Options
	// Wait is how long Acquire may wait (default 10 s). A context that ends
	// before ends it before.
	Wait time.Duration
}

// patience returns how long Acquire may wait.
func (o PatientOptions) patience() time.Duration {
	if o.Wait == 0 {
		return 10 * time.Second
	}
	return o.Wait
}

// SetPXVoidPrinted is [redislocks.SetPX] as an article that builds a distributed lock step
// by step prints it in Java: a method lock that tries and sleeps while its time
// lasts, and returns nothing, with the lock or without. It is flawed.
//
// Guarantee: none to a caller who cannot wait for as long as the lock is held.
//
// What breaks it: a client that has waited in vain goes on without the lock, and
// here gets a lease for it: two holders with no fault at all (scenario contention,
// properties mutual-exclusion and no-lost-update). It takes a connection from the
// pool for all of its tries, and gives it back when it has the lock, but not when it
// has waited in vain, was interrupted, or a request has failed. The pool is soon
// empty: from then on no thread of the process gets the lock, nor can a holder release
// it (scenario pool-exhausted, property progress). Requests fail with go-redis's
// "redis: connection pool timeout". A Close in a defer statement would prevent that.
// Only the sleeps count as waiting, and not the requests. Its release is the sound
// script, and removes no other client's lock.
//
// Defaults: those of [redislocks.SetPX], and 10 s to wait.
type SetPXVoidPrinted struct {
	client  voidClient
	name    string
	options polling.Options
	wait    time.Duration
}

type voidClient interface {
	redis.Scripter
	Conn() *redis.Conn
}

// NewSetPXVoidPrinted returns a locker for the lock of the given name, which is
// the key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXVoidPrinted(client voidClient, name string, options PatientOptions) *SetPXVoidPrinted {
	return &SetPXVoidPrinted{client: client, name: name, options: withDefaults(options.Options), wait: options.patience()}
}

// Acquire tries until the lock is held, or for as long as it may wait. In
// either case it returns a lease. Any error leaves open whether the lock was
// taken.
func (l *SetPXVoidPrinted) Acquire(ctx context.Context) (lock.Lease, error) {
	conn := l.client.Conn()
	slept := time.Duration(0)
	return l.options.Spin(ctx, func(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
		held := &scripts.Lease{Client: l.client, Name: l.name, Value: value}
		if slept > l.wait {
			return held, nil // it is not, and the connection is not given back
		}
		ok, err := conn.SetNX(ctx, l.name, value, ttl).Result()
		if err != nil || !ok {
			slept += l.options.MinSleep // as the options say
			return nil, err
		}
		_ = conn.Close() // gives it back
		return held, nil
	})
}

// SetPXWaitAsTTLPrinted is [redislocks.SetPX] as an article on pull-mode locks prints its
// command: SET name value NX PX D, where D is the article's name for the longest
// wait of Acquire, and TTL its name for the key's lifetime. It is flawed.
//
// Guarantee: that of SetPX for holds shorter than the time that Acquire may
// wait.
//
// What breaks it: a caller that does not wait for long has a short lease, which
// ends while it works (scenario contention, property mutual-exclusion, with no
// fault at all); a caller that waits for long and crashes locks the others out for
// as long.
//
// Options.TTL and lock.WithTTL are not used, although its users expect them to be.
// Defaults: 10 s to wait, and so of lease.
type SetPXWaitAsTTLPrinted struct {
	client  polling.SetPXClient
	name    string
	options polling.Options
	wait    time.Duration
}

// NewSetPXWaitAsTTLPrinted returns a locker for the lock of the given name,
// which is the key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXWaitAsTTLPrinted(client polling.SetPXClient, name string, options PatientOptions) *SetPXWaitAsTTLPrinted {
	return &SetPXWaitAsTTLPrinted{client: client, name: name, options: withDefaults(options.Options), wait: options.patience()}
}

// Acquire tries until the lock is held, ctx is done, or for as long as it may
// wait. Any error leaves open whether the lock was taken.
func (l *SetPXWaitAsTTLPrinted) Acquire(ctx context.Context) (lock.Lease, error) {
	start := l.options.Clock.Now()
	return l.options.Spin(ctx, func(ctx context.Context, value string, _ time.Duration) (lock.Lease, error) {
		if waited := l.options.Clock.Since(start); waited > l.wait {
			return nil, fmt.Errorf("still taken after %v: %w", waited, errGaveUp)
		}
		ok, err := l.client.SetNX(ctx, l.name, value, max(l.wait, time.Millisecond)).Result()
		if err != nil || !ok {
			return nil, err
		}
		return &scripts.Lease{Client: l.client, Name: l.name, Value: value}, nil
	})
}

// errGaveUp is not lock.ErrNotAcquired: see spin.
var errGaveUp = errors.New("gave up waiting")

// SetPXSpinReleasePrinted is [redislocks.SetPX] as a much-copied article on "the right way"
// prints it in Java (its version 2): the value is JSON with a unique id, and
// Release runs the sound script, again and again, every 200 ms, until that has
// deleted the key, for up to 24.8 days (the greatest int of milliseconds). It is
// flawed.
//
// Guarantee: that of SetPX.
//
// What breaks it: a lease that has ended cannot be released, so Release does not
// return: under lost-reply, late-request and hung-node, where setpx is clean, and
// under gc-pause, searches come out inconclusive, because the runs do not end.
// And all that breaks SetPX.
//
// Defaults: those of SetPX.
type SetPXSpinReleasePrinted struct {
	client  polling.SetPXClient
	name    string
	options polling.Options
}

const (
	printedInterval = 200 * time.Millisecond
	printedPatience = math.MaxInt32 * time.Millisecond
)

// NewSetPXSpinReleasePrinted returns a locker for the lock of the given name,
// which is the key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXSpinReleasePrinted(client polling.SetPXClient, name string, options redislocks.Options) *SetPXSpinReleasePrinted {
	return &SetPXSpinReleasePrinted{client: client, name: name, options: withDefaults(options)}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXSpinReleasePrinted) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, func(ctx context.Context, id string, ttl time.Duration) (lock.Lease, error) {
		value, err := json.Marshal(map[string]string{"uid": id})
		if err != nil {
			return nil, err
		}
		ok, err := l.client.SetNX(ctx, l.name, string(value), ttl).Result()
		if err != nil || !ok {
			return nil, err
		}
		return &spinReleaseLease{l, string(value)}, nil
	})
}

type spinReleaseLease struct {
	lock  *SetPXSpinReleasePrinted
	value string
}

// Release deletes the key if it is still this acquisition's, and tries again
// for as long as it is not.
func (l *spinReleaseLease) Release(ctx context.Context) error {
	clock := l.lock.options.Clock
	for start := clock.Now(); clock.Since(start) <= printedPatience; {
		err := scripts.Delete(ctx, l.lock.client, l.lock.name, l.value)
		if !errors.Is(err, lock.ErrNotHeld) {
			return err
		}
		pause := clock.NewTimer(printedInterval)
		select {
		case <-pause.Chan():
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("redislocks: release: %w", ctx.Err())
		}
	}
	return lock.ErrNotHeld
}
