package pglocks_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/internal/pglocktest"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

// options are those of the tests.
var options = pglocktest.Options

// locks are the locks that exclude each other without faults.
var locks = []pglocktest.Lock{
	{ID: "advisory", Make: func(d pglocktest.Database, name string) lock.Locker {
		return pglocks.NewAdvisory(d.Pool, name, options)
	}},
	{ID: "advisory-xact", Make: func(d pglocktest.Database, name string) lock.Locker {
		return pglocks.NewAdvisoryXact(d.Pool, name, options)
	}},
	{ID: "row", Make: func(d pglocktest.Database, name string) lock.Locker { return pglocks.NewRow(d.Pool, name, options) }},
	{ID: "lease", Make: func(d pglocktest.Database, name string) lock.Locker { return pglocks.NewLease(d.Pool, name, options) }},
	{ID: "notify", Make: func(d pglocktest.Database, name string) lock.Locker { return pglocks.NewNotify(d.Pool, name, options) }},
}

// find is the lock of that ID.
func find(id string) pglocktest.Lock {
	return locks[slices.IndexFunc(locks, func(l pglocktest.Lock) bool { return l.ID == id })]
}

// TestReal tests the locks on a real server.
func TestReal(t *testing.T) {
	d := pglocktest.New(t)
	pglocktest.Functional(t, d, locks)
	for name, test := range map[string]func(*testing.T, pglocktest.Database){ // unordered: each by itself
		"lease": testLease, "woken": testWoken, "terminated": testTerminated, "stock": testStock, "order fails": testOrderFails,
	} {
		t.Run(name, func(t *testing.T) { test(t, d) })
	}
}

// testLease: a lease ends, is taken over with a higher token, and can be extended before.
func testLease(t *testing.T, d pglocktest.Database) {
	short := options
	short.TTL = 300 * time.Millisecond
	for name, locker := range map[string]func() lock.Locker{
		"lease":  func() lock.Locker { return pglocks.NewLease(d.Pool, "lease", short) },
		"notify": func() lock.Locker { return pglocks.NewNotify(d.Pool, "notify", short) },
	} {
		t.Run(name, func(t *testing.T) { takenOver(t, locker(), locker()) })
	}
}

func takenOver(t *testing.T, a, b lock.Locker) {
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

// testWoken: a waiter has the lock soon after its release, long before the lease would have ended.
func testWoken(t *testing.T, d pglocktest.Database) {
	long := options
	long.TTL = time.Minute
	first, err := pglocks.NewNotify(d.Pool, "woken", long).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { _ = first.Release(context.Background()) })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	second, err := pglocks.NewNotify(d.Pool, "woken", long).Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// testTerminated: locks that live with a session are free when it ends, and say so.
func testTerminated(t *testing.T, d pglocktest.Database) {
	for _, id := range []string{"advisory", "advisory-xact", "row"} {
		t.Run(id, func(t *testing.T) {
			locker := find(id).Make(d, "terminated-"+id)
			lease, err := locker.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.SQL.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			other, err := locker.Acquire(ctx)
			if err != nil {
				t.Fatalf("after the session of the holder was ended: %v", err)
			}
			select {
			case <-lease.(lock.Notifier).Lost():
			case <-ctx.Done():
				t.Error("the holder does not learn of it")
			}
			if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("the first release: %v", err)
			}
			if err := other.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// testStock: the stocks sell what there is, and no more.
func testStock(t *testing.T, d pglocktest.Database) {
	for name, stock := range map[string]lock.Stock{
		"pessimistic": pglocks.NewPessimisticStock(d.SQL, "pessimistic", options),
		"optimistic":  pglocks.NewOptimisticStock(d.SQL, "optimistic", options),
		"queue":       pglocks.NewQueue(d.SQL, "queue", options),
	} {
		t.Run(name, func(t *testing.T) { pglocktest.Stock(t, stock, false) })
	}
}

// testOrderFails: nothing is sold, and the order's error is returned.
func testOrderFails(t *testing.T, d pglocktest.Database) {
	for name, stock := range map[string]lock.Stock{
		"pessimistic": pglocks.NewPessimisticStock(d.SQL, "failing-pessimistic", options),
		"optimistic":  pglocks.NewOptimisticStock(d.SQL, "failing-optimistic", options),
		"queue":       pglocks.NewQueue(d.SQL, "failing-queue", options),
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

// TestBehindPooler: all locks but those of a session work behind PgBouncer in transaction mode.
func TestBehindPooler(t *testing.T) {
	realpostgres.NeedPooler(t)
	server := realpostgres.Start(t)
	if err := pglocks.Create(t.Context(), pglocktest.Open(t, server.DSN).Pool); err != nil {
		t.Fatal(err)
	}
	d := pglocktest.Open(t, realpostgres.StartPooler(t, server.Addr, realpostgres.Pooling{Mode: "transaction"}).DSN)
	pglocktest.Functional(t, d, slices.DeleteFunc(slices.Clone(locks), func(l pglocktest.Lock) bool { return l.ID == "advisory" }))
	t.Run("queue", func(t *testing.T) { pglocktest.Stock(t, pglocks.NewQueue(d.SQL, "queue", options), false) })
}
