package flawed

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// PooledAdvisory is an advisory lock of a session, taken and released through a pool of connections.
//
// Flawed: the lock belongs to the session that has asked for it, and not to the client. pg_advisory_unlock
// may run in another session, where it answers false and releases nothing, and the lock stays as long as
// the pool keeps its connection (scenario contention, property no-orphan). A second pg_advisory_lock in the
// same session succeeds at once, since the server counts the locks of a session: two threads hold the lock
// (contention, mutual-exclusion). When the session ends the lock is gone, and nothing signals that (storm,
// timely-loss). [pglocks.Advisory] is what it should be.
//
// Requests: acquire 1, release 1.
type PooledAdvisory struct {
	pool    *pgxpool.Pool
	key     int64
	options *recipe.Options
}

// NewPooledAdvisory returns a locker for the named lock. It is safe for concurrent use.
func NewPooledAdvisory(pool *pgxpool.Pool, name string, options pglocks.Options) *PooledAdvisory {
	return &PooledAdvisory{pool, pglocks.Key(name), newOptions(options)}
}

// Acquire waits until the lock is held or ctx is done.
func (p *PooledAdvisory) Acquire(ctx context.Context) (lock.Lease, error) {
	_, err := p.options.Persist(ctx, func(bool) (bool, error) {
		_, err := p.pool.Exec(ctx, `SELECT pg_advisory_lock($1)`, p.key)
		return err == nil, err
	})
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return pooledHold{p}, nil
}

// pooledHold is a lock that some session of the pool has.
type pooledHold struct{ of *PooledAdvisory }

// Release releases the lock, if it gets the right session.
func (h pooledHold) Release(ctx context.Context) error {
	if _, err := h.of.options.Exec(ctx, h.of.pool, `SELECT pg_advisory_unlock($1)`, h.of.key); err != nil {
		return recipe.LockError("release", err)
	}
	return nil
}
