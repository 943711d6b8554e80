package redislocks

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// Watchdog is [Reentrant] for those who cannot say how long they will need:
// while the lock is held a watchdog renews the lease to the full TTL, every
// third of it.
//
// Each acquisition has a watchdog of its own, which ends with its release, with
// the locker, or with its process; the lock is free one TTL later at the latest. A
// renewal that fails is tried again until the lease has run out by our clock.
// Lost is closed when the store says that the lease is gone, when it has run
// out, and when the locker is closed, since nobody renews it then. An
// acquisition that asks for a TTL of its own ([lock.WithTTL]) has no watchdog,
// and runs out as with Reentrant; that is Redisson's rule, and its literature
// warns of overlooking it.
//
// It guarantees what Reentrant does, and that no hold is too long for its lease.
// What breaks it is what breaks Reentrant: a pause of the process stops the watchdog
// with everything else (gc-pause, overrun). A TTL that is no
// longer than a few round trips loses the race with the network: the key is
// gone before the first renewal reaches it, Lost is closed, and Acquire may
// fail with [lock.ErrNotAcquired] (scenario watchdog-late). And a holder that
// hangs holds for ever, unless MaxHold says otherwise.
//
// Defaults: a TTL of 30 s, renewed every 10 s; no MaxHold.
type Watchdog struct {
	inner   *Reentrant
	max     time.Duration
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup

	closing sync.Mutex // so that nothing is started after it; never held while anything is waited for
	asleep  map[*watchdog]bool
}

// WatchdogOptions are those of [Watchdog].
type WatchdogOptions struct {
	Options
	// MaxHold is for how long a lease is renewed (default: for ever). It is
	// lost when its last renewal has run out.
	MaxHold time.Duration
}

// NewWatchdog returns a locker for the lock of the given name, which is the
// key. It keeps a connection while somebody waits, and a goroutine for each
// lease that is held for longer than a third of its TTL; Close ends them. It is safe for concurrent use.
func NewWatchdog(client scriptClient, name string, options WatchdogOptions) *Watchdog {
	l := &Watchdog{inner: NewReentrant(client, name, options.Options), max: options.MaxHold, asleep: map[*watchdog]bool{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Acquire waits until the lock is held, ctx is done, or the locker is closed.
// Its errors are those of [Reentrant].
func (l *Watchdog) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.watched(ctx, l.inner.wait)
}

// TryAcquire takes the lock if it is free, or the owner's already.
func (l *Watchdog) TryAcquire(ctx context.Context) (lock.Lease, error) {
	return l.watched(ctx, l.inner.once)
}

func (l *Watchdog) watched(ctx context.Context, get func(context.Context, *hold, time.Duration) error) (lock.Lease, error) {
	held, err := l.inner.acquire(ctx, get)
	if err != nil || lock.TTL(ctx, -1) != -1 {
		return made(held, err)
	}
	dog := &watchdog{of: l, lease: held, lost: make(chan struct{})}
	if l.max > 0 {
		dog.last = dog.now().Add(l.max)
	}
	l.closing.Lock()
	defer l.closing.Unlock()
	if l.ctx.Err() != nil {
		close(dog.lost)
	} else {
		l.asleep[dog] = true
		dog.timer = l.inner.clock.AfterFunc(max(l.inner.ttl/3, time.Millisecond), dog.wake)
	}
	return &watchedLease{lease: held, dog: dog}, nil
}

// Close ends all watchdogs, whose leases then run out, and the subscription,
// and waits for their goroutines.
func (l *Watchdog) Close() error {
	l.closing.Lock()
	l.cancel()
	for dog := range l.asleep { // unordered: each for itself
		dog.timer.Stop()
		close(dog.lost)
	}
	clear(l.asleep)
	l.closing.Unlock()
	err := l.inner.Close()
	l.running.Wait()
	return err
}

type watchedLease struct {
	lease *lease
	dog   *watchdog
}

// Release gives this acquisition up, and the lock with the last one. The
// watchdog ends whatever comes of it.
func (l *watchedLease) Release(ctx context.Context) error {
	l.dog.end()
	return l.lease.Release(ctx)
}

// Until is the end of the validity, which grows with each renewal.
func (l *watchedLease) Until() time.Time { return l.lease.Until() }

// Held asks whether the lease still stands. What it answers was so a moment ago.
func (l *watchedLease) Held(ctx context.Context) (bool, error) { return l.lease.Held(ctx) }

// Lost is closed when the lease is gone, or nobody renews it any more.
func (l *watchedLease) Lost() <-chan struct{} { return l.dog.lost }

// A watchdog renews one lease. It sleeps, without a goroutine, until the first
// renewal is due, which most leases do not live to see.
type watchdog struct {
	of    *Watchdog
	lease *lease
	last  time.Time // zero, or after when it renews no more
	timer clockwork.Timer
	lost  chan struct{}

	// Of one that is awake:
	ctx  context.Context // ends with Release, and with Close
	stop context.CancelFunc
}

// wake starts the renewals, if they have not been ended by now.
func (d *watchdog) wake() {
	d.of.closing.Lock()
	defer d.of.closing.Unlock()
	if d.of.asleep[d] {
		delete(d.of.asleep, d)
		d.ctx, d.stop = context.WithCancel(d.of.ctx)
		d.of.running.Go(d.watch)
	}
}

// end ends the renewals.
func (d *watchdog) end() {
	d.of.closing.Lock()
	defer d.of.closing.Unlock()
	if d.of.asleep[d] {
		delete(d.of.asleep, d)
		d.timer.Stop()
	}
	if d.stop != nil {
		d.stop()
	}
}

// watch renews until the lease is released or lost.
func (d *watchdog) watch() {
	defer d.stop()
	for next := time.Duration(0); next == 0 || d.rest(next); {
		if !d.last.IsZero() && !d.now().Before(d.last) {
			if d.rest(d.lease.Until().Sub(d.now())) {
				close(d.lost)
				return
			}
			break
		}
		err := d.renew()
		if errors.Is(err, lock.ErrNotHeld) || !d.now().Before(d.lease.Until()) {
			if d.ctx.Err() == nil {
				close(d.lost)
				return
			}
			break
		}
		if next = d.of.inner.ttl / 3; err != nil {
			next = d.of.inner.ttl / 20 // it may be the network, and there is time
		}
	}
	if d.of.ctx.Err() != nil {
		close(d.lost)
	}
}

func (d *watchdog) now() time.Time { return d.of.inner.clock.Now() }

// rest waits, and answers whether the lease is still to be watched.
func (d *watchdog) rest(t time.Duration) bool {
	timer := d.of.inner.clock.NewTimer(max(t, time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return true
	case <-d.ctx.Done():
		return false
	}
}

// renew asks for a new lease. It waits for the answer no longer than the old
// one lasts, nor than the lease is to be watched.
func (d *watchdog) renew() error {
	answer := make(chan error, 1)
	d.of.running.Go(func() { answer <- d.lease.hold.renew(d.ctx, d.of.inner.ttl) })
	end := d.of.inner.clock.NewTimer(d.lease.Until().Sub(d.now()))
	defer end.Stop()
	select {
	case err := <-answer:
		return err
	case <-end.Chan():
		return errLate
	case <-d.ctx.Done():
		return d.ctx.Err()
	}
}

var errLate = errors.New("redislocks: extend: no answer before the lease had run out")
