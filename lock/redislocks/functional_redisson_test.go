package redislocks_test

import (
	"io"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// redissonLocks are those of Redisson's family that one can hold alone.
var redissonLocks = []functionalLock{
	{id: "reentrant", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewReentrant(c, name, o)
	}},
	{id: "watchdog", renews: true, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewWatchdog(c, name, redislocks.WatchdogOptions{Options: o})
	}},
	{id: "fair", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewFair(c, name, redislocks.FairOptions{Options: o, Patience: 2 * time.Second})
	}},
	{id: "readwrite, writer", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		l := redislocks.NewReadWrite(c, name, o)
		return closing{l.Writer(), l}
	}},
	{id: "semaphore", fails: forEver, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSemaphore(c, name, 1, o)
	}},
	{id: "permit-semaphore", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewPermitSemaphore(c, name, 1, o)
	}},
	{id: "multi", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		first, second := redislocks.NewReentrant(c, name+":1", o), redislocks.NewPermitSemaphore(c, name+":2", 1, o)
		return closing{redislocks.NewMulti(redislocks.MultiOptions{Options: o}, first, second), closers{first, second}}
	}},
	{id: "redlock", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		var nodes []redislocks.RedlockNode
		var clients closers
		for _, node := range databases(c, 5) {
			nodes, clients = append(nodes, node), append(clients, node)
		}
		l := redislocks.NewRedlock(nodes, name, redislocks.RedlockOptions{Options: o, NodeTimeout: time.Second})
		return closing{l, append(closers{l}, clients...)}
	}},
	{id: "redlock-multi", fails: map[string]string{
		"late release":   "it does not tell what the servers say",
		"second release": "it does not tell what the servers say",
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		var nodes []redislocks.RedlockMultiClient
		var clients closers
		for _, node := range databases(c, 3) {
			nodes, clients = append(nodes, node), append(clients, node)
		}
		o.Rand = nil
		l := redislocks.NewRedlockMulti(nodes, name, o)
		return closing{l, clients}
	}},
}

// forEver is why locks without a lease fail some tests.
var forEver = map[string]string{
	"expiry":       "what it has taken does not run out",
	"late release": "what it has taken does not run out",
	"ttl":          "what it has taken does not run out",
}

// databases are clients of n databases of one server, which are as many servers
// to a lock that needs several.
func databases(c *redis.Client, n int) (list []*redis.Client) {
	for i := range n {
		o := *c.Options()
		o.DB = i
		list = append(list, redis.NewClient(&o))
	}
	return list
}

type closers []io.Closer

func (c closers) Close() error {
	for _, one := range c {
		_ = one.Close()
	}
	return nil
}

// closing is a locker that is closed with the lock that it is a part of.
type closing struct {
	lock.Locker
	io.Closer
}
