package flawed_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
)

// Of a holder that crashes it is never free again.
func ExampleNewSetNX() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetNX(client, "orders", redislocks.Options{TTL: time.Second})
	_, err := locker.Acquire(ctx) // and it crashes
	fmt.Println(err, client.TTL(ctx, "orders").Val() == -1)
	// Output: <nil> true
}

// Whoever releases too late removes the lock of the next.
func ExampleNewSetPXDel() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetPXDel(client, "orders", redislocks.Options{})
	late, _ := locker.Acquire(ctx)
	client.Del(ctx, "orders") // its lease has ended
	_, _ = locker.Acquire(ctx)
	fmt.Println("release:", late.Release(ctx))
	fmt.Println("keys:", client.Exists(ctx, "orders").Val())
	// Output:
	// release: <nil>
	// keys: 0
}

// Whoever has waited in vain learns that he holds it.
func ExampleNewSetPXVoidPrinted() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetPXVoidPrinted(client, "orders", flawed.PatientOptions{Wait: time.Millisecond})
	_, err := locker.Acquire(ctx)
	fmt.Println("first:", err)
	_, err = locker.Acquire(ctx)
	fmt.Println("second:", err)
	// Output:
	// first: <nil>
	// second: <nil>
}

// Whose clock is ahead takes over what has not ended.
func ExampleNewSetNXTimestampDel() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetNXTimestampDel(client, "orders", redislocks.Options{TTL: time.Minute})
	late, _ := locker.Acquire(ctx)
	client.Set(ctx, "orders", "1", 0) // its lease has ended long ago
	_, err := locker.Acquire(ctx)
	fmt.Println("another:", err)
	fmt.Println("release:", late.Release(ctx)) // of the other's lock
	fmt.Println("keys:", client.Exists(ctx, "orders").Val())
	// Output:
	// another: <nil>
	// release: <nil>
	// keys: 0
}

// Whoever's value another has changed cannot release.
func ExampleNewSetNXGetSet() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetNXGetSet(client, "orders", redislocks.Options{TTL: time.Minute})
	winner, _ := locker.Acquire(ctx)
	client.GetSet(ctx, "orders", "4000000000000") // a loser, who is too late by a moment
	fmt.Println("release:", winner.Release(ctx))
	fmt.Println("keys:", client.Exists(ctx, "orders").Val())
	// Output:
	// release: lock: not held
	// keys: 1
}

// A lease of a minute ends after 60 ms.
func ExampleNewSetNXGetSetPrinted() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetNXGetSetPrinted(client, "orders", flawed.PrintedOptions{
		Options: redislocks.Options{TTL: time.Minute, MinSleep: 100 * time.Millisecond}, Record: new(flawed.Record),
	})
	for range 2 {
		_, err := locker.Acquire(ctx)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// <nil>
}

// Its release looks, and deletes, in two steps.
func ExampleNewSetPXTwoStep() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetPXTwoStep(client, "orders", redislocks.Options{})
	late, _ := locker.Acquire(ctx)
	client.Set(ctx, "orders", "another's", 0)
	fmt.Println("in time:", late.Release(ctx)) // and between the steps it would not be
	// Output: in time: lock: not held
}

// Its release asks a replica, which may not have the key yet.
func ExampleNewSetPXReplicaCheck() {
	client, done := connected()
	defer done()
	replica, stop := connected() // another server: it lags
	defer stop()
	ctx := context.Background()

	locker := flawed.NewSetPXReplicaCheck(client, replica, "orders", redislocks.Options{})
	lease, _ := locker.Acquire(ctx)
	fmt.Println(lease.Release(ctx))
	fmt.Println("keys left:", client.Exists(ctx, "orders").Val())
	// Output:
	// lock: not held
	// keys left: 1
}

// Who will not wait for long has a short lease.
func ExampleNewSetPXWaitAsTTLPrinted() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetPXWaitAsTTLPrinted(client, "orders", flawed.PatientOptions{
		Options: redislocks.Options{TTL: time.Minute}, Wait: time.Second,
	})
	_, _ = locker.Acquire(ctx)
	fmt.Println("lives for", client.TTL(ctx, "orders").Val())
	// Output: lives for 1s
}

// A lease that has ended is not done releasing.
func ExampleNewSetPXSpinReleasePrinted() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewSetPXSpinReleasePrinted(client, "orders", redislocks.Options{})
	late, _ := locker.Acquire(ctx)
	client.Del(ctx, "orders") // its lease has ended
	ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	fmt.Println(late.Release(ctx))
	// Output: redislocks: release: context deadline exceeded
}

func ExampleRedlockMulti() {
	var servers []flawed.RedlockMultiClient
	for range 3 {
		client, done := connected()
		defer done()
		servers = append(servers, client)
	}
	locker := flawed.NewRedlockMulti(servers, "orders", redislocks.Options{})

	ctx := context.Background()
	lease, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lease.Release(ctx))
	fmt.Println(lease.Release(ctx)) // it would not report that
	// Output:
	// <nil>
	// <nil>
}

