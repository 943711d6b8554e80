package file_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/file"
)

// mylock is a lock by a file, as a script has it.
type mylock struct {
	files *file.Client
	name  string
}

func newMyLock(c *locktest.Client) lock.Locker { return mylock{file.Connect(c), c.LockName()} }

func (l mylock) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		err := l.files.Create(ctx, l.name, "")
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return l, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l mylock) Release(ctx context.Context) error { return l.files.Remove(ctx, l.name) }

// A test names the store of its lock.
func Example() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Check(t, newMyLock, locktest.On(file.Store))
	}
	_ = test
}

// A lock that is the lock of a file says which.
func ExampleLocked() {
	test := func(t *testing.T, newLock func(*locktest.Client) lock.Locker) {
		locktest.Check(t, newLock, locktest.On(file.Store), locktest.Ownership(file.Locked(locktest.LockName)))
	}
	_ = test
}

// Each client process has a client of its own. This is one run, in which nothing fails.
func ExampleConnect() {
	locks := []cell.Lock{{ID: "mylock", Store: file.Store, Subject: locktest.Mutex(newMyLock)}}
	c, err := scenarios.Registry(locks).Cell("contention", "mylock", nil)
	if err != nil {
		panic(err)
	}
	run := c.Run(explore.Run{Tape: sim.Calm{}})
	fmt.Println("violations:", len(run.Violated()), run.Failure)
	// Output: violations: 0 <nil>
}
