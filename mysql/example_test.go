package mysql_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// named is a lock over MySQL: GET_LOCK, on a connection that only the holder uses.
type named struct {
	db   *sql.DB
	name string
}

func newNamed(c *locktest.Client) lock.Locker { return named{mysql.Connect(c), c.LockName()} }

func (l named) Acquire(ctx context.Context) (lock.Lease, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var got sql.NullInt64
	err = conn.QueryRowContext(ctx, `SELECT GET_LOCK(?, 30)`, l.name).Scan(&got)
	if err == nil && got.Int64 != 1 {
		err = context.DeadlineExceeded
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return namedLease{conn, l.name}, nil
}

type namedLease struct {
	conn *sql.Conn
	name string
}

func (l namedLease) Release(ctx context.Context) error {
	_, err := l.conn.ExecContext(ctx, `DO RELEASE_LOCK(?)`, l.name)
	_ = l.conn.Close()
	return err
}

// A test names the store of its lock: [mysql.Store], or [mysql.Schema] with the lock's tables.
func Example() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Check(t, newNamed, locktest.On(mysql.Store))
	}
	_ = test
}

// The owner and the end of a lock are columns of its row.
func ExampleRowOwnership() {
	store := mysql.Schema(`CREATE TABLE leases (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64), expires DATETIME(6))`)
	row := mysql.RowOwnership{Table: "leases", Owner: "owner", Expires: "expires"}
	test := func(t *testing.T, newLock func(*locktest.Client) lock.Locker) {
		locktest.Check(t, newLock, locktest.On(store), locktest.Ownership(row))
	}
	_ = test
}

// Each client has a pool of connections. This is one run, in which nothing fails.
func ExampleConnect() {
	locks := []cell.Lock{{ID: "mylock", Store: mysql.Store, Subject: locktest.Mutex(newNamed)}}
	c, err := scenarios.Registry(locks).Cell("contention", "mylock", nil)
	if err != nil {
		panic(err)
	}
	run := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	held := 0
	for _, op := range run.Recording.History.Operations {
		if op.Kind == model.Acquire && op.Result == model.OK {
			held++
		}
	}
	fmt.Println("acquired:", held, "violations:", len(run.Violated()))
	// Output: acquired: 6 violations: 0
}
