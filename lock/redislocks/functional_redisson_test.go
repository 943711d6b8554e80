package redislocks_test

import (
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// redissonLocks are those of Redisson's family that one can hold alone.
var redissonLocks = []redislocktest.Lock{
	{ID: "reentrant", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewReentrant(c, name, o)
	}},
	{ID: "watchdog", Renews: true, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewWatchdog(c, name, redislocks.WatchdogOptions{Options: o})
	}},
	{ID: "fair", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewFair(c, name, redislocks.FairOptions{Options: o, Patience: 2 * time.Second})
	}},
	{ID: "readwrite, writer", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		l := redislocks.NewReadWrite(c, name, o)
		return redislocktest.Closing{Locker: l.Writer(), Closer: l}
	}},
	{ID: "semaphore", Fails: forEver, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSemaphore(c, name, 1, o)
	}},
	{ID: "permit-semaphore", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewPermitSemaphore(c, name, 1, o)
	}},
	{ID: "multi", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		first, second := redislocks.NewReentrant(c, name+":1", o), redislocks.NewPermitSemaphore(c, name+":2", 1, o)
		return redislocktest.Closing{Locker: redislocks.NewMulti(redislocks.MultiOptions{Options: o}, first, second), Closer: redislocktest.Closers{first, second}}
	}},
	{ID: "redlock", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		var nodes []redislocks.RedlockNode
		var clients redislocktest.Closers
		for _, node := range redislocktest.Databases(c, 5) {
			nodes, clients = append(nodes, node), append(clients, node)
		}
		l := redislocks.NewRedlock(nodes, name, redislocks.RedlockOptions{Options: o, NodeTimeout: time.Second})
		return redislocktest.Closing{Locker: l, Closer: append(redislocktest.Closers{l}, clients...)}
	}},
}

// forEver is why locks without a lease fail some tests.
var forEver = map[string]string{
	"expiry":       "what it has taken does not run out",
	"late release": "what it has taken does not run out",
	"ttl":          "what it has taken does not run out",
}
