package zookeeper_test

import (
	"fmt"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// A test names the store of its lock. This lock's records are a queue of znodes, and the
// first of them has the lock.
func Example() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		queue := model.SequenceOwnership{Prefix: "/" + locktest.LockName + "/"}
		locktest.Check(t, newLibrary, locktest.On(zookeeper.Store), locktest.Ownership(queue))
	}
	_ = test
}

// Clients connect with sessions of their own. This is one run, in which nothing fails.
func ExampleConnect() {
	locks := []cell.Lock{{ID: "mylock", Store: zookeeper.Store, Subject: locktest.Mutex(newLibrary)}}
	c, err := scenarios.Registry(locks).Cell("contention", "mylock", nil)
	if err != nil {
		panic(err)
	}
	run := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	held := 0
	for _, op := range run.Recording.History.Operations {
		if op.Kind == model.Acquire && op.Result == model.OK {
			held++
		}
	}
	fmt.Println("acquired:", held, "violations:", len(run.Violated()))
	// Output: acquired: 6 violations: 0
}
