package flawed_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/internal/pglocktest"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/flawed"
)

var options = pglocktest.Options

// TestReal tests the locks on a real server: those that exclude each other without faults pass the same tests as
// the sound ones.
func TestReal(t *testing.T) {
	d := pglocktest.New(t)
	for name, test := range map[string]func(*testing.T, pglocktest.Database){ // unordered: each by itself
		"keeps the lock": testKeepsTheLock, "pooled": testPooled, "stock": testStock, "released twice": testReleasedTwice,
	} {
		t.Run(name, func(t *testing.T) { test(t, d) })
	}
	pglocktest.Functional(t, d, []pglocktest.Lock{
		{ID: "cancelled", Make: func(d pglocktest.Database, name string) lock.Locker {
			return flawed.NewCancelledAdvisory(d.Pool, name, options)
		}},
		{ID: "upsert", Make: func(d pglocktest.Database, name string) lock.Locker {
			return flawed.NewUpsertLease(d.Pool, name, options)
		}},
		{ID: "reelected", Make: func(d pglocktest.Database, name string) lock.Locker {
			return flawed.NewReelectedLease(d.Pool, name, options)
		}},
		{ID: "excluded", Make: func(d pglocktest.Database, name string) lock.Locker {
			return flawed.NewExcludedLease(d.Pool, name, options)
		}},
		{ID: "value", Make: func(d pglocktest.Database, name string) lock.Locker {
			return flawed.NewValueLease(d.Pool, name, rand.Text(), options)
		}},
	})
}

// testKeepsTheLock: after a release that sends no pg_advisory_unlock, another session does not get the lock.
func testKeepsTheLock(t *testing.T, d pglocktest.Database) {
	for name, locker := range map[string]lock.Locker{
		"cancelled": flawed.NewCancelledAdvisory(d.Pool, "kept-cancelled", options),
		"returned":  flawed.NewReturnedAdvisory(d.SQL, "kept-returned", options),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			lease, err := locker.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			_ = lease.Release(t.Context())
			other := pglocktest.Open(t, d.Pool.Config().ConnString())
			var got bool
			if err := other.Pool.QueryRow(t.Context(), `SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'`).Scan(&got); err != nil || got {
				t.Errorf("the lock is free: %v, %v", got, err)
			}
			if _, err := d.SQL.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()`); err != nil {
				t.Log(err)
			}
		})
	}
}

// testPooled: a second acquisition in the same session succeeds at once.
func testPooled(t *testing.T, d pglocktest.Database) {
	locker := flawed.NewPooledAdvisory(d.Pool, "pooled", options)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 2 {
		if _, err := locker.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// testStock: the printed stock and the queue without locks sell more than there is.
func testStock(t *testing.T, d pglocktest.Database) {
	for name, stock := range map[string]lock.Stock{
		"printed": flawed.NewPrintedStock(d.SQL, "printed", options), "unlocked": flawed.NewUnlockedQueue(d.SQL, "unlocked", options),
	} {
		t.Run(name, func(t *testing.T) { pglocktest.Stock(t, stock, true) })
	}
}

// testReleasedTwice: the second release of a connection that was given back says so.
func testReleasedTwice(t *testing.T, d pglocktest.Database) {
	lease, err := flawed.NewReturnedAdvisory(d.SQL, "twice", options).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("the second release: %v", err)
	}
}
