package builtin_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/sqllocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/mysql"
	"github.com/lockpick-dev/lockpick/traces"
)

// ownScenarios are those that not every store has, each with a lock that does not know of what happens
// there, and one that does.
var ownScenarios = []struct {
	id, property  string
	flawed, sound scenarios.NewLock
	// needs is the parameter without which the flaw does not show.
	needs string
}{
	{"lost-commit", checker.Progress, newForgetful, newUnique, "lost-commits"},
	{"pool-exhausted", checker.Progress, newAudited, newRow, "connections"},
	{"deadlock", checker.MutualExclusion, newRepeating, newRow, "deadlocks"},
}

// TestOwnScenarios: the search finds what the flawed lock does wrong, and that it needs what the scenario
// is about; of the other it finds nothing.
func TestOwnScenarios(t *testing.T) {
	for _, test := range ownScenarios {
		t.Run(test.id, func(t *testing.T) {
			explored := func(l scenarios.NewLock) scenarios.Report {
				return scenarios.Explore(t, l, scenarios.On(mysql.Schema(sqllocks.Schema()...)),
					scenarios.Only(test.id), scenarios.Properties(test.property), scenarios.Runs(100))
			}
			if r := explored(test.sound); len(r.Findings) > 0 {
				t.Errorf("the sound lock: %v", r.Results[0])
			}
			r := explored(test.flawed)
			if len(r.Findings) != 1 || r.Findings[0].Limit {
				t.Fatalf("the flawed lock: %d findings, %v", len(r.Findings), r.Results[0])
			}
			if list := r.Findings[0].Trace.Parameters; !slices.ContainsFunc(list, func(p traces.Parameter) bool { return p.Name == test.needs }) {
				t.Errorf("the flaw shows without %s: %v", test.needs, list)
			}
		})
	}
}

func newUnique(c *scenarios.Client) lock.Locker {
	return sqllocks.NewUnique(mysql.Connect(c), c.LockName(), options(c))
}

func newRow(c *scenarios.Client) lock.Locker {
	return sqllocks.NewRow(mysql.Connect(c), c.LockName(), options(c))
}

func options(c *scenarios.Client) sqllocks.Options {
	return sqllocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
}

// forgetful is a lock that is a row under a primary key, without an owner. After an error it inserts the
// row again: if the row is its own, it waits for itself.
type forgetful struct {
	c  *scenarios.Client
	db *sql.DB
}

func newForgetful(c *scenarios.Client) lock.Locker { return forgetful{c, mysql.Connect(c)} }

func (l forgetful) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		_, err := l.db.ExecContext(ctx, `INSERT INTO lock_owners (name, owner) VALUES (?, '')`, l.c.LockName())
		var refused *driver.MySQLError
		switch {
		case err == nil:
			return l, nil
		case ctx.Err() != nil:
			return nil, err
		case errors.As(err, &refused): // a duplicate
			l.c.Clock().Sleep(500 * time.Millisecond)
		}
	}
}

func (l forgetful) Release(ctx context.Context) error {
	_, err := l.db.ExecContext(ctx, `DELETE FROM lock_owners WHERE name = ?`, l.c.LockName())
	return err
}

// audited is a row lock whose holder notes that it has the lock, before it says so: on another
// connection of the pool, so that the note is there when the transaction is rolled back.
type audited struct {
	c  *scenarios.Client
	db *sql.DB
}

func newAudited(c *scenarios.Client) lock.Locker { return &audited{c, mysql.Connect(c)} }

func (l *audited) Acquire(ctx context.Context) (lock.Lease, error) {
	if _, err := l.db.ExecContext(ctx, `INSERT IGNORE INTO lock_rows (name) VALUES (?)`, l.c.LockName()); err != nil {
		return nil, err
	}
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	var name string
	err = tx.QueryRowContext(ctx, `SELECT name FROM lock_rows WHERE name = ? FOR UPDATE`, l.c.LockName()).Scan(&name)
	if err == nil {
		_, err = l.db.ExecContext(ctx, `INSERT INTO lock_orders (id, name, items) VALUES (?, ?, 1)`, rand.Text(), l.c.Name())
	}
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return transaction{tx}, nil
}

// transaction is a lock that ends with a transaction.
type transaction struct{ *sql.Tx }

func (t transaction) Release(context.Context) error { return t.Commit() }

// repeating is a row lock that repeats a statement which has ended in a deadlock, and not its
// transaction. What it repeats is a transaction by itself, and the row is not locked any more.
type repeating struct {
	c  *scenarios.Client
	db *sql.DB
}

func newRepeating(c *scenarios.Client) lock.Locker { return &repeating{c, mysql.Connect(c)} }

func (l *repeating) Acquire(ctx context.Context) (lock.Lease, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	name := l.c.LockName()
	for _, statement := range []string{
		`INSERT IGNORE INTO lock_rows (name) VALUES ('` + name + `')`,
		`START TRANSACTION`,
		`SELECT name FROM lock_rows WHERE name = '` + name + `' FOR UPDATE`,
	} {
		if err := insist(ctx, conn, statement); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	return held{conn}, nil
}

// insist repeats a statement until it does not end in a deadlock.
func insist(ctx context.Context, conn *sql.Conn, statement string) error {
	const deadlock = 1213
	for {
		_, err := conn.ExecContext(ctx, statement)
		var refused *driver.MySQLError
		if !errors.As(err, &refused) || refused.Number != deadlock {
			return err
		}
	}
}

// held is a lock that ends with the transaction of a connection.
type held struct{ conn *sql.Conn }

func (h held) Release(ctx context.Context) error {
	_, err := h.conn.ExecContext(ctx, `COMMIT`)
	return errors.Join(err, h.conn.Close())
}
