package redislocks_test

import (
	"io"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// functionalLock is a lock that goes through the functional tests.
type functionalLock struct {
	id string
	// make returns a locker for the lock called name. Lockers of one client
	// process share a client.
	make func(client *redis.Client, options redislocks.Options) lock.Locker
	// fails are the tests that the lock cannot pass, by name, and why: it must
	// fail them.
	fails map[string]string
	// renews is set if the lease lives on while its holder does.
	renews bool
	// replica is set if the lock needs one.
	replica bool
}

// functionalLocks are all locks of the package.
var functionalLocks = []functionalLock{
	{id: "setpx", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPX(c, name, o)
	}},
	{id: "setpx-twostep", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXTwoStep(c, name, o)
	}},
	{id: "setpx-fenced", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFenced(c, name, o)
	}},
	{id: "setpx-wait", replica: true, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWait(c, name, redislocks.WaitOptions{Options: o})
	}},
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
}

// closing is a locker that is closed with the lock that it is a part of.
type closing struct {
	lock.Locker
	io.Closer
}
