package mysql_test

import (
	"context"
	"database/sql"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/storetest"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// forUpdate locks a row for the length of a statement: autocommit ends its transaction,
// and the lock with it.
type forUpdate struct{ db *sql.DB }

func newForUpdate(c *cell.Client) lock.Locker { return forUpdate{mysql.Connect(c)} }

func (l forUpdate) Acquire(ctx context.Context) (lock.Lease, error) {
	var name string
	return l, l.db.QueryRowContext(ctx, `SELECT name FROM locks WHERE name = ? FOR UPDATE`, cell.LockName).Scan(&name)
}

func (l forUpdate) Release(context.Context) error { return nil }

var tables = mysql.Schema(
	`CREATE TABLE locks (name VARCHAR(64) PRIMARY KEY)`, `INSERT INTO locks VALUES ('`+cell.LockName+`')`)

// TestForUpdateWithAutocommit: the lock is gone at once. The case is made small, and told in
// MySQL's words.
func TestForUpdateWithAutocommit(t *testing.T) {
	r := locktest.Explore(t, newForUpdate, locktest.On(tables),
		locktest.Only("contention"), locktest.Properties(checker.NoLostUpdate), locktest.Runs(100))
	if len(r.Findings) != 1 || r.Findings[0].Limit {
		t.Fatalf("%d findings: %v", len(r.Findings), r.Results[0])
	}
	var text strings.Builder
	if err := render.Explain(&text, r.Findings[0].Trace, render.Style{}); err != nil {
		t.Fatal(err)
	}
	if word := regexp.MustCompile(`(?i)redis|zookeeper|znode|\bkeys?\b`).FindString(text.String()); word != "" {
		t.Errorf("%q is of another store:\n%s", word, &text)
	}
}

// TestNoRow: FOR UPDATE of a row that is not there locks nothing that another could not lock,
// and a lock that is taken like this answers so.
func TestNoRow(t *testing.T) {
	empty := mysql.Schema(`CREATE TABLE locks (name VARCHAR(64) PRIMARY KEY)`)
	locks := []cell.Lock{{ID: "none", Store: empty, Subject: cell.Mutex(newForUpdate)}}
	c, err := scenarios.Registry(locks).Cell("contention", "none", nil)
	if err != nil {
		t.Fatal(err)
	}
	run := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	h := run.Recording.History
	if len(h.Operations) == 0 {
		t.Fatal("nothing was tried")
	}
	for _, op := range h.Operations {
		if op.Kind == model.Acquire && (op.Result == model.OK || !strings.Contains(op.Err, "no rows")) {
			t.Errorf("%s: %s, %q", op.Kind, op.Result, op.Err)
		}
	}
}

// TestScenariosThatDoNotApply: the rest applies to every server.
func TestScenariosThatDoNotApply(t *testing.T) {
	storetest.Lacks(t, cell.Lock{ID: "row", Store: tables, Subject: cell.Mutex(newForUpdate)},
		"no replica answers clients", "MySQL elects no primary by itself", "the records of MySQL do not move from one server to another",
		"the simulation of MySQL has no errors that requests have not caused")
}

// TestVersion: traces that a test binary records say which driver it was.
func TestVersion(t *testing.T) {
	if v := mysql.Store.Versions()["go-sql-driver/mysql"]; !regexp.MustCompile(`^v\d+\.\d+\.\d+`).MatchString(v) {
		t.Errorf("the version is %q", v)
	}
}
