package sqllocks

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// Lease is a row with an owner, an end by the database's clock, and a version. A client that
// finds the end passed takes the lock over, by a conditional UPDATE that raises the version.
//
// It guarantees mutual exclusion as long as holders respect Until. What breaks it: a pause
// of the process between its last look at Until and an access (scenario gc-pause, property
// overrun), an access that arrives late (two-step-release, overrun), a clock of the
// database's that jumps ahead (server-clock-jump), and a failover that loses the last
// commits (failover-loss). The version is a fencing token: it grows with every acquisition
// and is never reset, since a release leaves the row. A failover may repeat one.
//
// The end is counted by the database from when it begins the UPDATE, and by the client
// from when it sends it, which is earlier. An UPDATE that waits for another's row lock
// counts from before the wait.
//
// Requests: acquire 1 without contention, release 1, extend 1. A waiter
// makes 2 after each pause.
type Lease struct {
	db      *sql.DB
	name    string
	options *recipe.Options
}

// NewLease returns a locker for the named lock. It is safe for concurrent use. [Create]
// makes its table.
func NewLease(db *sql.DB, name string, options Options) *Lease {
	return &Lease{db, name, options.recipe()}
}

const takeOver = `UPDATE lock_leases SET owner = ?, version = LAST_INSERT_ID(version + 1), expires = NOW(6) + INTERVAL ? MICROSECOND
WHERE name = ? AND expires <= NOW(6)`

// Acquire waits until the lock is held or ctx is done. If it gives up after a lost
// answer, it ends the lease that it may have got in the background.
func (l *Lease) Acquire(ctx context.Context) (lock.Lease, error) {
	ttl := lock.TTL(ctx, l.options.TTL)
	h := &leaseHold{Hold: recipe.Hold{DB: l.db, Name: l.name, Owner: rand.Text(), Options: l.options}}
	open, err := l.options.Persist(ctx, func(bool) (bool, error) { return l.try(ctx, h, ttl) })
	if err == nil {
		return h, nil
	}
	if open {
		l.options.Afterwards(l.db, h.GiveBack())
	}
	return nil, recipe.LockError("acquire", err)
}

// try takes the lease over, if the present one has ended.
func (l *Lease) try(ctx context.Context, h *leaseHold, ttl time.Duration) (held bool, err error) {
	sent := l.options.Clock.Now()
	n, version, err := l.options.ExecID(ctx, l.db, takeOver, h.Owner, ttl.Microseconds(), l.name)
	switch {
	case err != nil:
		// If the statement takes effect, the lease counts from here, the first try.
		if h.Ends.IsZero() {
			h.Ends = sent.Add(ttl)
		}
		return false, err
	case n > 0:
		h.version, h.Ends = version, sent.Add(ttl)
		return true, nil
	}
	return l.look(ctx, h)
}

// look reads the present lease. It may be the acquisition's own, from an earlier try
// whose answer was lost. If there is no row yet, it makes one.
func (l *Lease) look(ctx context.Context, h *leaseHold) (mine bool, err error) {
	var owner string
	var version int64
	var live bool
	err = l.options.Row(ctx, l.db, []any{&owner, &version, &live}, recipe.Present, l.name)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = l.options.Exec(ctx, l.db, recipe.FirstLease, l.name)
		return false, err
	case err != nil:
		return false, err
	}
	h.version = version
	mine = live && owner == h.Owner && l.options.Clock.Now().Before(h.Ends)
	return mine, nil
}

// leaseHold is one lease of a row.
type leaseHold struct {
	recipe.Hold
	version int64
}

// Token returns the row's version, which grows with every acquisition.
func (h *leaseHold) Token() int64 { return h.version }
