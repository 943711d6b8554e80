package flawed

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// ValueLease is a lease in a row that is taken by compare-and-set: a client reads the row,
// sees that the lease has ended, and writes its own if the owner is still the one that it
// has read. Owners are processes.
//
// Flawed: it compares a value that comes back, and no version that does not (ABA). When the
// owner whose lease had ended takes the lock again, the comparison of a client that read
// before succeeds, and takes the live lease away (scenario late-reply, property
// mutual-exclusion). A release that is late ends the process's next lease (late-request,
// owner-only-release). [sqllocks.Lease] compares what cannot come back.
//
// Requests: acquire 2 without contention, release 1.
type ValueLease struct {
	db      *sql.DB
	name    string
	owner   string
	options *recipe.Options
}

// NewValueLease returns a locker for the named lock. The owner names the process. It is
// safe for concurrent use. [sqllocks.Create] makes its table.
func NewValueLease(db *sql.DB, name, owner string, options sqllocks.Options) *ValueLease {
	return &ValueLease{db, name, owner, newOptions(options)}
}

// Acquire waits until the lock is held or ctx is done.
func (l *ValueLease) Acquire(ctx context.Context) (lock.Lease, error) {
	ttl := lock.TTL(ctx, l.options.TTL)
	h := &recipe.Hold{DB: l.db, Name: l.name, Owner: l.owner, Options: l.options}
	_, err := l.options.Persist(ctx, func(bool) (bool, error) { return l.try(ctx, h, ttl) })
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return h, nil
}

// try reads the row, and takes a lease that has ended.
func (l *ValueLease) try(ctx context.Context, h *recipe.Hold, ttl time.Duration) (held bool, err error) {
	var owner string
	var version int64
	var live bool
	err = l.options.Row(ctx, l.db, []any{&owner, &version, &live}, recipe.Present, l.name)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = l.options.Exec(ctx, l.db, recipe.FirstLease, l.name)
		return false, err
	}
	if err != nil || live {
		return false, err
	}
	sent := l.options.Clock.Now()
	n, err := l.options.Exec(ctx, l.db, `UPDATE lock_leases SET owner = ?, expires = NOW(6) + INTERVAL ? MICROSECOND
WHERE name = ? AND owner = ?`, l.owner, ttl.Microseconds(), l.name, owner)
	h.Ends = sent.Add(ttl)
	return n > 0, err
}
