package zookeeper_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/teststore"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// A lock over ZooKeeper whose store is not named, or is another one, is told how to name it.
func TestOtherStore(t *testing.T) {
	locks := []cell.Lock{{ID: "mine", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		zookeeper.Connect(c)
		return nil
	})}}
	_, err := scenarios.Registry(locks).Cell("contention", "mine", nil)
	if want := "add locktest.On(zookeeper.Store) in a test, Store: zookeeper.Store in a cell.Lock (package github.com/lockpick-dev/lockpick/zookeeper)"; !errors.Is(err, cell.ErrNoStore) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	locks[0].Store = teststore.Store
	c, err := scenarios.Registry(locks).Cell("contention", "mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	failure := c.Run(explore.Run{Tape: sim.Calm{}}).Failure
	if failure == nil || !strings.Contains(failure.Reason, "this lock connects to zookeeper, and the store of the run is cloakroom: name the lock's store, by the option locktest.On(zookeeper.Store)") {
		t.Errorf("the run ended with %v", failure)
	}
}
