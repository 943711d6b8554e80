package flawed

import (
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// lease is [pglocks.Lease] with another statement that extends.
type lease struct {
	pool    *pgxpool.Pool
	name    string
	extends string
	options *recipe.Options
}

// Acquire waits until the lock is held or ctx is done. If it gives up after a lost answer, it ends the lease
// that it may have got in the background.
func (l *lease) Acquire(ctx context.Context) (lock.Lease, error) {
	c := &recipe.Claim{
		Hold: &recipe.Hold{On: l.pool, Name: l.name, Owner: rand.Text(), Options: l.options, Extends: l.extends},
		TTL:  lock.TTL(ctx, l.options.TTL),
	}
	if err := c.Acquire(ctx, l.pool); err != nil {
		return nil, err
	}
	return c, nil
}

// UpsertLease is [pglocks.Lease] that is extended by an upsert, so that one statement serves the first
// registration and all that follow.
//
// Flawed: the upsert takes the row of any owner. A renewal that comes when the lease has ended takes the
// live lease of the next owner, and both believe that they hold the lock (scenario gc-pause, property
// mutual-exclusion). A renewal must change the row only if it is still its own.
//
// Requests: as [pglocks.Lease].
type UpsertLease struct{ lease }

// NewUpsertLease returns a locker for the named lock. It is safe for concurrent use. [pglocks.Create] makes
// its table.
func NewUpsertLease(pool *pgxpool.Pool, name string, options pglocks.Options) *UpsertLease {
	return &UpsertLease{lease{pool, name, `INSERT INTO lock_leases (name, owner, version, expires) VALUES ($1, $2, 1, clock_timestamp() + $3::interval)
ON CONFLICT (name) DO UPDATE SET owner = $2, expires = clock_timestamp() + $3::interval`, newOptions(options)}}
}

// ReelectedLease is [pglocks.Lease] whose leader is elected again by an upsert that is to change the row of
// the leader alone.
//
// Flawed: it compares the owner of EXCLUDED, which is the row that was to be inserted, with its own name: it
// compares its name with itself. So the row of the next leader is extended, and a leader whose lease has
// ended believes that it was elected again (scenario gc-pause, property mutual-exclusion). The condition must
// name the table: lock_leases.owner.
//
// Requests: as [pglocks.Lease].
type ReelectedLease struct{ lease }

// NewReelectedLease returns a locker for the named lock. It is safe for concurrent use. [pglocks.Create]
// makes its table.
func NewReelectedLease(pool *pgxpool.Pool, name string, options pglocks.Options) *ReelectedLease {
	return &ReelectedLease{lease{pool, name, `INSERT INTO lock_leases (name, owner, version, expires) VALUES ($1, $2, 1, clock_timestamp() + $3::interval)
ON CONFLICT (name) DO UPDATE SET expires = clock_timestamp() + $3::interval WHERE excluded.owner = $2`, newOptions(options)}}
}
