package pglocktest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/lockpick-dev/lockpick/internal/test/mutextest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

// Database is a real one, with the tables. Its pools are those of a process.
type Database struct {
	Pool *pgxpool.Pool
	SQL  *sql.DB
}

// New returns a database, and skips the test if PostgreSQL is not installed.
func New(t *testing.T) Database {
	t.Helper()
	d := Open(t, realpostgres.Start(t).DSN)
	for range 2 { // the second time changes nothing
		if err := pglocks.Create(t.Context(), d.Pool); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// Open returns the pools of a process, which prepare nothing.
func Open(t *testing.T, dsn string) Database {
	t.Helper()
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 20
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	db := stdlib.OpenDB(*config.ConnConfig)
	t.Cleanup(func() { _ = db.Close() })
	return Database{pool, db}
}

// Options are those of the tests. On a busy machine a statement takes longer than the quarter of a lease that a lock waits
// for its answer by default.
var Options = pglocks.Options{TTL: 3 * time.Second, Patience: 30 * time.Second, MinSleep: time.Millisecond, RandomSleep: time.Millisecond}

// Lock is a lock that excludes others without faults.
type Lock struct {
	ID   string
	Make func(d Database, name string) lock.Locker
}

// Functional puts locks through the same tests.
func Functional(t *testing.T, d Database, locks []Lock) {
	for _, l := range locks {
		t.Run("exclusion/"+l.ID, func(t *testing.T) {
			mutextest.Exclusion(t, new(mutextest.Plain), func() lock.Locker { return l.Make(d, "exclusion-"+l.ID) })
		})
		t.Run("waiting/"+l.ID, func(t *testing.T) { mutextest.Waiting(t, l.Make(d, "waiting-"+l.ID)) })
	}
}

// Stock sells a stock out. A sound one sells what there is, and no more; one that oversells may say that
// more has been sold.
func Stock(t *testing.T, stock lock.Stock, oversells bool) {
	const items, clients = 30, 6
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a stock tries for ever if its server is gone
	defer cancel()
	if filled, err := stock.(lock.Filler).Fill(ctx, items); err != nil || !filled {
		t.Fatal(filled, err)
	}
	if filled, err := stock.(lock.Filler).Fill(ctx, items); err != nil || filled {
		t.Fatalf("a second time: %v, %v", filled, err)
	}
	work := time.Millisecond
	if oversells {
		work = 20 * time.Millisecond // so that orders overlap
	}
	sold := sellOut(ctx, t, stock, clients, work)
	left, err := stock.Left(ctx)
	switch {
	case err != nil:
		t.Error(err)
	case oversells && sold <= items:
		t.Errorf("%d sold of %d: want more", sold, items)
	case !oversells && (left != 0 || sold != items):
		t.Errorf("%d left and %d sold of %d", left, sold, items)
	}
	if err := stock.Sell(ctx, 1, func(context.Context) error { return nil }); !errors.Is(err, lock.ErrSoldOut) {
		t.Errorf("one more: %v", err)
	}
}

// sellOut sells single items by orders that take a while until there are none, and returns how many were sold.
func sellOut(ctx context.Context, t *testing.T, stock lock.Stock, clients int, work time.Duration) (sold int) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for {
				err := stock.Sell(ctx, 1, func(context.Context) error { time.Sleep(work); return nil })
				if errors.Is(err, lock.ErrSoldOut) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				sold++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return sold
}
