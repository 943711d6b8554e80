package redislocks_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// The lock for production: it waits for three seconds at most, is renewed while
// it is held, and its threads compete locally first.
func ExampleNewPull() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewPull(client, "orders", pull.Options{
		TTL: 10 * time.Second, Wait: 50 * time.Millisecond, Renew: true,
		Handlers: []pull.Handler{pull.NewHotspots("orders")},
	})
	lease, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	select {
	case <-lease.(lock.Notifier).Lost(): // stop working
	default:
		fmt.Println("held")
	}
	_, err = locker.Acquire(ctx)
	fmt.Println("meanwhile:", errors.Is(err, pull.ErrTimeout))
	fmt.Println("release:", lease.Release(ctx))
	// Output:
	// held
	// meanwhile: true
	// release: <nil>
}

// Somebody who expects more work than usual asks for a longer lease, for this
// acquisition only.
func ExampleNewSetPX() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPX(client, "orders", redislocks.Options{TTL: 10 * time.Second})
	lease, err := locker.Acquire(lock.WithTTL(ctx, time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("lives for", client.TTL(ctx, "orders").Val())
	fmt.Println("release:", lease.Release(ctx))
	// Output:
	// lives for 1m0s
	// release: <nil>
}

// Where the server has the command CAD the release needs no script.
func ExampleNewSetPXCAD() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPXCAD(client, "orders", redislocks.Options{})
	lease, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("release:", lease.Release(ctx)) // this server has not: it gets the script
	// Output: release: <nil>
}

// The same with a command of Redis 8.4.
func ExampleNewSetPXDelEx() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPXDelEx(client, "orders", redislocks.Options{})
	lease, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("release:", lease.Release(ctx))
	// Output: release: <nil>
}

// Where scripts are not allowed a transaction releases.
func ExampleNewSetPXWatch() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPXWatch(client, "orders", redislocks.Options{})
	lease, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	client.Set(ctx, "orders", "another's", 0)
	fmt.Println("release:", lease.Release(ctx))
	// Output: release: lock: not held
}

// A lock that a replica must have before it is held: of a server that has none
// nobody gets it.
func ExampleNewSetPXWait() {
	client, done := connected()
	defer done()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()

	locker := redislocks.NewSetPXWait(client, "orders", redislocks.WaitOptions{Replicas: 1})
	_, err := locker.Acquire(ctx)
	fmt.Println("held:", err == nil)
	// Output: held: false
}

// The resource refuses a token that is lower than one it has seen.
func ExampleNewSetPXFenced() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPXFenced(client, "orders", redislocks.Options{})
	for range 2 {
		lease, err := locker.Acquire(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("token", lease.(lock.Fenced).Token())
		_ = lease.Release(ctx)
	}
	// Output:
	// token 1
	// token 2
}

// The numbers come from another server than the lock.
func ExampleNewSetPXFencedElsewhere() {
	client, done := connected()
	defer done()
	other, otherDone := connected()
	defer otherDone()
	ctx := context.Background()

	counter := redislocks.NewRedisCounter(other, "orders:fence", 0)
	locker := redislocks.NewSetPXFencedElsewhere(client, counter, "orders", redislocks.Options{})
	for range 2 {
		lease, err := locker.Acquire(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		client.FlushAll(ctx) // the lock's server forgets
		fmt.Println("token", lease.(lock.Fenced).Token())
	}
	// Output:
	// token 1
	// token 2
}

// Each name belongs to one of several servers, in every process.
func ExampleShardOf() {
	for _, name := range []string{"orders", "payments", "stock"} {
		fmt.Println(name, redislocks.ShardOf(name, 3, nil))
	}
	fmt.Println("orders, of those that are left when 0 is down:", redislocks.ShardOf("orders", 3, func(i int) bool { return i > 0 }))
	// Output:
	// orders 0
	// payments 1
	// stock 1
	// orders, of those that are left when 0 is down: 1
}
