package builtin_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/flawed"
	"github.com/lockpick-dev/lockpick/traces"
)

// ownScenarios are those that not every store has, each with a lock that does not know of what happens
// there, and one that does.
var ownScenarios = []struct {
	id, property  string
	flawed, sound cell.NewLock
	// needs is the parameter without which the flaw does not show.
	needs string
}{
	{"lost-commit", checker.Progress, newForgetful, newUnique, "lost-commits"},
	{"pool-exhausted", checker.Progress, newNotedRow, newRow, "connections"},
	{"deadlock", checker.MutualExclusion, newRetriedRow, newRow, "deadlocks"},
}

// TestOwnScenarios: the search finds what the flawed lock does wrong, and that it needs what the scenario
// is about; of the other it finds nothing.
func TestOwnScenarios(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range ownScenarios {
		t.Run(test.id, func(t *testing.T) {
			explored := func(l cell.NewLock) locktest.Report {
				return locktest.Explore(t, l, locktest.On(mysql.Schema(sqllocks.Schema()...)),
					locktest.Only(test.id), locktest.Properties(test.property), locktest.Runs(100))
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

func newUnique(c *cell.Client) lock.Locker {
	return sqllocks.NewUnique(mysql.Connect(c), c.LockName(), options(c))
}

func newRow(c *cell.Client) lock.Locker {
	return sqllocks.NewRow(mysql.Connect(c), c.LockName(), options(c))
}

func newNotedRow(c *cell.Client) lock.Locker {
	return flawed.NewNotedRow(mysql.Connect(c), c.LockName(), options(c))
}

func newRetriedRow(c *cell.Client) lock.Locker {
	return flawed.NewRetriedRow(mysql.Connect(c), c.LockName(), options(c))
}

func options(c *cell.Client) sqllocks.Options {
	return sqllocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
}

// forgetful is a lock that is a row under a primary key, without an owner. After an error it inserts the
// row again: if the row is its own, it waits for itself.
type forgetful struct {
	c  *cell.Client
	db *sql.DB
}

func newForgetful(c *cell.Client) lock.Locker { return forgetful{c, mysql.Connect(c)} }

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
