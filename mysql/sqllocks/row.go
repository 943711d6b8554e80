package sqllocks

import (
	"context"
	"database/sql"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// Row is a row lock: its holder is in a transaction that has selected the row FOR UPDATE. A
// release commits it. MariaDB grants the lock in the order in which it was asked for; MySQL,
// from 8.0.20 on, first to the transaction that most others wait for.
//
// The lock lives as long as the connection: a holder that crashes loses it when the
// database notices, at once if its connection breaks, and after wait_timeout otherwise.
// A holder whose connection breaks has lost the lock too, and is not notified: a resource
// elsewhere then has two holders (scenario storm, property mutual-exclusion). A resource
// in the same database should be written in the lock's own transaction, which cannot
// commit then: see [PessimisticStock]. A failover frees all row locks (failover-loss).
//
// A connection is in use while a client waits, and while it has the lock: with fewer
// connections than waiters, a thread that needs another connection waits for them. A
// transaction that is ended while it waits is begun anew.
//
// Requests: acquire 2 (BEGIN, SELECT), release 1 (COMMIT).
type Row struct{ row *recipe.Row }

// NewRow returns a locker for the named lock. It is safe for concurrent use. [Create]
// makes its table; the row is made when the lock is first used, since FOR UPDATE of a row
// that does not exist excludes nobody.
func NewRow(db *sql.DB, name string, options Options) *Row {
	return &Row{&recipe.Row{DB: db, Name: name, Options: options.recipe()}}
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection
// breaks, and after the database's time-out for waiters (innodb_lock_wait_timeout).
func (r *Row) Acquire(ctx context.Context) (lock.Lease, error) {
	held, err := r.row.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return held, nil
}
