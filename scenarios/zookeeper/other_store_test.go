package zookeeper_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/zookeeper"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// A lock over ZooKeeper whose store nobody has named is told how to name it.
func TestOtherStore(t *testing.T) {
	locks := []scenarios.Lock{{ID: "mine", New: func(c *scenarios.Client) lock.Locker {
		zookeeper.Connect(c)
		return nil
	}}}
	c, err := scenarios.NewCell("contention", "mine", nil, locks)
	if err != nil {
		t.Fatal(err)
	}
	failure := c.Run(explore.Run{Tape: sim.Calm{}}).Failure
	if failure == nil || !strings.Contains(failure.Reason, "this lock connects to zookeeper, and the store of the run is redis: name the lock's store, by the option scenarios.On(zookeeper.Store)") {
		t.Errorf("the run ended with %v", failure)
	}
}
