package redislocks_test

import (
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// TestFunctional puts all locks through the same tests.
func TestFunctional(t *testing.T) {
	redislocktest.Functional(t, slices.Concat(functionalLocks, redissonLocks))
}

// functionalLocks are the locks of the package, but Redisson's family.
var functionalLocks = []redislocktest.Lock{
	{ID: "setpx", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPX(c, name, o)
	}},
	{ID: "setpx-fenced", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFenced(c, name, o)
	}},
	{ID: "setpx-cad", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXCAD(c, name, o)
	}},
	{ID: "setpx-delex", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXDelEx(c, name, o)
	}},
	{ID: "setpx-watch", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWatch(c, name, o)
	}},
	{ID: "setpx-fenced-elsewhere", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFencedElsewhere(c, redislocks.NewRedisCounter(c, "counter", 0), name, o)
	}},
	{ID: "setpx-wait", Replica: true, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWait(c, name, redislocks.WaitOptions{Options: o})
	}},
	{ID: "pull", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewPull(c, name, pullOptions(o))
	}},
	{ID: "pull-renew", Renews: true, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		options := pullOptions(o)
		options.Renew = true
		return redislocks.NewPull(c, name, options)
	}},
	{ID: "pull-hotspot", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		options := pullOptions(o)
		options.Handlers = []pull.Handler{pull.NewHotspots(name)}
		return redislocks.NewPull(c, name, options)
	}},
}

func pullOptions(o redislocks.Options) pull.Options {
	return pull.Options{TTL: o.TTL, MinSleep: o.MinSleep, RandomSleep: o.RandomSleep, IOTimeout: soon / 2}
}

// TestOneKey: locks that are one key.
func TestOneKey(t *testing.T) { redislocktest.OneKey(t, lockers) }
