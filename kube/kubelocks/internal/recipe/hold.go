package recipe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/leases"
	"github.com/lockpick-dev/lockpick/lock"
)

// Hold is an acquisition: a holder's name, and the end of its claim. It is a [lock.Lease].
type Hold struct {
	client *Client
	id     string
	seen   string    // the last version that was seen while it waited
	since  time.Time // when that was seen first
	tried  bool      // a request that would take the Lease was not answered

	over context.Context // ends when the Lease is no longer renewed
	stop context.CancelFunc
	lost chan struct{} // closed when the claim has ended by itself

	mu    sync.Mutex    // never held while anything is waited for
	lease *leases.Lease // as it was written last
	until time.Time
	next  clockwork.Timer // of the next renewal
	freed bool            // the Lease was released
	open  bool            // a release was not answered
}

// ID returns the holder's name.
func (h *Hold) ID() string { return h.id }

// Transitions returns how often the Lease has changed its holder, up to this one.
func (h *Hold) Transitions() int64 { return int64(h.present().Spec.LeaseTransitions) }

// renewed notes that a request sent at the given time has renewed the Lease.
func (h *Hold) renewed(l *leases.Lease, sent time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease, h.until = l, sent.Add(h.client.TTL)
}

// present returns the Lease as this client knows it.
func (h *Hold) present() leases.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return *h.lease
}

// Until returns the end of the claim, which moves with each renewal.
func (h *Hold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// Lost returns a channel that is closed when the claim has ended before it was given up.
func (h *Hold) Lost() <-chan struct{} { return h.lost }

// renewAfter renews the Lease after a while, unless it is given up before.
func (h *Hold) renewAfter(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over.Err() == nil {
		h.next = h.client.Clock.AfterFunc(d, h.renew)
	}
}

// renew renews the Lease, and schedules the next renewal until it is given up or the claim has ended. The clock
// calls it.
func (h *Hold) renew() {
	c := h.client
	sent := c.Clock.Now()
	left := h.Until().Sub(sent)
	if left <= 0 {
		h.lose()
		return
	}
	l := h.present()
	l.Spec.RenewTime = leases.Time(sent)
	got, err := c.Once(h.over, min(left, c.Patience()), func(ctx context.Context) (*leases.Lease, error) { return c.API.Update(ctx, &l) })
	switch {
	case h.over.Err() != nil:
		return
	case err == nil:
		h.renewed(got, sent)
		h.renewAfter(c.Interval() - c.Clock.Now().Sub(sent))
		return
	case Code(err) == http.StatusConflict || Code(err) == http.StatusNotFound:
		err = h.look(h.over, min(left, c.Patience()))
	}
	switch left = h.Until().Sub(c.Clock.Now()); {
	case h.over.Err() != nil:
	case errors.Is(err, lock.ErrNotHeld) || left <= 0:
		h.lose()
	default:
		h.renewAfter(min(shortPause, left))
	}
}

// look looks whether the Lease is still the holder's, and notes its version. An unanswered renewal may have changed
// that. It returns [lock.ErrNotHeld] if another has it.
func (h *Hold) look(ctx context.Context, patience time.Duration) error {
	got, err := h.client.Once(ctx, patience, h.client.API.Get)
	switch {
	case Code(err) == http.StatusNotFound, err == nil && got.Spec.HolderIdentity != h.id:
		return lock.ErrNotHeld
	case err != nil:
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = got
	return nil
}

// giveUp ends the renewals.
func (h *Hold) giveUp() {
	h.stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.next != nil {
		h.next.Stop()
	}
}

// lose ends the claim, if it was not given up.
func (h *Hold) lose() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over.Err() != nil {
		return
	}
	if now := h.client.Clock.Now(); now.Before(h.until) {
		h.until = now
	}
	h.stop()
	close(h.lost)
}

// Release writes the Lease without a holder, if it is still this one's. It tries until it is answered or ctx is
// done.
func (h *Hold) Release(ctx context.Context) error {
	h.giveUp()
	if h.freed {
		return lock.ErrNotHeld
	}
	c := h.client
	for {
		l := h.present()
		l.Spec.HolderIdentity = ""
		_, err := c.Once(ctx, c.Patience(), func(ctx context.Context) (*leases.Lease, error) { return c.API.Update(ctx, &l) })
		if Code(err) == http.StatusConflict || Code(err) == http.StatusNotFound {
			if err = h.look(ctx, c.Patience()); err == nil {
				continue
			}
		} else {
			h.open = h.open || Open(err)
		}
		switch {
		case err == nil:
			h.freed = true
			return nil
		case errors.Is(err, lock.ErrNotHeld) && !h.open:
			return lock.ErrNotHeld
		case errors.Is(err, lock.ErrNotHeld):
			return fmt.Errorf("kubelocks: release: %w", ErrOpen)
		case Final(err):
			return fmt.Errorf("kubelocks: release: %w", err)
		}
		if failed := c.Rest(ctx, shortPause, err); failed != nil {
			return fmt.Errorf("kubelocks: release: %w", failed)
		}
	}
}

// ReleaseUnseen reads the Lease and writes it without a holder, even if another client holds it.
func (h *Hold) ReleaseUnseen(ctx context.Context) error {
	h.giveUp()
	c := h.client
	l, err := c.Once(ctx, c.Patience(), c.API.Get)
	if err == nil {
		l.Spec.HolderIdentity = ""
		_, err = c.Once(ctx, c.Patience(), func(ctx context.Context) (*leases.Lease, error) { return c.API.Update(ctx, l) })
	}
	if err != nil {
		return fmt.Errorf("kubelocks: release: %w", err)
	}
	return nil
}

// Leave gives up in the background, for as long as a lease lasts, what an unanswered request of a failed Acquire may
// have taken.
func (h *Hold) Leave() {
	if !h.tried {
		return
	}
	c := h.client
	c.Clock.AfterFunc(0, func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer c.Clock.AfterFunc(c.TTL, cancel).Stop()
		for {
			if h.look(ctx, c.Patience()) == nil && h.Release(ctx) == nil || c.Rest(ctx, c.Retry, nil) != nil {
				return
			}
		}
	})
}
