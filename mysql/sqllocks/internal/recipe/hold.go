package recipe

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// The statements of leases in rows. FirstLease ends at the beginning of time, so that anybody may take it
// over.
const (
	Present    = `SELECT owner, version, expires > NOW(6) FROM lock_leases WHERE name = ?`
	FirstLease = `INSERT IGNORE INTO lock_leases (name, owner, expires, version) VALUES (?, '', '2000-01-01', 0)`
	endLease   = `UPDATE lock_leases SET owner = '', expires = '2000-01-01' WHERE name = ? AND owner = ? AND expires > NOW(6)`
	extend     = `UPDATE lock_leases SET expires = NOW(6) + INTERVAL ? MICROSECOND WHERE name = ? AND owner = ? AND expires > NOW(6)`
)

// Hold is a lease in a row, which lasts as long as its owner extends it.
type Hold struct {
	DB          *sql.DB
	Name, Owner string
	Options     *Options

	mu sync.Mutex
	// Ends is the end of the lease by the client's clock, set by the client that takes
	// it.
	Ends time.Time
}

// Until returns the end of the lease by the client's clock.
func (h *Hold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Ends
}

// Extend makes the lease last for ttl from now. It returns [lock.ErrNotHeld] if it had
// ended. After another error it may or may not last longer.
func (h *Hold) Extend(ctx context.Context, ttl time.Duration) error {
	sent := h.Options.Clock.Now()
	n, err := h.Options.Exec(ctx, h.DB, extend, ttl.Microseconds(), h.Name, h.Owner)
	held := n > 0
	if err == nil && !held {
		held, err = h.live(ctx)
	}
	switch {
	case err != nil:
		return LockError("extend", err)
	case !held || h.Options.Clock.Now().After(sent.Add(ttl)):
		return lock.ErrNotHeld
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Ends = sent.Add(ttl)
	return nil
}

// live reports whether the lease exists and has not ended. It is needed because an extension
// to the present end changes no row.
func (h *Hold) live(ctx context.Context) (bool, error) {
	var owner string
	var version int64
	var live bool
	err := h.Options.Row(ctx, h.DB, []any{&owner, &version, &live}, Present, h.Name)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return live && owner == h.Owner, err
}

// GiveBack returns the statement that ends the owner's lease.
func (h *Hold) GiveBack() GiveBack {
	return GiveBack{endLease, []any{h.Name, h.Owner}}
}

// Release ends the lease. It tries until the statement is answered or ctx is done, and
// then in the background. It returns [lock.ErrNotHeld] if the lease had ended.
func (h *Hold) Release(ctx context.Context) error {
	return h.Options.Release(ctx, h.DB, h.GiveBack())
}
