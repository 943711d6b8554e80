package redislocks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// Multi is several locks as one, like Redisson's RedissonMultiLock: it takes them
// in the given order, all or none. If it cannot take one of them in time it gives
// back the others, and begins again after a pause, so that lockers with other
// orders make progress.
//
// Two lockers exclude each other as far as the locks that they share do. It
// guarantees what these locks guarantee: if they are several, on several servers,
// all have to fail before there are two holders. Its validity is the shortest of
// theirs. Leases age while it waits for the rest, so they must be well longer than
// Patience for each lock. If some leases run out in that time, the acquisition
// begins again.
//
// What breaks it, with a lock on each of two servers: one of them that forgets, or
// whose clock jumps ahead, makes the lease claim more than the servers have
// (scenarios failover-loss, partition, node-restart and server-clock-jump, property
// lease-honesty); a pause after the look at Until (gc-pause, overrun). A lock that
// could not be given back stays taken until its lease runs out (late-request,
// no-orphan). While one of the servers is down no client gets it.
//
// Defaults: Patience of 1.5 s for each lock.
type Multi struct {
	lockers  []lock.Locker
	clock    clockwork.Clock
	pause    func() time.Duration
	patience time.Duration
}

// MultiOptions are the options of [Multi]. The TTL is not used: the locks have
// theirs.
type MultiOptions struct {
	Options
	// Patience is how long it waits for one lock while others are held (default 1.5
	// s). The wait for the first has no limit.
	Patience time.Duration
}

// NewMulti returns a locker for all of the locks at once. It closes none of
// them. It is safe for concurrent use.
func NewMulti(options MultiOptions, lockers ...lock.Locker) *Multi {
	o := options.withDefaults()
	if options.Patience == 0 {
		options.Patience = 1500 * time.Millisecond
	}
	return &Multi{lockers: slices.Clone(lockers), clock: o.Clock, pause: o.random().Pause, patience: options.Patience}
}

// Acquire waits until all locks are held or ctx is done. If a lock fails with an
// error other than that it was taken, Acquire gives the others back and returns
// that error.
func (l *Multi) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		held, err := l.all(ctx)
		if err != nil {
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		}
		if held != nil {
			return held.lease(), nil
		}
		timer := l.clock.NewTimer(l.pause())
		select {
		case <-timer.Chan():
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("redislocks: acquire: %w", ctx.Err())
		}
	}
}

// all takes one lock after the other. It returns nil if one of them was taken, and then
// holds none.
func (l *Multi) all(ctx context.Context) (leases, error) {
	held := leases{} // not nil, even without locks
	for i, locker := range l.lockers {
		one, err := l.one(ctx, locker, i == 0)
		if err == nil {
			held = append(held, one)
			continue
		}
		busy := ctx.Err() == nil && (errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, context.DeadlineExceeded))
		undone := l.undo(ctx, held)
		if busy && undone == nil {
			return nil, nil
		}
		return nil, errors.Join(err, undone)
	}
	if until, ok := held.until(); ok && !l.clock.Now().Before(until) {
		return nil, l.undo(ctx, held)
	}
	return held, nil
}

func (l *Multi) one(ctx context.Context, locker lock.Locker, first bool) (lock.Lease, error) {
	if first {
		return locker.Acquire(ctx)
	}
	ctx, cancel := clockwork.WithTimeout(ctx, l.clock, l.patience)
	defer cancel()
	return locker.Acquire(ctx)
}

// undo gives back the held locks, with a short context of its own, and retries once
// with another: a pause, or a late request, may use up one.
func (l *Multi) undo(ctx context.Context, held leases) (err error) {
	for range 2 {
		limited, cancel := cleanup(ctx)
		err = held.release(limited)
		cancel()
		if err == nil || errors.Is(err, lock.ErrNotHeld) {
			return nil
		}
	}
	return err
}

// leases are the leases of one acquisition, in order.
type leases []lock.Lease

// release gives all up, the last one first. It returns [lock.ErrNotHeld] if that is the
// only error.
func (l leases) release(ctx context.Context) error {
	var failed, lost error
	for _, one := range slices.Backward(l) {
		switch err := one.Release(ctx); {
		case errors.Is(err, lock.ErrNotHeld):
			lost = lock.ErrNotHeld
		case err != nil:
			failed = errors.Join(failed, err)
		}
	}
	if failed != nil {
		return failed
	}
	return lost
}

// until returns when the first of them ends; ok is false if none has an end.
func (l leases) until() (first time.Time, ok bool) {
	for _, one := range l {
		if e, expires := one.(lock.Expirer); expires && (!ok || e.Until().Before(first)) {
			first, ok = e.Until(), true
		}
	}
	return first, ok
}

// lease returns all of them as one lease, which is a [lock.Expirer] if one of them is,
// and a [lock.Extender] if all are.
func (l leases) lease() lock.Lease {
	_, expires := l.until()
	for _, one := range l {
		if _, can := one.(lock.Extender); !can && expires {
			return expiringLeases{multiLease{l}}
		}
	}
	if expires {
		return extensibleLeases{expiringLeases{multiLease{l}}}
	}
	return multiLease{l}
}

type multiLease struct{ leases leases }

// Release gives all of the locks up, the last one first.
func (l multiLease) Release(ctx context.Context) error { return l.leases.release(ctx) }

type expiringLeases struct{ multiLease }

// Until returns when the first of the leases ends.
func (l expiringLeases) Until() time.Time {
	until, _ := l.leases.until()
	return until
}

type extensibleLeases struct{ expiringLeases }

// Extend makes all of the leases last for ttl from now. If it fails for one of
// them, the others may have been extended.
func (l extensibleLeases) Extend(ctx context.Context, ttl time.Duration) error {
	for _, one := range l.leases {
		if err := one.(lock.Extender).Extend(ctx, ttl); err != nil {
			return err
		}
	}
	return nil
}
