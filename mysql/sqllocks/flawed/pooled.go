package flawed

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// Pooled is a named lock, by GET_LOCK, through a pool of connections.
//
// Flawed: the lock belongs to the connection that has asked for it, and not to the client.
// RELEASE_LOCK may run on another connection, where it releases nothing, and the lock stays as
// long as the pool keeps its connection (scenario contention, property no-orphan). A second
// GET_LOCK on the same connection succeeds at once, since the server counts the locks of a
// connection: two threads hold the lock (contention, mutual-exclusion). When the connection
// ends the lock is gone, and nothing signals that (storm, timely-loss). golang-migrate had it
// before v3.2.0. [sqllocks.Named] is what it should be.
//
// Requests: acquire 1, release 1.
type Pooled struct {
	db      *sql.DB
	name    string
	options *recipe.Options
}

// NewPooled returns a locker for the named lock. It is safe for concurrent use.
func NewPooled(db *sql.DB, name string, options sqllocks.Options) *Pooled {
	return &Pooled{db, name, newOptions(options)}
}

// Acquire waits until the lock is held or ctx is done.
func (p *Pooled) Acquire(ctx context.Context) (lock.Lease, error) {
	_, err := p.options.Persist(ctx, func(bool) (bool, error) {
		return p.options.GetLock(ctx, p.db, p.name, recipe.Seconds(p.options.TTL))
	})
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return pooledHold{p}, nil
}

// pooledHold is a lock that some connection of the pool has.
type pooledHold struct{ of *Pooled }

// Release releases the lock, if it gets the right connection.
func (h pooledHold) Release(ctx context.Context) error {
	return h.of.options.ReleaseLock(ctx, h.of.db, h.of.name)
}
