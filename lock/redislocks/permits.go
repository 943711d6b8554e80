package redislocks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// A permitStore keeps a semaphore in Redis.
type permitStore interface {
	// take takes n permits under an id, if they are free. Repeating it with the same id
	// has no further effect.
	take(ctx context.Context, id string, n int, ttl time.Duration) (answer, error)
	// give gives back the permits that are taken under the id; !ok means that there are
	// none.
	give(ctx context.Context, id string, n int) (ok bool, err error)
	used(ctx context.Context) (int, error)
}

// permits is shared by the semaphores: it waits for permits, and cleans up when that
// fails.
type permits struct {
	store permitStore
	waits *subscription
	clock clockwork.Clock
	total int
	ttl   time.Duration
	newID func(n int) string
}

func newPermits(store permitStore, client subscriber, channel string, total int, o Options) *permits {
	p := &permits{store: store, clock: o.Clock, total: total, ttl: o.TTL}
	p.waits = newSubscription(client, channel, o.Clock, o.random())
	p.waits.broadcast = true // permits too few for one waiter may be enough for another
	return p
}

// acquire waits for n permits, unless it is to try only once.
func (p *permits) acquire(ctx context.Context, n int, once bool) (*permitLease, error) {
	if n < 1 || n > p.total {
		return nil, fmt.Errorf("redislocks: acquire: %d permits of %d: ask for 1 to %d: %w", n, p.total, p.total, lock.ErrNotAcquired)
	}
	l := &permitLease{of: p, id: p.newID(n), n: n}
	ttl := max(lock.TTL(ctx, p.ttl), time.Millisecond)
	var err error
	if once {
		var a answer
		if a, err = p.ask(ctx, l, ttl); err == nil && !a.held {
			err = lock.ErrNotAcquired
		}
	} else {
		err = p.wait(ctx, l, ttl)
	}
	if err != nil {
		return nil, fmt.Errorf("redislocks: acquire: %w", err)
	}
	return l, nil
}

// wait asks until there are enough permits. Waiters for one permit form a line: a
// message wakes one of them, which wakes the next when it has got its permit.
func (p *permits) wait(ctx context.Context, l *permitLease, ttl time.Duration) error {
	name := ""
	if l.n > 1 {
		name = l.id
	}
	return p.waits.await(ctx, name, p.ttl, true, func(ctx context.Context) (answer, error) {
		return p.ask(ctx, l, ttl)
	})
}

// ask asks for permits, and gives them back if it does not know whether it got them, or
// got them too late.
func (p *permits) ask(ctx context.Context, l *permitLease, ttl time.Duration) (answer, error) {
	l.until = validUntil(p.clock.Now(), ttl)
	a, err := p.store.take(ctx, l.id, l.n, ttl)
	if err == nil && (!a.held || !l.expires() || p.clock.Now().Before(l.until)) {
		return a, nil
	}
	ctx, cancel := cleanup(ctx)
	defer cancel()
	_, failed := p.store.give(ctx, l.id, l.n)
	switch {
	case err != nil:
		return answer{}, err
	case failed != nil:
		return answer{}, fmt.Errorf("the lease had run out when the answer came, and giving it back failed: %w", failed)
	}
	return answer{}, fmt.Errorf("the lease had run out when the answer came: %w", lock.ErrNotAcquired)
}

// Available returns the number of permits that were free a moment ago.
func (p *permits) Available(ctx context.Context) (int, error) {
	used, err := p.store.used(ctx)
	if err != nil {
		return 0, fmt.Errorf("redislocks: available: %w", err)
	}
	return max(p.total-used, 0), nil
}

// Close ends the subscription and makes waiters return [lock.ErrClosed]. It
// releases no lease; leases can be released after it.
func (p *permits) Close() error { return p.waits.Close() }

// A permitLease is one acquisition of n permits.
type permitLease struct {
	of    *permits
	id    string
	n     int
	until time.Time
}

// expires reports whether the permits have leases.
func (l *permitLease) expires() bool {
	_, ok := l.of.store.(renewer)
	return ok
}

type renewer interface {
	renew(ctx context.Context, id string, n int, ttl time.Duration) (ok bool, err error)
}

// Release gives the permits back.
func (l *permitLease) Release(ctx context.Context) error {
	ok, err := l.of.store.give(ctx, l.id, l.n)
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case !ok:
		return lock.ErrNotHeld
	}
	return nil
}

// An expiringPermits is a permitLease that ends by itself.
type expiringPermits struct{ *permitLease }

// ID returns the lease's ID in the store.
func (l expiringPermits) ID() string { return l.id }

// Until returns the end of the validity.
func (l expiringPermits) Until() time.Time { return l.until }

// Extend makes the lease last for ttl from now.
func (l expiringPermits) Extend(ctx context.Context, ttl time.Duration) error {
	ttl = max(ttl, time.Millisecond)
	until := validUntil(l.of.clock.Now(), ttl)
	ok, err := l.of.store.(renewer).renew(ctx, l.id, l.n, ttl)
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: extend: %w", err)
	case !ok:
		return lock.ErrNotHeld
	}
	if l.until = until; !l.of.clock.Now().Before(until) {
		return errors.New("redislocks: extend: the lease had run out when the answer came")
	}
	return nil
}
