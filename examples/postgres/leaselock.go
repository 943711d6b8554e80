// Package leaselock is a lock of our own over PostgreSQL, as a program has it: a row with an owner and an
// end. It knows nothing of simulation; the test has an adapter.
package leaselock

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Table makes the table.
const Table = `CREATE TABLE leases (name text PRIMARY KEY, owner text NOT NULL, expires timestamptz NOT NULL)`

// ErrLost says that the lease had ended before it was released.
var ErrLost = errors.New("leaselock: the lease had ended")

// poll is how often a waiter asks.
const poll = 50 * time.Millisecond

// Lock is a named lock.
type Lock struct {
	pool *pgxpool.Pool
	name string
	ttl  time.Duration
}

// New returns the lock of a name. A lease lasts for the TTL by the clock of the database.
func New(pool *pgxpool.Pool, name string, ttl time.Duration) *Lock { return &Lock{pool, name, ttl} }

// Lease is the lock while it is held.
type Lease struct {
	lock  *Lock
	owner string
}

// Acquire waits until it has the lock, or ctx is done. A lease that has ended is taken over. If Acquire fails, it
// gives up in the background the lease that an unanswered request may have taken.
func (l *Lock) Acquire(ctx context.Context) (*Lease, error) {
	h := &Lease{l, rand.Text()}
	for {
		began := time.Now()
		// clock_timestamp() is when the row is locked; now() would be when the transaction began.
		r, err := l.pool.Exec(ctx, `INSERT INTO leases VALUES ($1, $2, clock_timestamp() + $3::interval)
			ON CONFLICT (name) DO UPDATE SET owner = $2, expires = clock_timestamp() + $3::interval WHERE leases.expires < clock_timestamp()`,
			l.name, h.owner, l.ttl)
		switch {
		case err != nil:
			go h.giveUp(context.WithoutCancel(ctx))
			return nil, err
		case r.RowsAffected() > 0 && time.Since(began) < l.ttl:
			return h, nil
		}
		select { // a lease that was granted too late to be used ends by itself, as do those of others
		case <-time.After(poll):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// giveUp ends the lease as soon as the database can be reached, for as long as it may last.
func (h *Lease) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, h.lock.ttl)
	defer cancel()
	for ctx.Err() == nil {
		if err := h.end(ctx); err == nil || errors.Is(err, ErrLost) {
			return
		}
		time.Sleep(poll)
	}
}

// Release gives the lock up. It returns [ErrLost] if somebody else may have it meanwhile. After another error, such as
// an answer that was lost, it goes on in the background.
func (h *Lease) Release(ctx context.Context) error {
	err := h.end(ctx)
	if err != nil && !errors.Is(err, ErrLost) {
		go h.giveUp(context.WithoutCancel(ctx))
	}
	return err
}

func (h *Lease) end(ctx context.Context) error {
	r, err := h.lock.pool.Exec(ctx, `DELETE FROM leases WHERE name = $1 AND owner = $2`, h.lock.name, h.owner)
	if err == nil && r.RowsAffected() == 0 {
		err = ErrLost
	}
	return err
}
