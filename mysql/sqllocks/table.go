package sqllocks

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// Table is a lock on a whole table, by LOCK TABLES ... WRITE on a connection of its own. A release
// is UNLOCK TABLES. Each lock has an empty table, which nobody uses otherwise.
//
// The lock lives as long as the connection, as that of [Row] does: a holder that crashes loses it when
// the database notices, at once if its connection breaks, and after wait_timeout otherwise. A holder
// whose connection breaks has lost the lock too, and is not notified: a resource elsewhere then has two
// holders (scenario storm, property mutual-exclusion). A restart (node-restart) and a failover
// (failover-loss) free all locks on tables.
//
// While it has the lock, the session can use no other table, so that a holder needs another
// connection for its work, and what that changes does not depend on the lock. A row lock hinders less,
// and can be held in the transaction that does the work: see [PessimisticStock].
//
// A connection is in use while a client waits, and while it has the lock. How long a client waits is limited by
// its context, and by lock_wait_timeout (a day), after which it tries again.
//
// Requests: acquire 1 (LOCK TABLES), release 1 (UNLOCK TABLES); and 1 that makes the table, once.
type Table struct {
	db      *sql.DB
	table   string // quoted
	options *recipe.Options
	made    atomic.Bool
}

// NewTable returns a locker for the named lock. It is safe for concurrent use. Its table is
// lock_table_ and the name, which may have 53 characters; it is made when the lock is first used.
func NewTable(db *sql.DB, name string, options Options) *Table {
	return &Table{db: db, table: "`" + strings.ReplaceAll(tablePrefix+name, "`", "``") + "`", options: options.recipe()}
}

// tablePrefix is the prefix of the names of tables that are locks.
const tablePrefix = "lock_table_"

// Acquire waits until the lock is held or ctx is done. It tries again if the connection breaks.
func (t *Table) Acquire(ctx context.Context) (lock.Lease, error) {
	var conn *sql.Conn
	_, err := t.options.Persist(ctx, func(bool) (held bool, err error) {
		if err = t.make(ctx); err == nil {
			conn, err = t.try(ctx)
		}
		return err == nil, err
	})
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	return &recipe.SessionHold{Options: t.options, Conn: conn, GivesUp: `UNLOCK TABLES`}, nil
}

// make makes the table, once.
func (t *Table) make(ctx context.Context) error {
	if t.made.Load() {
		return nil
	}
	_, err := t.options.Exec(ctx, t.db, `CREATE TABLE IF NOT EXISTS `+t.table+` (id INT NOT NULL PRIMARY KEY)`)
	t.made.Store(err == nil)
	return err
}

// try returns a connection that has the table. It waits for the answer until ctx is done, since the
// server limits the wait for the lock.
func (t *Table) try(ctx context.Context) (*sql.Conn, error) {
	conn, err := recipe.Connect(ctx, t.db, t.options)
	if err != nil {
		return nil, err
	}
	if _, err = conn.ExecContext(ctx, `LOCK TABLES `+t.table+` WRITE`); err != nil {
		recipe.Discard(conn)
		if recipe.Number(err) == recipe.NoTable { // a failover has lost it
			t.made.Store(false)
			err = driver.ErrBadConn
		}
		return nil, err
	}
	return conn, nil
}
