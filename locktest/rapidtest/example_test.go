package rapidtest_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest/rapidtest"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// A lock's own test. Here the lock is one of Lockpick's; an adapter for another
// has two methods, Acquire and Release.
func ExampleProperty() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		rapid.Check(t, rapidtest.Property("gc-pause", redis.Store, func(c *cell.Client) lock.Locker {
			return redislocks.NewSetPX(redis.Connect(c), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
		}))
	}
	_ = test
}
