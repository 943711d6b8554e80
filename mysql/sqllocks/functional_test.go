package sqllocks_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/internal/sqllocktest"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
)

// options are those of the tests.
var options = sqllocktest.Options

// locks are the locks that exclude each other without faults.
var locks = []sqllocktest.Lock{
	{ID: "unique", Make: func(db *sql.DB, name string) lock.Locker { return sqllocks.NewUnique(db, name, options) }},
	{ID: "lease", Make: func(db *sql.DB, name string) lock.Locker { return sqllocks.NewLease(db, name, options) }},
	{ID: "row", Make: func(db *sql.DB, name string) lock.Locker { return sqllocks.NewRow(db, name, options) }},
	{ID: "table", Make: func(db *sql.DB, name string) lock.Locker { return sqllocks.NewTable(db, name, options) }},
	{ID: "named", Make: func(db *sql.DB, name string) lock.Locker { return sqllocks.NewNamed(db, name, options) }},
}

// find is the lock of that ID.
func find(id string) sqllocktest.Lock {
	return locks[slices.IndexFunc(locks, func(l sqllocktest.Lock) bool { return l.ID == id })]
}

// TestFunctional puts all locks through the same tests.
func TestFunctional(t *testing.T) { sqllocktest.Functional(t, sqllocktest.Database(t), locks) }

// TestLease: a lease ends, is taken over with a higher token, and can be extended before.
func TestLease(t *testing.T) {
	db := sqllocktest.Database(t)
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
	db := sqllocktest.Database(t)
	for _, name := range []string{"row", "table", "named"} {
		t.Run(name, func(t *testing.T) {
			locker := find(name).Make(db, "killed-"+name)
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
					t.Error("the holder does not learn of it")
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

// gone reports whether a connection has ended by itself since it was listed.
func gone(err error) bool {
	const unknownThread = 1094
	var e *mysql.MySQLError
	return errors.As(err, &e) && e.Number == unknownThread
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
		if _, err := conn.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err != nil && !gone(err) {
			t.Fatal(err)
		}
	}
}

// TestStock: the stocks sell what there is, and no more.
func TestStock(t *testing.T) {
	db := sqllocktest.Database(t)
	for name, stock := range map[string]lock.Stock{
		"pessimistic": sqllocks.NewPessimisticStock(db, "pessimistic", options),
		"optimistic":  sqllocks.NewOptimisticStock(db, "optimistic", options),
	} {
		t.Run(name, func(t *testing.T) { sqllocktest.Stock(t, stock, false) })
	}
}

// TestOrderFails: nothing is sold, and the order's error is returned.
func TestOrderFails(t *testing.T) {
	db := sqllocktest.Database(t)
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

// TestExtendToTheSameEnd: an extension that changes nothing has not failed.
func TestExtendToTheSameEnd(t *testing.T) { sqllocktest.ExtendToTheSameEnd(t, find("lease")) }
