package redislocks

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// validUntil returns the end of the validity of a lease that was requested at start. It
// is a hundredth and 2 ms before the TTL, as in Redlock, because the server's clock may
// run faster than ours.
func validUntil(start time.Time, ttl time.Duration) time.Time {
	return start.Add(ttl - ttl/100 - 2*time.Millisecond)
}

// patience is how long cleaning up may take, even if the caller's context is done.
const patience = time.Second

func cleanup(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), patience)
}

// A store keeps a lock with re-entry in Redis. Its methods set the number of a holder's
// acquisitions instead of changing it by one: go-redis repeats a request whose answer
// it has not got, and counting twice would leave the lock taken after the last release.
type store interface {
	// take takes the lock if it is free or, with count above 1, the holder's.
	take(ctx context.Context, holder string, count int, ttl time.Duration) (answer, error)
	// give leaves the holder with count acquisitions; !ok means that it had none.
	give(ctx context.Context, holder string, count int, ttl time.Duration) (ok bool, err error)
	// renew makes the lease last for ttl from now; !ok means that there is none.
	renew(ctx context.Context, holder string, ttl time.Duration) (ok bool, err error)
	// has reports whether the holder has the lock.
	has(ctx context.Context, holder string) (bool, error)
	// abandon removes all entries that the holder may have.
	abandon(ctx context.Context, holder string) error
}

// A queueStore is a store that queues a holder whose take fails. A holder that gives up
// must leave the queue.
type queueStore interface {
	store
	// try is take without the queue, for a caller that will not wait.
	try(ctx context.Context, holder string, count int, ttl time.Duration) (answer, error)
}

// A taker is a way to take the lock: see [store].
type taker func(ctx context.Context, holder string, count int, ttl time.Duration) (answer, error)

// A hold is one holder's possession of a lock, from its first acquisition to
// its last release. It may be used by several goroutines.
type hold struct {
	holder string // unique, except that an owner's holds of related locks share it
	owner  string // or empty
	of     *reentry

	mu    sync.Mutex // never held while anything is waited for
	count int        // acquisitions that have not been released
	until time.Time
	over  bool // released for the last time, or found lost
	// lapses are the ends of leases that passed before the store's next confirmation
	// that the holder has the lock. That may be for another lease: a request that was
	// given up may be executed late, and take the lock anew. Acquisitions before a
	// lapse are lost.
	lapses []time.Time
}

// end is the last release, or the loss of the hold.
func (h *hold) end() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	h.of.forget(h)
}

func (h *hold) isOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}

// again counts one more acquisition.
func (h *hold) again() (count int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count + 1
}

// granted notes that the store has count acquisitions, and a lease for ttl, requested
// at start, that is not shorter than before. It reports whether the lease is still
// valid.
func (h *hold) granted(count int, start time.Time, ttl time.Duration) (valid bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count = count
	h.lapse()
	if until := validUntil(start, ttl); until.After(h.until) {
		h.until = until
	}
	return h.of.clock.Now().Before(h.until)
}

// lapse notes it if the lease has run out, and reports whether it has. The caller has
// the mutex.
func (h *hold) lapse() bool {
	if h.until.IsZero() || h.of.clock.Now().Before(h.until) {
		return false
	}
	h.lapses = append(h.lapses, h.until)
	return true
}

func (h *hold) validity() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// renew asks for a lease of ttl from now.
func (h *hold) renew(ctx context.Context, ttl time.Duration) error {
	ttl = max(ttl, time.Millisecond)
	start := h.of.clock.Now()
	ok, err := h.of.store.renew(ctx, h.holder, ttl)
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: extend: %w", err)
	case !ok:
		h.end()
		return lock.ErrNotHeld
	}
	h.mu.Lock()
	lapsed := h.lapse()
	h.until = validUntil(start, ttl)
	valid := h.of.clock.Now().Before(h.until)
	h.mu.Unlock()
	if lapsed {
		h.end()
		return lock.ErrNotHeld
	}
	if !valid {
		return fmt.Errorf("redislocks: extend: the lease of %v had run out when the answer came", ttl)
	}
	return nil
}

// A lease is one acquisition of a hold.
type lease struct {
	hold     *hold
	ttl      time.Duration
	released bool
	lapses   int // of the hold, before it was acquired
}

// lease returns the lease of an acquisition that the store has granted.
func (h *hold) lease(ttl time.Duration) *lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &lease{hold: h, ttl: ttl, lapses: len(h.lapses)}
}

// lost returns when the lease has ended, if it has lapsed since.
func (l *lease) lost() (end time.Time, lost bool) {
	l.hold.mu.Lock()
	defer l.hold.mu.Unlock()
	if l.lapses == len(l.hold.lapses) {
		return end, false
	}
	return l.hold.lapses[l.lapses], true
}

// Release gives this acquisition up, and the lock with the last one. If the hold is
// over, it removes any lock that a late request may have taken since, unless another
// hold of the owner has its name by now.
func (l *lease) Release(ctx context.Context) error {
	h := l.hold
	switch {
	case l.released:
		return lock.ErrNotHeld
	case h.isOver() && h.of.nameTaken(h):
		l.released = true
		return lock.ErrNotHeld
	case h.isOver():
		if err := h.of.store.abandon(ctx, h.holder); err != nil {
			return fmt.Errorf("redislocks: release: %w; and clearing up failed: %w", lock.ErrNotHeld, err)
		}
		l.released = true
		return lock.ErrNotHeld
	}
	h.mu.Lock()
	count := max(h.count-1, 0)
	h.mu.Unlock()
	start := h.of.clock.Now()
	ok, err := h.of.store.give(ctx, h.holder, count, l.ttl)
	if err != nil {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	l.released = true
	if !ok {
		h.end()
		return lock.ErrNotHeld
	}
	_, lost := l.lost()
	if count == 0 {
		h.end()
	} else {
		h.granted(count, start, l.ttl)
	}
	if lost {
		return lock.ErrNotHeld
	}
	return nil
}

// Until returns the end of the validity of the whole hold, or the time at which it
// lapsed.
func (l *lease) Until() time.Time {
	if end, lost := l.lost(); lost {
		return end
	}
	return l.hold.validity()
}

// Extend makes the whole hold last for ttl from now.
func (l *lease) Extend(ctx context.Context, ttl time.Duration) error {
	if _, lost := l.lost(); lost || l.released || l.hold.isOver() {
		return lock.ErrNotHeld
	}
	return l.hold.renew(ctx, ttl)
}

// Held asks whether the lock is still held. The answer may be out of date when it
// arrives.
func (l *lease) Held(ctx context.Context) (bool, error) {
	if _, lost := l.lost(); lost || l.released || l.hold.isOver() {
		return false, nil
	}
	held, err := scripts.Held(l.hold.of.store.has(ctx, l.hold.holder))
	if err == nil && !held {
		l.hold.end()
	}
	return held, err
}
