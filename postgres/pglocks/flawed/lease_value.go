package flawed

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// ValueLease is a lease in a row that is taken by compare-and-set: a client reads the row, sees that the
// lease has ended, and writes its own if the owner is still the one that it has read. Owners are processes.
//
// Flawed: it compares a value that comes back, and no version that does not (ABA). When the owner whose lease
// had ended takes the lock again, the comparison of a client that read before succeeds, and takes the live
// lease away (scenario late-request, property mutual-exclusion). A release that is late ends the process's next
// lease (late-request, owner-only-release). [pglocks.Lease] compares the end when it has the row.
//
// Requests: acquire 2 without contention, release 1.
type ValueLease struct {
	pool    *pgxpool.Pool
	name    string
	owner   string
	options *recipe.Options
}

// NewValueLease returns a locker for the named lock. The owner names the process. It is safe for concurrent
// use. [pglocks.Create] makes its table.
func NewValueLease(pool *pgxpool.Pool, name, owner string, options pglocks.Options) *ValueLease {
	return &ValueLease{pool, name, owner, newOptions(options)}
}

// Acquire waits until the lock is held or ctx is done.
func (l *ValueLease) Acquire(ctx context.Context) (lock.Lease, error) {
	ttl := lock.TTL(ctx, l.options.TTL)
	h := &recipe.Hold{On: l.pool, Name: l.name, Owner: l.owner, Options: l.options}
	_, err := l.options.Persist(ctx, func(bool) (bool, error) { return l.try(ctx, h, ttl) })
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return h, nil
}

// try reads the row, and takes a lease that has ended.
func (l *ValueLease) try(ctx context.Context, h *recipe.Hold, ttl time.Duration) (held bool, err error) {
	var owner string
	var live bool
	err = l.options.Row(ctx, l.pool, []any{&owner, &live}, `SELECT owner, expires > clock_timestamp() FROM lock_leases WHERE name = $1`, l.name)
	if recipe.NoRows(err) {
		_, err = l.options.Exec(ctx, l.pool, `INSERT INTO lock_leases (name, owner, version, expires) VALUES ($1, '', 0, '2000-01-01') ON CONFLICT DO NOTHING`, l.name)
		return false, err
	}
	if err != nil || live {
		return false, err
	}
	sent := l.options.Clock.Now()
	n, err := l.options.Exec(ctx, l.pool, `UPDATE lock_leases SET owner = $2, expires = clock_timestamp() + $3::interval WHERE name = $1 AND owner = $4`, l.name, l.owner, ttl, owner)
	h.Ends = sent.Add(ttl)
	return n > 0, err
}
