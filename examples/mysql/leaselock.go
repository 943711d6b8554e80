// Package leaselock is a lock of our own over MySQL, as a program has it: a row with an owner and an
// end. It knows nothing of simulation; the test has an adapter.
package leaselock

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Table makes the table.
const Table = `CREATE TABLE leases (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64) NOT NULL, expires DATETIME(6) NOT NULL)`

// ErrLost says that the lease had ended before it was released.
var ErrLost = errors.New("leaselock: the lease had ended")

// poll is how often a waiter asks.
const poll = 50 * time.Millisecond

// Lock is a named lock.
type Lock struct {
	db   *sql.DB
	name string
	ttl  time.Duration
}

// New returns the lock of a name. A lease lasts for the TTL by the clock of the database.
func New(db *sql.DB, name string, ttl time.Duration) *Lock { return &Lock{db, name, ttl} }

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
		taken, err := l.try(ctx, h.owner)
		switch {
		case err != nil:
			go h.giveUp(context.WithoutCancel(ctx))
			return nil, err
		case taken && time.Since(began) < l.ttl:
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

// duplicate is the number of the error that there is such a row.
const duplicate = 1062

// try inserts the row, or takes over the one whose lease has ended.
func (l *Lock) try(ctx context.Context, owner string) (bool, error) {
	_, err := l.db.ExecContext(ctx, `INSERT INTO leases VALUES (?, ?, NOW(6) + INTERVAL ? MICROSECOND)`,
		l.name, owner, l.ttl.Microseconds())
	var refused *mysql.MySQLError
	if err == nil || !errors.As(err, &refused) || refused.Number != duplicate {
		return err == nil, err
	}
	r, err := l.db.ExecContext(ctx, `UPDATE leases SET owner = ?, expires = NOW(6) + INTERVAL ? MICROSECOND WHERE name = ? AND expires < NOW(6)`,
		owner, l.ttl.Microseconds(), l.name)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// Release gives the lock up. It returns [ErrLost] if somebody else may have it meanwhile. After another error, such as
// a deadlock or an answer that was lost, it goes on in the background.
func (h *Lease) Release(ctx context.Context) error {
	err := h.end(ctx)
	if err != nil && !errors.Is(err, ErrLost) {
		go h.giveUp(context.WithoutCancel(ctx))
	}
	return err
}

func (h *Lease) end(ctx context.Context) error {
	r, err := h.lock.db.ExecContext(ctx, `DELETE FROM leases WHERE name = ? AND owner = ?`, h.lock.name, h.owner)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrLost, err)
	}
	return nil
}