// A waiter that misses the release gets the lock when the lease was to end.
func ExampleNewCheckSubscribe() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewCheckSubscribe(client, "orders", redislocks.Options{TTL: time.Second})
	lease, err := locker.Acquire(ctx)
	fmt.Println("acquire:", err)
	fmt.Println("release:", lease.Release(ctx))
	fmt.Println("again:", lease.Release(ctx))
	// Output:
	// acquire: <nil>
	// release: <nil>
	// again: lock: not held
}

// A release that was not answered is reported as one.
func ExampleNewSetPXQuietReleasePrinted() {
	client, done := connected()
	ctx := context.Background()

	locker := flawed.NewSetPXQuietReleasePrinted(client, "orders", redislocks.Options{})
	lease, err := locker.Acquire(ctx)
	fmt.Println("acquire:", err)
	done() // nothing can be sent any more
	fmt.Println("release:", lease.Release(ctx))
	// Output:
	// acquire: <nil>
	// release: <nil>
}

// Who is given a lease is not renewed.
func ExampleNewLeasedWatchdog() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewLeasedWatchdog(client, "orders", redislocks.Options{TTL: 60 * time.Millisecond})
	defer locker.Close()
	lease, err := locker.Acquire(ctx)
	fmt.Println("acquire:", err)
	client.Del(ctx, "orders") // the lease has ended, which would take a watchdog a third of it to renew
	_, reports := lease.(lock.Notifier)
	fmt.Println("reports its loss:", reports)
	// Output:
	// acquire: <nil>
	// reports its loss: false
}

// A thread that waits is let into the store while that has the lock.
func ExampleEarlyHotspots() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	gates := flawed.EarlyHotspots{Hotspots: pull.NewHotspots("orders")}
	next := redislocks.NewPull(client, "orders", pull.Options{Handlers: []pull.Handler{gates, traced{acquiring: func() {
		fmt.Println("the next thread asks the store, which has the lock:", client.Exists(ctx, "orders").Val() == 1)
	}}}})
	locker := redislocks.NewPull(client, "orders", pull.Options{Handlers: []pull.Handler{gates, traced{releasing: func() {
		_, err := next.TryAcquire(ctx)
		fmt.Println("the next thread:", err)
	}}}})
	lease, err := locker.Acquire(ctx)
	fmt.Println("acquire:", err)
	fmt.Println("release:", lease.Release(ctx))
	// Output:
	// acquire: <nil>
	// the next thread asks the store, which has the lock: true
	// the next thread: pull: acquire "orders": lock: not acquired
	// release: <nil>
}

// traced is a handler that calls functions when the store is about to be asked.
type traced struct{ acquiring, releasing func() }

func (h traced) Acquire(ctx context.Context, _ *pull.Acquisition, next func(context.Context) error) error {
	if h.acquiring != nil {
		h.acquiring()
	}
	return next(ctx)
}

func (h traced) Release(ctx context.Context, _ *pull.Acquisition, next func(context.Context) error) error {
	if h.releasing != nil {
		h.releasing()
	}
	return next(ctx)
}

// The gates of names that nobody locks any more stay.
func ExampleHotspotsOfAll() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	gates := pull.NewHotspots()
	for i := range 3 {
		order := redislocks.NewPull(client, fmt.Sprintf("order-%d", i), pull.Options{Handlers: []pull.Handler{flawed.HotspotsOfAll{Hotspots: gates}}})
		lease, err := order.Acquire(ctx)
		fmt.Println("acquire:", err)
		fmt.Println("release:", lease.Release(ctx))
	}
	fmt.Println("gates:", gates.Len())
	// Output:
	// acquire: <nil>
	// release: <nil>
	// acquire: <nil>
	// release: <nil>
	// acquire: <nil>
	// release: <nil>
	// gates: 3
}

// The lock moves with the server that a client takes for down.
func ExampleNewSetPXRing() {
	ctx := context.Background()
	var shards []flawed.RingShard
	var down []func()
	for range 2 {
		client, done := connected()
		defer done()
		shards, down = append(shards, flawed.RingShard{Client: client, Health: client}), append(down, done)
	}

	locker := flawed.NewSetPXRing(shards, "orders", flawed.RingOptions{Interval: time.Millisecond})
	defer locker.Close()
	_, err := locker.Acquire(ctx)
	fmt.Println("acquire:", err)
	down[redislocks.ShardOf("orders", 2, nil)]() // nothing can be sent to the server of the lock any more
	time.Sleep(time.Second)
	_, err = locker.Acquire(ctx)
	fmt.Println("again, while it is held:", err)
	// Output:
	// acquire: <nil>
	// again, while it is held: <nil>
}
