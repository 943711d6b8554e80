package flawed

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// LeasedWatchdog is [redislocks.Watchdog] as callers use it who give each acquisition a lease, and count on the watchdog
// besides: lock.lock(30, SECONDS) in Redisson. It is flawed.
//
// Guarantee: that of [redislocks.Reentrant] for holds that are shorter than the lease.
//
// What breaks it: an acquisition with a lease of its own has no watchdog, and nothing says so. A hold that takes longer
// than the lease, which the watchdog is there for, goes on without the lock: two holders with no fault at all (scenario
// contention, properties mutual-exclusion and no-lost-update). Redisson's lock returns nothing, and so its lease here reports
// neither its end nor its loss. Without the lease there is a watchdog: [redislocks.Watchdog] is the sound one.
//
// Commands: those of Reentrant. Defaults: a lease of 30 s.
type LeasedWatchdog struct {
	*redislocks.Watchdog
	lease time.Duration
}

// NewLeasedWatchdog returns a locker for the lock of the given name, which is the key. Options.TTL is the lease. It keeps a
// connection while a caller waits; Close ends that. It is safe for concurrent use.
func NewLeasedWatchdog(client subscribing, name string, options redislocks.Options) *LeasedWatchdog {
	return &LeasedWatchdog{redislocks.NewWatchdog(client, name, redislocks.WatchdogOptions{Options: options}), withDefaults(options).TTL}
}

// Acquire waits until the lock is held, ctx is done, or the locker is closed. Its errors are those of [redislocks.Reentrant].
func (l *LeasedWatchdog) Acquire(ctx context.Context) (lock.Lease, error) {
	return unwatched(l.Watchdog.Acquire(lock.WithTTL(ctx, lock.TTL(ctx, l.lease))))
}

// TryAcquire takes the lock if it is free, or the owner's already.
func (l *LeasedWatchdog) TryAcquire(ctx context.Context) (lock.Lease, error) {
	return unwatched(l.Watchdog.TryAcquire(lock.WithTTL(ctx, lock.TTL(ctx, l.lease))))
}

// unwatched hides all of a lease but its release.
func unwatched(held lock.Lease, err error) (lock.Lease, error) {
	if err != nil {
		return nil, err
	}
	return struct{ lock.Lease }{held}, nil
}
