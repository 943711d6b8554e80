package redislocks_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// A flawed lock: whose clock is ahead takes over what has not ended.
func ExampleNewSetNXTimestampDel() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetNXTimestampDel(client, "orders", redislocks.Options{TTL: time.Minute})
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

// A flawed lock: whoever's value another has changed cannot release.
func ExampleNewSetNXGetSet() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetNXGetSet(client, "orders", redislocks.Options{TTL: time.Minute})
	winner, _ := locker.Acquire(ctx)
	client.GetSet(ctx, "orders", "4000000000000") // a loser, who is too late by a moment
	fmt.Println("release:", winner.Release(ctx))
	fmt.Println("keys:", client.Exists(ctx, "orders").Val())
	// Output:
	// release: lock: not held
	// keys: 1
}

// A flawed lock: a lease of a minute ends after 60 ms.
func ExampleNewSetNXGetSetPrinted() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetNXGetSetPrinted(client, "orders", redislocks.PrintedOptions{
		Options: redislocks.Options{TTL: time.Minute, MinSleep: 100 * time.Millisecond}, Record: new(redislocks.Record),
	})
	for range 2 {
		_, err := locker.Acquire(ctx)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// <nil>
}

// A flawed lock: its release looks, and deletes, in two steps.
func ExampleNewSetPXTwoStep() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPXTwoStep(client, "orders", redislocks.Options{})
	late, _ := locker.Acquire(ctx)
	client.Set(ctx, "orders", "another's", 0)
	fmt.Println("in time:", late.Release(ctx)) // and between the steps it would not be
	// Output: in time: lock: not held
}

// A flawed lock: who will not wait for long has a short lease.
func ExampleNewSetPXWaitAsTTLPrinted() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPXWaitAsTTLPrinted(client, "orders", redislocks.PatientOptions{
		Options: redislocks.Options{TTL: time.Minute}, Wait: time.Second,
	})
	_, _ = locker.Acquire(ctx)
	fmt.Println("lives for", client.TTL(ctx, "orders").Val())
	// Output: lives for 1s
}

// A flawed lock: a lease that has ended is not done releasing.
func ExampleNewSetPXSpinReleasePrinted() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := redislocks.NewSetPXSpinReleasePrinted(client, "orders", redislocks.Options{})
	late, _ := locker.Acquire(ctx)
	client.Del(ctx, "orders") // its lease has ended
	ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	fmt.Println(late.Release(ctx))
	// Output: redislocks: release: context deadline exceeded
}
