package sqllocktest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver that sql.Open names

	"github.com/lockpick-dev/lockpick/internal/test/mutextest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
)

// Database is a real one, with the tables.
func Database(t *testing.T) *sql.DB {
	t.Helper()
	db := open(t, realmysql.Start(t))
	if err := sqllocks.Create(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if err := sqllocks.Create(t.Context(), db); err != nil {
		t.Fatalf("a second time: %v", err)
	}
	return db
}

// open is a pool of its own, as each process has one.
func open(t *testing.T, s *realmysql.Server) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Options are those of the tests.
var Options = sqllocks.Options{TTL: 3 * time.Second, MinSleep: time.Millisecond, RandomSleep: time.Millisecond}

// Lock is a lock that excludes others without faults.
type Lock struct {
	ID   string
	Make func(db *sql.DB, name string) lock.Locker
}

// Functional puts locks through the same tests.
func Functional(t *testing.T, db *sql.DB, locks []Lock) {
	for _, l := range locks {
		t.Run("exclusion/"+l.ID, func(t *testing.T) {
			mutextest.Exclusion(t, new(mutextest.Plain), func() lock.Locker { return l.Make(db, "exclusion-"+l.ID) })
		})
		t.Run("waiting/"+l.ID, func(t *testing.T) { mutextest.Waiting(t, l.Make(db, "waiting-"+l.ID)) })
	}
}

// Stock sells a stock out. A sound one sells what there is, and no more; one that oversells may say that
// more has been sold.
func Stock(t *testing.T, stock lock.Stock, oversells bool) {
	const items, clients = 30, 6
	if filled, err := stock.(lock.Filler).Fill(t.Context(), items); err != nil || !filled {
		t.Fatal(filled, err)
	}
	if filled, err := stock.(lock.Filler).Fill(t.Context(), items); err != nil || filled {
		t.Fatalf("a second time: %v, %v", filled, err)
	}
	sold := sellOut(t, stock, clients)
	left, err := stock.Left(t.Context())
	if err != nil || left+sold != items {
		t.Errorf("%d left and %d sold of %d, %v", left, sold, items, err)
	}
	if !oversells && left != 0 {
		t.Errorf("%d are left", left)
	}
	if err := stock.Sell(t.Context(), 1, func(context.Context) error { return nil }); !errors.Is(err, lock.ErrSoldOut) {
		t.Errorf("one more: %v", err)
	}
}

// sellOut sells single items until there are none, and returns how many were sold.
func sellOut(t *testing.T, stock lock.Stock, clients int) (sold int) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for {
				err := stock.Sell(t.Context(), 1, func(context.Context) error { return nil })
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

// ExtendToTheSameEnd tests that an extension that changes nothing, since the lease has that very end, is
// none that has failed.
func ExtendToTheSameEnd(t *testing.T, l Lock) {
	db := Database(t)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), `SET timestamp = 2000000000.25`); err != nil { // the connection's clock does not pass
		t.Fatal(err)
	}
	lease, err := l.Make(db, "same-end-"+l.ID).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.(lock.Extender).Extend(t.Context(), Options.TTL); err != nil {
		t.Errorf("%v", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Errorf("%v", err)
	}
	if err := lease.(lock.Extender).Extend(t.Context(), Options.TTL); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("extend of a lease that was released: %v", err)
	}
}
