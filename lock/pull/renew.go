package pull

import (
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// renew extends the lease by its TTL and schedules its next call, for this lease only
// and no longer than RenewFor. After an error the next call is sooner. A renewal that
// is under way when the lease is released finds the record gone, or another
// acquisition's.
func (h *lease) renew() {
	o := &h.locker.options
	if o.Clock.Since(h.a.Held) >= o.RenewFor {
		return // the lease ends with its validity, and reports that
	}
	next := h.a.TTL / 3
	switch err := h.prolong(h.ctx, h.a.TTL, true); {
	case errors.Is(err, lock.ErrNotHeld):
		return
	case err != nil:
		next = max(h.a.TTL/10, time.Millisecond)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.next.Reset(next)
	}
}
