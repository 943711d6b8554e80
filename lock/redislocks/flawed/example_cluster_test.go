package flawed_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
)

// Three keys of one server, or of one cluster, are no majority of servers.
func ExampleNewRedlockOneCluster() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewRedlockOneCluster(client, "orders", redislocks.Options{TTL: time.Minute})
	lease, err := locker.Acquire(ctx)
	fmt.Println(err, client.Exists(ctx, "orders:1", "orders:2", "orders:3").Val())
	fmt.Println(lease.Release(ctx))
	// Output:
	// <nil> 3
	// <nil>
}

// On a single server nothing is wrong with it.
func ExampleNewUntagged() {
	client, done := connected()
	defer done()
	ctx := context.Background()

	locker := flawed.NewUntagged(client, "orders", redislocks.Options{})
	defer locker.Close()
	lease, err := locker.Acquire(ctx)
	fmt.Println(err)
	fmt.Println(lease.Release(ctx))
	// Output:
	// <nil>
	// <nil>
}
