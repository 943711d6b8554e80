package filelocks_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/lockpick-dev/lockpick/lock/filelocks"
)

// A lock by a file in a directory that several machines have mounted.
func ExampleExclusive() {
	dir, err := os.MkdirTemp("", "locks") // such as /mnt/shared/locks
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	locker := filelocks.NewExclusive(filelocks.Dir(dir), "orders.lock", filelocks.Options{})

	ctx := context.Background()
	lease, err := locker.Acquire(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	_, err = os.Stat(dir + "/orders.lock")
	fmt.Println("the file is there:", err == nil)
	if err := lease.Release(ctx); err != nil {
		log.Print(err)
	}
	_, err = os.Stat(dir + "/orders.lock")
	fmt.Println("it is gone:", os.IsNotExist(err))
	// Output:
	// the file is there: true
	// it is gone: true
}
