package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/internal/test/verdicts"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql"
)

const endedSchema = `CREATE TABLE ended (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64) NOT NULL, expires DATETIME(6) NOT NULL)`

var (
	endedStore = mysql.Schema(endedSchema, `INSERT INTO ended VALUES ('lock', '', '1999-01-01')`)
	endedRow   = mysql.RowOwnership{Table: "ended", Owner: "owner", Expires: "expires"}
)

// ended is a lock whose row stays and has an end.
type ended struct {
	db    *sql.DB
	clock func() time.Time
	name  string
	owner string
	ttl   time.Duration
	calls int
	how   how
}

// how is how such a lock takes its row, and gives it up.
type how struct {
	take func(ctx context.Context, l *ended) (bool, error)
	give string
	// tries is set if each try has a name of its own.
	tries bool
	// late is set if the lock does not look at its clock when it has its answer.
	late bool
}

const (
	free    = ` WHERE name = 'lock' AND (owner = '' OR expires < NOW(6))`
	soon    = ` WHERE name = 'lock' AND (owner = '' OR expires < NOW(6) + INTERVAL 1900000 MICROSECOND)`
	set     = `UPDATE ended SET owner = ?, expires = NOW(6) + INTERVAL ? MICROSECOND`
	emptied = `UPDATE ended SET owner = '' WHERE name = 'lock' AND owner >= ? AND owner < ?`
	closed  = `UPDATE ended SET expires = '1999-01-01' WHERE name = 'lock' AND owner >= ? AND owner < ?`
)

func one(r sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// takes changes the row by one statement, if it is free.
func takes(where string) func(ctx context.Context, l *ended) (bool, error) {
	return func(ctx context.Context, l *ended) (bool, error) {
		return one(l.db.ExecContext(ctx, set+where, l.owner, l.ttl.Microseconds()))
	}
}

// takesInTransaction reads the row, and changes it if it is free.
func takesInTransaction(ctx context.Context, l *ended) (bool, error) {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }()
	var owner string
	var past bool
	if err := tx.QueryRowContext(ctx, `SELECT owner, expires < NOW(6) FROM ended WHERE name = 'lock' FOR UPDATE`).Scan(&owner, &past); err != nil {
		return false, err
	}
	if owner != "" && !past {
		return false, nil
	}
	if _, err := tx.ExecContext(ctx, set+` WHERE name = 'lock'`, l.owner, l.ttl.Microseconds()); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

func newEnded(h how) func(c *cell.Client) lock.Locker {
	return func(c *cell.Client) lock.Locker {
		return &ended{db: mysql.Connect(c), clock: c.Clock().Now, name: c.Name(), ttl: c.TTL(), how: h}
	}
}

func (l *ended) Acquire(ctx context.Context) (lock.Lease, error) {
	l.calls++
	mine := *l
	mine.owner = l.name + "#" + strconv.Itoa(l.calls)
	return mine.acquire(ctx)
}

func (l *ended) acquire(ctx context.Context) (lock.Lease, error) {
	first := l.owner
	for try := 1; ; try++ {
		if l.how.tries {
			l.owner = first + "#" + strconv.Itoa(try)
		}
		asked := l.clock()
		mine, err := l.how.take(ctx, l)
		if until := asked.Add(l.ttl); err == nil && mine && (l.how.late || l.clock().Before(until)) {
			return timed{l, until}, nil
		}
		if ctx.Err() != nil {
			l.owner = first
			go l.leave()
			return nil, ctx.Err()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// leave gives up what an Acquire may have taken.
func (l *ended) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, _ = l.db.ExecContext(ctx, l.how.give, l.owner, l.owner+"$")
}

func (l *ended) Release(ctx context.Context) error {
	for {
		mine, err := one(l.db.ExecContext(ctx, l.how.give, l.owner, l.owner+"$"))
		if err == nil && !mine {
			return lock.ErrNotHeld
		}
		var refused *driver.MySQLError
		if !errors.As(err, &refused) || refused.Number != 1213 {
			return err
		}
	}
}

type timed struct {
	lock.Lease
	until time.Time
}

func (l timed) Until() time.Time { return l.until }

// rowLock is such a lock.
func rowLock(h how) cell.Lock {
	return cell.Lock{ID: "row", Summary: "a row", Store: endedStore, Subject: cell.Mutex(newEnded(h)), Reading: cell.Reading{Ownership: endedRow}}
}

// TestRowWithEnd: a row that stays and has an end, which a client takes again when its own has
// passed. Two servers may have it for two clients, of which one was cut off, and a clock may jump
// between a statement and its commit: those are limits.
func TestRowWithEnd(t *testing.T) {
	slowtest.SkipIfShort(t)
	schedules := 1000
	if testing.Short() {
		schedules = 40
	}
	for name, h := range map[string]how{
		"emptied":                  {take: takes(free), give: emptied},
		"closed":                   {take: takes(free), give: closed},
		"by another name each try": {take: takes(free), give: emptied, tries: true},
		"by another name, closed":  {take: takes(free), give: closed, tries: true},
		"in a transaction":         {take: takesInTransaction, give: closed},
		"and by another name":      {take: takesInTransaction, give: emptied, tries: true},
	} {
		t.Run(name, func(t *testing.T) {
			if found, limits := verdicts.Of(t, rowLock(h), schedules, "storm", "server-clock-jump"); len(found) > 0 || limits == 0 {
				t.Errorf("faults %v, %d limits", found, limits)
			}
		})
	}
}

// TestRowWithEndWrongly: their twins.
func TestRowWithEndWrongly(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, e := range []struct {
		name, scenario, property string
		how                      how
	}{
		{"taken too soon", "storm", checker.MutualExclusion, how{take: takes(soon), give: emptied, tries: true}},
		{"acquired too late", "late-reply", checker.TruthfulAcquire, how{take: takes(free), give: emptied, late: true}},
		{"acquired too late, in a transaction", "late-reply", checker.TruthfulAcquire, how{take: takesInTransaction, give: emptied, late: true}},
	} {
		t.Run(e.name, func(t *testing.T) {
			if found, _ := verdicts.Of(t, rowLock(e.how), 200, e.scenario); found[e.property] == "" {
				t.Errorf("found %v", found)
			}
		})
	}
}
