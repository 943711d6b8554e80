package flawed

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// ExcludedLease is a lease in a row that is taken by an upsert with the values of EXCLUDED, in a transaction
// that also notes the last holder of the lock.
//
// Flawed: the values of an INSERT are computed before it waits for another transaction that has the row
// locked. So the end in excluded.expires may have passed when the lease is granted: anybody may take it, and
// its owner counts the lease from the answer (scenario late-request, property mutual-exclusion).
// clock_timestamp() in SET is computed when the row is locked, and the client must count from when it asked.
//
// Requests: acquire 4 (BEGIN, INSERT, INSERT, COMMIT), release 1, extend 1.
type ExcludedLease struct {
	pool    *pgxpool.Pool
	name    string
	options *recipe.Options
}

// NewExcludedLease returns a locker for the named lock. It is safe for concurrent use. [pglocks.Create]
// makes its tables.
func NewExcludedLease(pool *pgxpool.Pool, name string, options pglocks.Options) *ExcludedLease {
	return &ExcludedLease{pool, name, newOptions(options)}
}

const takeExcluded = `INSERT INTO lock_leases (name, owner, version, expires) VALUES ($1, $2, 1, clock_timestamp() + $3::interval)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, version = lock_leases.version + 1, expires = excluded.expires
WHERE lock_leases.expires <= clock_timestamp()`

// Acquire waits until the lock is held or ctx is done.
func (l *ExcludedLease) Acquire(ctx context.Context) (lock.Lease, error) {
	ttl := lock.TTL(ctx, l.options.TTL)
	h := &recipe.Hold{On: l.pool, Name: l.name, Owner: rand.Text(), Options: l.options}
	open, err := l.options.Persist(ctx, func(bool) (bool, error) { return l.try(ctx, h, ttl) })
	if err != nil {
		if open {
			l.options.Afterwards(l.pool, h.GiveBack())
		}
		return nil, recipe.LockError("acquire", err)
	}
	return h, nil
}

// try takes the lease, if the present one has ended, and notes that. It waits while another transaction has
// the row.
func (l *ExcludedLease) try(ctx context.Context, h *recipe.Hold, ttl time.Duration) (held bool, err error) {
	conn, err := recipe.Connect(ctx, l.pool, l.options)
	if err != nil {
		return false, err
	}
	held, err = l.take(ctx, conn, h, ttl)
	if err != nil {
		recipe.Discard(conn)
	} else {
		conn.Release()
	}
	return held, err
}

func (l *ExcludedLease) take(ctx context.Context, conn *pgxpool.Conn, h *recipe.Hold, ttl time.Duration) (held bool, err error) {
	if _, err := l.options.Exec(ctx, conn, `BEGIN`); err != nil {
		return false, err
	}
	tag, err := conn.Exec(ctx, takeExcluded, h.Name, h.Owner, ttl)
	if err != nil {
		return false, err
	}
	if tag.RowsAffected() == 0 {
		_, err = l.options.Exec(ctx, conn, `ROLLBACK`)
		return false, err
	}
	h.Ends = l.options.Clock.Now().Add(ttl)
	if _, err := l.options.Exec(ctx, conn, `INSERT INTO lock_orders (id, name, items) VALUES ($1, $2, 0)`, rand.Text(), l.name); err != nil {
		return false, err
	}
	err = l.options.Commit(ctx, conn)
	return err == nil, err
}
