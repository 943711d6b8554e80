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

// TestFunctional puts the locks that exclude each other without faults through the same tests as the sound
// ones.
func TestFunctional(t *testing.T) {
	pglocktest.Functional(t, pglocktest.New(t), []pglocktest.Lock{
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

// TestKeepsTheLock: after a release that sends no pg_advisory_unlock, another session does not get the lock.
func TestKeepsTheLock(t *testing.T) {
	d := pglocktest.New(t)
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

// TestPooled: a second acquisition in the same session succeeds at once.
func TestPooled(t *testing.T) {
	d := pglocktest.New(t)
	locker := flawed.NewPooledAdvisory(d.Pool, "pooled", options)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 2 {
		if _, err := locker.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStock: the printed stock and the queue without locks sell more than there is.
func TestStock(t *testing.T) {
	d := pglocktest.New(t)
	for name, stock := range map[string]lock.Stock{
		"printed": flawed.NewPrintedStock(d.SQL, "printed", options), "unlocked": flawed.NewUnlockedQueue(d.SQL, "unlocked", options),
	} {
		t.Run(name, func(t *testing.T) { pglocktest.Stock(t, stock, true) })
	}
}

// TestReleasedTwice: the second release of a connection that was given back says so.
func TestReleasedTwice(t *testing.T) {
	lease, err := flawed.NewReturnedAdvisory(pglocktest.New(t).SQL, "twice", options).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lease.Release(t.Context())); err != nil {
		t.Error(err)
	}
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("the second release: %v", err)
	}
}
