package redislocks_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

func ExampleReentrant() {
	client, done := connected()
	defer done()
	locker := redislocks.NewReentrant(client, "orders", redislocks.Options{TTL: 10 * time.Second})
	defer locker.Close()

	ctx := lock.WithOwner(context.Background(), "request 7")
	outer, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	inner, err := locker.Acquire(ctx) // in a function that needs the lock, too
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(inner.Release(ctx), outer.Release(ctx))
	fmt.Println(outer.Release(ctx))
	// Output:
	// <nil> <nil>
	// lock: not held
}

func ExampleWatchdog() {
	client, done := connected()
	defer done()
	locker := redislocks.NewWatchdog(client, "report", redislocks.WatchdogOptions{MaxHold: time.Hour})
	defer locker.Close()

	lease, err := locker.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for page := range 3 {
		select {
		case <-lease.(lock.Notifier).Lost():
			fmt.Println("lost")
			return
		default:
			fmt.Println("page", page)
		}
	}
	fmt.Println(lease.Release(context.Background()))
	// Output:
	// page 0
	// page 1
	// page 2
	// <nil>
}

func ExampleFair() {
	client, done := connected()
	defer done()
	locker := redislocks.NewFair(client, "tickets", redislocks.FairOptions{Patience: 10 * time.Second})
	defer locker.Close()

	first, err := locker.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = locker.TryAcquire(context.Background())
	fmt.Println(errors.Is(err, lock.ErrNotAcquired))
	fmt.Println(first.Release(context.Background()))
	// Output:
	// true
	// <nil>
}

func ExampleReadWrite() {
	client, done := connected()
	defer done()
	catalogue := redislocks.NewReadWrite(client, "catalogue", redislocks.Options{})
	defer catalogue.Close()

	ctx := lock.WithOwner(context.Background(), "import")
	write, err := catalogue.Writer().Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	read, err := catalogue.Reader().Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(write.Release(ctx)) // and reads on, with others
	_, err = catalogue.Writer().Acquire(ctx)
	fmt.Println(errors.Is(err, lock.ErrUpgrade))
	fmt.Println(read.Release(ctx))
	// Output:
	// <nil>
	// true
	// <nil>
}

func ExampleSemaphore() {
	client, done := connected()
	defer done()
	licences := redislocks.NewSemaphore(client, "licences", 5, redislocks.Options{})
	defer licences.Close()

	ctx := context.Background()
	three, err := licences.AcquireN(ctx, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(licences.Available(ctx))
	fmt.Println(three.Release(ctx))
	fmt.Println(licences.Available(ctx))
	// Output:
	// 2 <nil>
	// <nil>
	// 5 <nil>
}

func ExamplePermitSemaphore() {
	client, done := connected()
	defer done()
	workers := redislocks.NewPermitSemaphore(client, "workers", 5, redislocks.Options{TTL: time.Minute})
	defer workers.Close()

	ctx := context.Background()
	lease, err := workers.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	id := lease.(lock.Identified).ID() // goes to whoever does the work
	fmt.Println(workers.ReleaseID(ctx, id))
	fmt.Println(workers.Available(ctx))
	// Output:
	// <nil>
	// 5 <nil>
}

func ExampleLatch() {
	client, done := connected()
	defer done()
	ready := redislocks.NewLatch(client, "ready", redislocks.Options{})
	defer ready.Close()

	ctx := context.Background()
	fmt.Println(ready.TrySet(ctx, 2))
	go func() {
		for _, worker := range []string{"a", "a", "b"} { // each counts once
			_ = ready.CountDown(lock.WithOwner(ctx, worker))
		}
	}()
	fmt.Println(ready.Wait(ctx))
	// Output:
	// true <nil>
	// <nil>
}

func ExampleBarrier() {
	client, done := connected()
	defer done()
	rounds := redislocks.NewBarrier(client, "rounds", 2, redislocks.Options{})
	defer rounds.Close()

	ctx := context.Background()
	var parties sync.WaitGroup
	parties.Go(func() {
		for range 2 {
			_, _ = rounds.Await(ctx)
		}
	})
	for range 2 {
		fmt.Println(rounds.Await(ctx))
	}
	parties.Wait()
	// Output:
	// 0 <nil>
	// 1 <nil>
}

func ExampleMulti() {
	client, done := connected()
	defer done()
	from := redislocks.NewReentrant(client, "account:1", redislocks.Options{})
	to := redislocks.NewReentrant(client, "account:2", redislocks.Options{})
	defer from.Close()
	defer to.Close()

	ctx := context.Background()
	both, err := redislocks.NewMulti(redislocks.MultiOptions{}, from, to).Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = to.TryAcquire(ctx)
	fmt.Println(errors.Is(err, lock.ErrNotAcquired))
	fmt.Println(both.Release(ctx))
	// Output:
	// true
	// <nil>
}

func ExampleRedlock() {
	var servers []redislocks.RedlockNode
	for range 5 {
		client, done := connected()
		defer done()
		servers = append(servers, client)
	}
	locker := redislocks.NewRedlock(servers, "orders", redislocks.RedlockOptions{NodeTimeout: 100 * time.Millisecond})
	defer locker.Close()

	ctx := context.Background()
	lease, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	if time.Now().Before(lease.(lock.Expirer).Until()) {
		fmt.Println("ours")
	}
	fmt.Println(lease.Release(ctx))
	// Output:
	// ours
	// <nil>
}

func ExampleSegmented() {
	client, done := connected()
	defer done()
	phones := redislocks.NewSegmented(client, "phones", redislocks.SegmentedOptions{Segments: 20})

	ctx := context.Background()
	if _, err := phones.Fill(ctx, 1000); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(phones.Sell(ctx, 2, func(context.Context) error { return nil }))
	fmt.Println(phones.Sell(ctx, 999, nil))
	fmt.Println(phones.Left(ctx))
	// Output:
	// <nil>
	// redislocks: sell: lock: sold out
	// 998 <nil>
}
