package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// standing is a lock whose row is there from the start: an acquisition changes its owner and its
// end, and creates nothing.
type standing struct {
	db    *sql.DB
	owner string
	lease time.Duration
}

const standingSchema = `CREATE TABLE standing (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64) NOT NULL, expires DATETIME(6) NOT NULL)`

var (
	standingStore = mysql.Schema(standingSchema, `INSERT INTO standing VALUES ('it', '', '1999-01-01')`)
	standingRow   = mysql.RowOwnership{Table: "standing", Owner: "owner", Expires: "expires"}
)

func newStanding(c *locktest.Client) lock.Locker {
	return &standing{db: mysql.Connect(c), owner: c.Name(), lease: c.TTL()}
}

func (s *standing) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		r, err := s.db.ExecContext(ctx, `UPDATE standing SET owner = ?, expires = NOW(6) + INTERVAL ? MICROSECOND WHERE name = 'it' AND (owner = '' OR expires < NOW(6))`,
			s.owner, s.lease.Microseconds())
		if err == nil {
			if n, _ := r.RowsAffected(); n == 1 {
				return s, nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *standing) Release(ctx context.Context) error {
	r, err := s.db.ExecContext(ctx, `UPDATE standing SET owner = '' WHERE name = 'it' AND owner = ?`, s.owner)
	if err != nil {
		return err
	}
	if n, _ := r.RowsAffected(); n == 0 {
		return lock.ErrNotHeld
	}
	return nil
}

// asking is standing, whose acquisition only asks: nothing is ever granted by the store.
type asking struct{ *standing }

func newAsking(c *locktest.Client) lock.Locker { return asking{newStanding(c).(*standing)} }

func (a asking) Acquire(ctx context.Context) (lock.Lease, error) {
	var owner string
	err := a.db.QueryRowContext(ctx, `SELECT owner FROM standing WHERE name = 'it'`).Scan(&owner)
	return a, errors.Join(err, ctx.Err())
}

// TestStandingRow: a row that stays is granted by the change of its owner, so faults that strike
// a grant are not missed for such a lock. What changes no row is granted nothing.
func TestStandingRow(t *testing.T) {
	slowtest.SkipIfShort(t)
	for scenario, runs := range map[string]int{"holder-crash": 300, "lost-reply": 60, "lost-commit": 60, "cancel": 60} {
		t.Run(scenario, func(t *testing.T) {
			for _, r := range locktest.Explore(t, newStanding, locktest.On(standingStore), locktest.Ownership(standingRow),
				locktest.Only(scenario), locktest.Runs(runs)).Results {
				if r.Result == explore.Vacuous {
					t.Errorf("it is vacuous: %s", r.String())
				}
			}
		})
	}
	t.Run("asking", func(t *testing.T) {
		for _, r := range locktest.Explore(t, newAsking, locktest.On(standingStore), locktest.Ownership(standingRow),
			locktest.Only("lost-commit"), locktest.Runs(30)).Results {
			for _, h := range r.Happenings {
				if h.Schedules > 0 {
					t.Errorf("%s, where nothing is granted: %s", h.Name, r.String())
				}
			}
		}
	})
}
