package sqllocks_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/internal/realmysql"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/sqllocks"
)

// database is a real one, with the tables.
func database(t *testing.T) *sql.DB {
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

var options = sqllocks.Options{TTL: 3 * time.Second, MinSleep: time.Millisecond, RandomSleep: time.Millisecond}

// lockers are the locks that exclude each other without faults.
var lockers = map[string]func(*sql.DB, string) lock.Locker{
	"unique":      func(db *sql.DB, name string) lock.Locker { return sqllocks.NewUnique(db, name, options) },
	"lease":       func(db *sql.DB, name string) lock.Locker { return sqllocks.NewLease(db, name, options) },
	"row":         func(db *sql.DB, name string) lock.Locker { return sqllocks.NewRow(db, name, options) },
	"noted row":   func(db *sql.DB, name string) lock.Locker { return sqllocks.NewNotedRow(db, name, options) },
	"retried row": func(db *sql.DB, name string) lock.Locker { return sqllocks.NewRetriedRow(db, name, options) },
	"value": func(db *sql.DB, name string) lock.Locker {
		return sqllocks.NewValueLease(db, name, rand.Text(), options)
	},
	"named": func(db *sql.DB, name string) lock.Locker { return sqllocks.NewNamed(db, name, options) },
}

// TestExclusion: several clients add to a number without losing an addition.
func TestExclusion(t *testing.T) {
	db := database(t)
	for name, make := range lockers {
		t.Run(name, func(t *testing.T) {
			const clients, rounds = 4, 20
			value := 0
			var group sync.WaitGroup
			for range clients {
				locker := make(db, "exclusion-"+name)
				group.Go(func() {
					for range rounds {
						lease, err := locker.Acquire(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						was := value // the race detector looks at it, too
						time.Sleep(100 * time.Microsecond)
						value = was + 1
						if err := lease.Release(t.Context()); err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			if value != clients*rounds {
				t.Errorf("%d additions of %d are there", value, clients*rounds)
			}
		})
	}
}

// TestWaiting: who waits gives up with its context and leaves nothing behind, and a second
// Release says that nothing is held.
func TestWaiting(t *testing.T) {
	db := database(t)
	for name, make := range lockers {
		t.Run(name, func(t *testing.T) {
			locker := make(db, "waiting-"+name)
			lease, err := locker.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := locker.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a waiter whose context ends: %v", err)
			}
			if err := lease.Release(t.Context()); err != nil {
				t.Errorf("release: %v", err)
			}
			if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("the second release: %v", err)
			}
			again, err := locker.Acquire(t.Context())
			if err != nil {
				t.Fatalf("after a waiter that gave up: %v", err)
			}
			if err := again.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLease: a lease ends, is taken over with a higher token, and can be extended before.
func TestLease(t *testing.T) {
	db := database(t)
	short := options
	short.TTL = 300 * time.Millisecond
	a, b := sqllocks.NewLease(db, "lease", short), sqllocks.NewLease(db, "lease", short)
	first, err := a.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := first.(lock.Expirer).Until()
	if err := first.(lock.Extender).Extend(t.Context(), 400*time.Millisecond); err != nil || !first.(lock.Expirer).Until().After(before) {
		t.Fatalf("extend: %v, until %v after %v", err, first.(lock.Expirer).Until(), before)
	}
	second, err := b.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if now := time.Now(); now.Before(first.(lock.Expirer).Until()) {
		t.Errorf("it was taken over %v before its end", first.(lock.Expirer).Until().Sub(now))
	}
	if x, y := first.(lock.Fenced).Token(), second.(lock.Fenced).Token(); x >= y {
		t.Errorf("tokens %d and then %d", x, y)
	}
	if err := first.(lock.Extender).Extend(t.Context(), time.Second); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("extend of a lease that has ended: %v", err)
	}
	if err := first.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("release of a lease that has ended: %v", err)
	}
	if err := second.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestConnectionKilled: locks that live with a connection are free when it ends. [Named]
// says so.
func TestConnectionKilled(t *testing.T) {
	db := database(t)
	for _, name := range []string{"row", "named"} {
		t.Run(name, func(t *testing.T) {
			locker := lockers[name](db, "killed-"+name)
			lease, err := locker.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			kill(t, db)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			other, err := locker.Acquire(ctx)
			if err != nil {
				t.Fatalf("after the connection of the holder was killed: %v", err)
			}
			if n, ok := lease.(lock.Notifier); ok {
				select {
				case <-n.Lost():
				case <-ctx.Done():
					t.Error("the holder is not told")
				}
			}
			if err := lease.Release(t.Context()); err == nil {
				t.Error("the first release says that it has released the lock")
			}
			if err := other.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// kill kills all connections but the one that asks.
func kill(t *testing.T, db *sql.DB) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	rows, err := conn.QueryContext(t.Context(), `SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'root'`)
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if rows.Err() != nil || rows.Close() != nil {
		t.Fatal(rows.Err())
	}
	for _, id := range ids {
		if _, err := conn.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStock: the sound stocks sell what there is, and no more; the printed one sells more.
func TestStock(t *testing.T) {
	db := database(t)
	for name, stock := range map[string]lock.Stock{
		"pessimistic": sqllocks.NewPessimisticStock(db, "pessimistic", options),
		"optimistic":  sqllocks.NewOptimisticStock(db, "optimistic", options),
		"printed":     sqllocks.NewPrintedStock(db, "printed", options),
	} {
		t.Run(name, func(t *testing.T) {
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
			if name != "printed" && left != 0 {
				t.Errorf("%d are left", left)
			}
			if err := stock.Sell(t.Context(), 1, func(context.Context) error { return nil }); !errors.Is(err, lock.ErrSoldOut) {
				t.Errorf("one more: %v", err)
			}
		})
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

// TestOrderFails: nothing is sold, and the order's error is returned.
func TestOrderFails(t *testing.T) {
	db := database(t)
	for name, stock := range map[string]lock.Stock{
		"pessimistic": sqllocks.NewPessimisticStock(db, "pessimistic", options),
		"optimistic":  sqllocks.NewOptimisticStock(db, "optimistic", options),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := stock.(lock.Filler).Fill(t.Context(), 3); err != nil {
				t.Fatal(err)
			}
			refused, calls := errors.New("no paper"), 0
			err := stock.Sell(t.Context(), 2, func(context.Context) error { calls++; return refused })
			if !errors.Is(err, refused) || calls != 1 {
				t.Errorf("%v after %d calls", err, calls)
			}
			if left, err := stock.Left(t.Context()); left != 3 || err != nil {
				t.Errorf("%d left, %v", left, err)
			}
			if err := stock.Sell(t.Context(), 0, nil); err == nil {
				t.Error("an order of nothing")
			}
		})
	}
}

// TestExtendToTheSameEnd: an extension that changes nothing, since the lease has that very end, is none that
// has failed.
func TestExtendToTheSameEnd(t *testing.T) {
	db := database(t)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), `SET timestamp = 2000000000.25`); err != nil { // the connection's clock stands
		t.Fatal(err)
	}
	for _, name := range []string{"lease", "value"} {
		lease, err := lockers[name](db, "same-end-"+name).Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.(lock.Extender).Extend(t.Context(), options.TTL); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := lease.(lock.Extender).Extend(t.Context(), options.TTL); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("%s: extend of a lease that was released: %v", name, err)
		}
	}
}
