package redislocks_test

import (
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
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
	// mayFail are those that it passes or not as time will have it.
	mayFail map[string]string
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
	{id: "setpx-cad", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXCAD(c, name, o)
	}},
	{id: "setpx-watch", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWatch(c, name, o)
	}},
	{id: "setpx-fenced-elsewhere", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFencedElsewhere(c, redislocks.NewRedisCounter(c, "counter", 0), name, o)
	}},
	{id: "setpx-wait", replica: true, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWait(c, name, redislocks.WaitOptions{Options: o})
	}},

	{id: "pull", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewPull(c, name, pullOptions(o))
	}},
	{id: "pull-renew", renews: true, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		options := pullOptions(o)
		options.Renew = true
		return redislocks.NewPull(c, name, options)
	}},
	{id: "pull-hotspot", make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		options := pullOptions(o)
		options.Handlers = []pull.Handler{pull.NewHotspots(name)}
		return redislocks.NewPull(c, name, options)
	}},

	{id: "setnx", fails: map[string]string{
		"expiry":         "its key has no expiry",
		"late release":   "its lease does not end",
		"ttl":            "its lease does not end",
		"second release": "DEL removes what somebody else holds",
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetNX(c, name, o)
	}},
	{id: "setnx-timestamp-del", fails: map[string]string{
		"late release":   "DEL removes what somebody else holds",
		"second release": "DEL removes what somebody else holds",
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetNXTimestampDel(c, name, o)
	}},
	{id: "setnx-getset", mayFail: sameStamp, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetNXGetSet(c, name, o)
	}},
	{id: "setnx-getset-nil", mayFail: sameStamp, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetNXGetSetNil(c, name, o)
	}},
	{id: "setnx-getset-as-printed", fails: map[string]string{
		"expiry":         "leases end a thousand times too early",
		"late release":   "Release does not tell",
		"second release": "Release does not tell",
	}, mayFail: map[string]string{
		"exclusion":    "it throws where GET finds nothing",
		"cancellation": "leases end a thousand times too early",
		"reconnection": "it throws where GET finds nothing",
		"ttl":          "leases end a thousand times too early",
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetNXGetSetPrinted(c, name, redislocks.PrintedOptions{Options: o, Record: new(redislocks.Record)})
	}},
	{id: "setpx-del", fails: map[string]string{
		"late release":   "DEL removes what somebody else holds",
		"second release": "DEL removes what somebody else holds",
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXDel(c, name, o)
	}},
	{id: "setpx-void-as-printed", fails: map[string]string{
		"exclusion": "who has waited in vain goes on",
		"expiry":    "who has waited in vain goes on",
	}, mayFail: map[string]string{
		"late release":   "who has waited in vain goes on, and others find the lock free",
		"second release": "who has waited in vain goes on, and others find the lock free",
		"cancellation":   "who has waited in vain goes on",
		"reconnection":   "it keeps one connection while it waits, and go-redis does not mend that",
		"ttl":            "who has waited in vain goes on, and others find the lock free",
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXVoidPrinted(c, name, redislocks.PatientOptions{Options: o, Wait: time.Millisecond})
	}},
	{id: "setpx-d-as-printed", fails: map[string]string{
		"expiry": shortAsWait,
	}, mayFail: map[string]string{
		"exclusion": shortAsWait, "late release": shortAsWait, "second release": shortAsWait, "cancellation": shortAsWait,
		"reconnection": shortAsWait, "script flush": shortAsWait, "ttl": shortAsWait,
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWaitAsTTLPrinted(c, name, redislocks.PatientOptions{Options: o, Wait: 20 * time.Millisecond})
	}},
	{id: "setpx-spin-release-as-printed", fails: map[string]string{
		"late release":   "Release does not return",
		"second release": "Release does not return",
	}, make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXSpinReleasePrinted(c, name, o)
	}},
}

// sameStamp: the lease is known by its end, in milliseconds.
var sameStamp = map[string]string{"second release": "leases that end in the same millisecond pass for one another"}

const shortAsWait = "the lease is as short as others will wait"

func pullOptions(o redislocks.Options) pull.Options {
	return pull.Options{TTL: o.TTL, MinSleep: o.MinSleep, RandomSleep: o.RandomSleep, IOTimeout: soon / 2}
}
