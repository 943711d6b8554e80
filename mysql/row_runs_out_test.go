package mysql_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// leased is a lock over a row that stays, whose end the server computes. It is taken when it is free, and where ends is
// set also when that has passed.
type leased struct {
	careless
	lease time.Duration
	ends  bool
}

func (l *leased) Acquire(ctx context.Context) (lock.Lease, error) {
	free := `owner = ''`
	if l.ends {
		free = `(owner = '' OR expires <= NOW(6))`
	}
	for {
		r, err := l.db.ExecContext(ctx, `UPDATE standing SET owner = ?, expires = NOW(6) + INTERVAL ? MICROSECOND WHERE name = 'lock' AND `+free, l.owner, l.lease.Microseconds())
		if err == nil {
			if n, _ := r.RowsAffected(); n == 1 {
				return l, nil
			}
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

// TestRowEnds: the lease of a row that stays runs out when the end passes that the row names. Where the owner alone decides,
// no lease runs out, and more schedules are no remedy.
func TestRowEnds(t *testing.T) {
	for _, ends := range []bool{true, false} {
		t.Run(map[bool]string{true: "end", false: "no_end"}[ends], func(t *testing.T) {
			row := mysql.RowOwnership{Table: "standing", Owner: "owner"}
			if ends {
				row.Expires = "expires"
			}
			r := locktest.Explore(t, func(c *locktest.Client) lock.Locker {
				return &leased{careless{db: mysql.Connect(c), owner: c.Name()}, c.TTL(), ends}
			}, locktest.On(carelessStore), locktest.Ownership(row), locktest.Only("watchdog-late"), locktest.Runs(60)).Results[0]
			for _, h := range r.Happenings {
				if strings.Contains(h.Name, "ran out in the store") && (h.Schedules > 0) != ends {
					t.Errorf("in %d schedules %s", h.Schedules, h.Name)
				}
			}
			if vacuous := r.Result == explore.Vacuous; vacuous == ends && r.Result != "violation" {
				t.Errorf("it is %s", r.String())
			}
		})
	}
}
