package mysql_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/traces/render"
)

var carelessStore = mysql.Schema(standingSchema, `INSERT INTO standing VALUES ('lock', '', '1999-01-01')`)

// careless is a lock over a row that stays, and takes it as try says.
type careless struct {
	db    *sql.DB
	owner string
	try   func(context.Context, *careless) (bool, error)
}

func newCareless(try func(context.Context, *careless) (bool, error)) func(*locktest.Client) lock.Locker {
	return func(c *locktest.Client) lock.Locker { return &careless{mysql.Connect(c), c.Name(), try} }
}

func (l *careless) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		switch ok, err := l.try(ctx, l); {
		case err != nil:
			return nil, err
		case ok:
			return l, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *careless) Release(ctx context.Context) error {
	_, err := l.db.ExecContext(ctx, `UPDATE standing SET owner = '' WHERE name = 'lock' AND owner = ?`, l.owner)
	return err
}

// askThenTake takes the lock in a statement of its own, after one that found it free.
func askThenTake(ctx context.Context, l *careless) (bool, error) {
	var owner string
	if err := l.db.QueryRowContext(ctx, `SELECT owner FROM standing WHERE name = 'lock'`).Scan(&owner); err != nil || owner != "" {
		return false, err
	}
	_, err := l.db.ExecContext(ctx, `UPDATE standing SET owner = ?, expires = NOW(6) + INTERVAL 2 SECOND WHERE name = 'lock'`, l.owner)
	return err == nil, err
}

// anyRows takes an answer without an error for success, however many rows it says.
func anyRows(ctx context.Context, l *careless) (bool, error) {
	_, err := l.db.ExecContext(ctx, `UPDATE standing SET owner = ?, expires = NOW(6) + INTERVAL 2 SECOND WHERE name = 'lock' AND owner = ''`, l.owner)
	return err == nil, err
}

// TestWhatDecided: a counterexample tells the answer by which Acquire took itself for the holder, and
// who had the lock.
func TestWhatDecided(t *testing.T) {
	for name, try := range map[string]func(context.Context, *careless) (bool, error){"ask_then_take": askThenTake, "any_rows": anyRows} {
		t.Run(name, func(t *testing.T) {
			r := locktest.Explore(t, newCareless(try), locktest.On(carelessStore), locktest.Ownership(standingRow),
				locktest.Only("contention"), locktest.Runs(60), locktest.Properties(checker.MutualExclusion))
			if len(r.Findings) != 1 || r.Findings[0].Limit {
				t.Fatalf("%+v", r.Findings)
			}
			wrong, steps := render.Brief(r.Findings[0].Trace)
			golden.File(t, "testdata/decided_"+name+".golden", strings.Join(slices.Concat(wrong, steps), "\n")+"\n")
		})
	}
}
