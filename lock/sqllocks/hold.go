package sqllocks

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// hold is a lease in a row, which lasts as long as its owner extends it.
type hold struct {
	db          *sql.DB
	name, owner string
	options     *Options

	mu    sync.Mutex
	until time.Time
}

// Until is the end of the lease by the client's clock.
func (h *hold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// Extend makes the lease last for ttl from now. It returns [lock.ErrNotHeld] if it had
// ended. After another error it may or may not last longer.
func (h *hold) Extend(ctx context.Context, ttl time.Duration) error {
	sent := h.options.Clock.Now()
	n, err := h.options.exec(ctx, h.db, extend, ttl.Microseconds(), h.name, h.owner)
	held := n > 0
	if err == nil && !held {
		held, err = h.live(ctx)
	}
	switch {
	case err != nil:
		return told("extend", err)
	case !held || h.options.Clock.Now().After(sent.Add(ttl)):
		return lock.ErrNotHeld
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = sent.Add(ttl)
	return nil
}

// live reports whether the lease is there and has not ended. An extension to the very end that
// the lease has changes no row.
func (h *hold) live(ctx context.Context) (bool, error) {
	var owner string
	var version int64
	var live bool
	err := h.options.row(ctx, h.db, []any{&owner, &version, &live}, present, h.name)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return live && owner == h.owner, err
}

// end is what ends the owner's lease.
func (h *hold) end() giveBack {
	return giveBack{endLease, []any{h.name, h.owner}}
}

// Release ends the lease. It tries until that is answered or ctx is done, and then in the
// background. It returns [lock.ErrNotHeld] if the lease had ended.
func (h *hold) Release(ctx context.Context) error {
	return h.options.release(ctx, h.db, h.end())
}
