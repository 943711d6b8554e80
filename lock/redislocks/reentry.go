package redislocks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// reentry is shared by the locks with re-entry: it knows the holders, waits for the
// lock, and cleans up when that fails.
type reentry struct {
	store store
	waits *subscription
	clock clockwork.Clock
	ttl   time.Duration
	id    string // of this process's locker; all of its holders begin with it
	// named is set if a message wakes a waiter by its name; otherwise a message wakes
	// one of them.
	named bool
	// often is the longest time that a waiter waits before it asks again.
	often time.Duration
	// related is another lock in which an owner has the same holder name, so that the
	// store treats both holds as one holder's.
	related *reentry

	mu    sync.Mutex // never held while anything is waited for
	owned map[string]*hold
}

func newReentry(s store, waits *subscription, id string, o Options) *reentry {
	return &reentry{
		store: s, waits: waits, clock: o.Clock, ttl: o.TTL, id: id,
		often: o.TTL, owned: map[string]*hold{},
	}
}

// Acquire waits until the lock is held, ctx is done, or the locker is closed. If the
// lease has run out when the answer arrives, it gives up, with [lock.ErrNotAcquired] if
// the lock is known to be given back. After any other error but [lock.ErrClosed] it has
// tried to give back the lock that it may have taken; a late request may still take it.
func (l *reentry) Acquire(ctx context.Context) (lock.Lease, error) {
	return made(l.acquire(ctx, l.wait))
}

// TryAcquire takes the lock if it is free, or the owner's already, and returns
// [lock.ErrNotAcquired] if not.
func (l *reentry) TryAcquire(ctx context.Context) (lock.Lease, error) {
	return made(l.acquire(ctx, l.once))
}

// made converts a lease to the interface, so that a nil *lease does not become a
// non-nil lock.Lease.
func made(l *lease, err error) (lock.Lease, error) {
	if err != nil {
		return nil, fmt.Errorf("redislocks: acquire: %w", err)
	}
	return l, nil
}

// acquire takes the lock once more if the owner has it, and otherwise by get.
func (l *reentry) acquire(ctx context.Context, get func(context.Context, *hold, time.Duration) error) (*lease, error) {
	ttl := max(lock.TTL(ctx, l.ttl), time.Millisecond)
	owner, _ := lock.Owner(ctx)
	if h := l.holdOf(owner); h != nil {
		if again, err := l.again(ctx, h, ttl); again != nil || err != nil {
			return again, err
		}
	}
	h := l.newHold(owner)
	if err := get(ctx, h, ttl); err != nil {
		return nil, err
	}
	l.keep(owner, h)
	return h.lease(ttl), nil
}

// again takes the lock once more, unless the hold is lost, and then over.
func (l *reentry) again(ctx context.Context, h *hold, ttl time.Duration) (*lease, error) {
	count, start := h.again(), l.clock.Now()
	a, err := l.store.take(ctx, h.holder, count, ttl)
	if err != nil {
		return nil, err
	}
	if !a.held {
		h.end()
		return nil, nil
	}
	valid := h.granted(count, start, ttl)
	again := h.lease(ttl)
	if !valid {
		return nil, l.expired(ctx, again.Release)
	}
	return again, nil
}

// wait asks until the lock is held.
func (l *reentry) wait(ctx context.Context, h *hold, ttl time.Duration) error {
	name := ""
	if l.named {
		name = h.holder
	}
	err := l.waits.await(ctx, name, l.often, false, func(ctx context.Context) (answer, error) {
		return l.ask(ctx, h, ttl, l.store.take)
	})
	if _, queues := l.store.(queueStore); err != nil && queues {
		l.abandon(ctx, h)
	}
	return err
}

// once asks once.
func (l *reentry) once(ctx context.Context, h *hold, ttl time.Duration) error {
	take := l.store.take
	if s, queues := l.store.(queueStore); queues {
		take = s.try
	}
	a, err := l.ask(ctx, h, ttl, take)
	if err != nil || a.held {
		return err
	}
	return lock.ErrNotAcquired
}

// ask asks for the lock, and gives it back if it does not know whether it got it, or
// got it too late.
func (l *reentry) ask(ctx context.Context, h *hold, ttl time.Duration, take taker) (answer, error) {
	start := l.clock.Now()
	a, err := take(ctx, h.holder, 1, ttl)
	switch {
	case err != nil:
		if !errors.Is(err, lock.ErrNotAcquired) {
			l.abandon(ctx, h)
		}
		return answer{}, err
	case a.held && !h.granted(1, start, ttl):
		return answer{}, l.expired(ctx, func(ctx context.Context) error {
			return l.store.abandon(ctx, h.holder)
		})
	}
	return a, nil
}

// abandon gives back the lock that may have been taken, with a short context of its
// own.
func (l *reentry) abandon(ctx context.Context, h *hold) {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	_ = l.store.abandon(ctx, h.holder) // the caller reports what led here; the lease ends by itself
}

// expired gives back an acquisition whose lease had run out before the answer arrived,
// and returns its error.
func (l *reentry) expired(ctx context.Context, giveBack func(context.Context) error) error {
	ctx, cancel := cleanup(ctx)
	defer cancel()
	if err := giveBack(ctx); err != nil && !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("the lease had run out when the answer came, and giving it back failed: %w", err)
	}
	return fmt.Errorf("the lease had run out when the answer came: %w", lock.ErrNotAcquired)
}

// newHold returns a hold without acquisitions.
func (l *reentry) newHold(owner string) *hold {
	h := &hold{owner: owner, of: l}
	if l.related != nil {
		if other := l.related.holdOf(owner); other != nil {
			h.holder = other.holder
			return h
		}
	}
	h.holder = l.id + ":" + rand.Text()
	return h
}

// forget is called when a hold ends.
func (l *reentry) forget(h *hold) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owned[h.owner] == h {
		delete(l.owned, h.owner)
	}
}

// nameTaken reports whether another hold of the owner has the name of a hold that is
// over, so that the store's entry of that name is the other's.
func (l *reentry) nameTaken(over *hold) bool {
	h := l.holdOf(over.owner)
	return h != nil && h != over && h.holder == over.holder
}

// holdOf returns the owner's hold, or nil. An empty name is no owner.
func (l *reentry) holdOf(owner string) *hold {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owned[owner]
}

// keep remembers the hold of a named owner, and forgets holds that have long run out
// and were never released.
func (l *reentry) keep(owner string, h *hold) {
	if owner == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, old := range l.owned { // unordered: each is judged by itself
		if !l.clock.Now().Before(old.validity()) {
			delete(l.owned, name)
		}
	}
	l.owned[owner] = h
}

// Close ends the subscription and makes waiters return [lock.ErrClosed]. It
// releases no lease; leases can be released after it.
func (l *reentry) Close() error { return l.waits.Close() }
