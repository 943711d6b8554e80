package flawed_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/internal/sqllocktest"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/flawed"
)

var options = sqllocktest.Options

var value = sqllocktest.Lock{ID: "value", Make: func(db *sql.DB, name string) lock.Locker {
	return flawed.NewValueLease(db, name, rand.Text(), options)
}}

// TestFunctional puts the locks that exclude each other without faults through the same tests as the sound
// ones.
func TestFunctional(t *testing.T) {
	sqllocktest.Functional(t, sqllocktest.Database(t), []sqllocktest.Lock{
		value,
		{ID: "noted row", Make: func(db *sql.DB, name string) lock.Locker { return flawed.NewNotedRow(db, name, options) }},
		{ID: "retried row", Make: func(db *sql.DB, name string) lock.Locker { return flawed.NewRetriedRow(db, name, options) }},
	})
}

// TestAutocommit: a row lock ends with its statement if autocommit is on, and another client has it at once.
func TestAutocommit(t *testing.T) {
	locker := flawed.NewAutocommitRow(sqllocktest.Database(t), "autocommit", options)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var leases []lock.Lease
	for range 2 {
		lease, err := locker.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, lease)
	}
	for _, lease := range leases {
		if err := lease.Release(ctx); err != nil {
			t.Error(err)
		}
		if err := lease.Release(ctx); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("the second release: %v", err)
		}
	}
}

// TestStock: the printed stock sells more than there is, or not, as time will have it.
func TestStock(t *testing.T) {
	sqllocktest.Stock(t, flawed.NewPrintedStock(sqllocktest.Database(t), "printed", options), true)
}

// TestExtendToTheSameEnd: an extension that changes nothing has not failed.
func TestExtendToTheSameEnd(t *testing.T) { sqllocktest.ExtendToTheSameEnd(t, value) }
