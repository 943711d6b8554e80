package pull

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// lease is a lock that is held. Two timers run for it, and no goroutine: one for
// the end of its validity, and one for the next renewal if it is renewed.
type lease struct {
	locker *Locker
	a      *Acquisition

	ctx  context.Context // of the renewals, if there are any; over when the lease is
	stop context.CancelFunc
	lost chan struct{}

	// mu guards the fields below. No goroutine waits while it holds mu.
	mu    sync.Mutex
	over  bool // released, or lost
	until time.Time
	end   clockwork.Timer // when the validity ends
	next  clockwork.Timer // the next renewal, nil for none
}

func newLease(l *Locker, a *Acquisition, now time.Time) *lease {
	h := &lease{locker: l, a: a, until: a.Until, lost: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end = l.options.Clock.AfterFunc(h.until.Sub(now), h.ends)
	if l.options.Renew {
		h.ctx, h.stop = context.WithCancel(context.Background())
		h.next = l.options.Clock.AfterFunc(a.TTL/3, h.renew)
	}
	return h
}

// Until returns the end of the validity that the lease claims, by the locker's clock.
// It moves when the lease is extended or renewed.
func (h *lease) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// Lost is closed when the lease is known to be lost: its validity has ended, or the
// store has reported that its record is gone. A release does not close it.
func (h *lease) Lost() <-chan struct{} { return h.lost }

// Release removes the record if it is still this acquisition's, and returns ErrNotHeld
// if it was not, or ErrUnsure if that is no longer known. After any other error the
// record may still be there; Release may be called again. It goes on even if ctx is
// done, for no longer than Options.IOTimeout allows.
func (h *lease) Release(ctx context.Context) error {
	h.finish()
	if h.a.removed {
		return lock.ErrNotHeld
	}
	err := h.locker.releaseFrom(context.WithoutCancel(ctx), 0, h.a)
	if err != nil {
		h.locker.failed(ctx, h.a, ReleaseStep, err)
		return fmt.Errorf("pull: release %q: %w", h.a.Name, err)
	}
	return nil
}

// Extend makes the record live for ttl from now, unless it lives longer already,
// and moves the end of the validity accordingly. It returns ErrNotHeld if the lease
// is known to be over; after any other error the validity is unchanged.
func (h *lease) Extend(ctx context.Context, ttl time.Duration) error {
	ttl = max(ttl, time.Millisecond)
	if err := h.prolong(ctx, ttl, false); err != nil {
		return fmt.Errorf("pull: extend %q: %w", h.a.Name, err)
	}
	return nil
}

// prolong asks the store for another ttl, and accepts it if the answer comes while the
// lease is valid. With keep it does not shorten the validity.
func (h *lease) prolong(ctx context.Context, ttl time.Duration, keep bool) error {
	clock := h.locker.options.Clock
	sent := clock.Now()
	if !h.valid(sent) {
		return lock.ErrNotHeld
	}
	ctx, cancel := context.WithTimeout(ctx, h.locker.options.IOTimeout)
	defer cancel()
	held, err := h.locker.store.CompareAndExpire(ctx, h.a.Name, h.a.Value, ttl)
	switch {
	case err != nil:
		return err
	case !held:
		h.lose()
		return lock.ErrNotHeld
	}
	until := sent.Add(h.locker.options.valid(ttl))
	h.mu.Lock()
	defer h.mu.Unlock()
	now := clock.Now()
	switch {
	case h.over || !now.Before(h.until):
		return lock.ErrNotHeld // others may have been notified, or have looked
	case !now.Before(until):
		return ErrTooLate
	case keep && until.Before(h.until):
		return nil
	}
	h.until = until
	h.end.Reset(clock.Until(until))
	return nil
}

// valid reports whether the lease is valid at the given time.
func (h *lease) valid(at time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.over && at.Before(h.until)
}

// finish ends the lease and stops its timers. It returns false if the lease was over
// before.
func (h *lease) finish() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return false
	}
	h.over = true
	h.end.Stop()
	if h.next != nil {
		h.stop()
		h.next.Stop()
	}
	return true
}

// lose signals that the lease is lost, unless it was over.
func (h *lease) lose() {
	if h.finish() {
		h.a.lost()
		close(h.lost)
	}
}

// ends is called when the validity should have ended. If the clock was set back
// meanwhile, it has not.
func (h *lease) ends() {
	h.mu.Lock()
	left := h.locker.options.Clock.Until(h.until)
	if left > 0 && !h.over {
		h.end.Reset(left)
	}
	h.mu.Unlock()
	if left <= 0 {
		h.lose()
	}
}
