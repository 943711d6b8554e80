package flawed_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
)

// TestFunctional puts all locks through the same tests as the sound ones.
func TestFunctional(t *testing.T) { redislocktest.Functional(t, functionalLocks) }

// functionalLocks are all locks of the package.
var functionalLocks = []redislocktest.Lock{
	{ID: "setpx-replica-check", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetPXReplicaCheck(c, c, name, o) // of a replica that has everything
	}},
	{ID: "setpx-twostep", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetPXTwoStep(c, name, o)
	}},
	{ID: "redlock-one-cluster", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewRedlockOneCluster(c, name, o)
	}},
	{ID: "redisson-untagged", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewUntagged(c, name, o)
	}},
	{ID: "setnx", Fails: map[string]string{
		"expiry":         "its key has no expiry",
		"late release":   "its lease does not end",
		"ttl":            "its lease does not end",
		"second release": "DEL removes what somebody else holds",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetNX(c, name, o)
	}},
	{ID: "setnx-timestamp-del", Fails: map[string]string{
		"late release":   "DEL removes what somebody else holds",
		"second release": "DEL removes what somebody else holds",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetNXTimestampDel(c, name, o)
	}},
	{ID: "setnx-getset", MayFail: sameStamp, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetNXGetSet(c, name, o)
	}},
	{ID: "setnx-getset-nil", MayFail: sameStamp, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetNXGetSetNil(c, name, o)
	}},
	{ID: "setnx-getset-as-printed", Fails: map[string]string{
		"expiry":         "leases end a thousand times too early",
		"late release":   "Release does not report it",
		"second release": "Release does not report it",
	}, MayFail: map[string]string{
		"exclusion":    "it throws where GET finds nothing",
		"cancellation": "leases end a thousand times too early",
		"reconnection": "it throws where GET finds nothing",
		"ttl":          "leases end a thousand times too early",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetNXGetSetPrinted(c, name, flawed.PrintedOptions{Options: o, Record: new(flawed.Record)})
	}},
	{ID: "setpx-del", Fails: map[string]string{
		"late release":   "DEL removes what somebody else holds",
		"second release": "DEL removes what somebody else holds",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetPXDel(c, name, o)
	}},
	{ID: "setpx-void-as-printed", Fails: map[string]string{
		"exclusion": "who has waited in vain goes on",
		"expiry":    "who has waited in vain goes on",
	}, MayFail: map[string]string{
		"late release":   "who has waited in vain goes on, and others find the lock free",
		"second release": "who has waited in vain goes on, and others find the lock free",
		"cancellation":   "who has waited in vain goes on",
		"reconnection":   "it keeps one connection while it waits, and go-redis does not mend that",
		"ttl":            "who has waited in vain goes on, and others find the lock free",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetPXVoidPrinted(c, name, flawed.PatientOptions{Options: o, Wait: time.Millisecond})
	}},
	{ID: "setpx-d-as-printed", Fails: map[string]string{
		"expiry": shortAsWait,
	}, MayFail: map[string]string{
		"exclusion": shortAsWait, "late release": shortAsWait, "second release": shortAsWait, "cancellation": shortAsWait,
		"reconnection": shortAsWait, "script flush": shortAsWait, "ttl": shortAsWait,
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetPXWaitAsTTLPrinted(c, name, flawed.PatientOptions{Options: o, Wait: 20 * time.Millisecond})
	}},
	{ID: "setpx-spin-release-as-printed", Fails: map[string]string{
		"late release":   "Release does not return",
		"second release": "Release does not return",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetPXSpinReleasePrinted(c, name, o)
	}},
	{ID: "setpx-quiet-release-as-printed", Fails: map[string]string{
		"late release":   "Release does not report it",
		"second release": "Release does not report it",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewSetPXQuietReleasePrinted(c, name, o)
	}},
	{ID: "watchdog-leased", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return flawed.NewLeasedWatchdog(c, name, o)
	}},
	{ID: "check-subscribe", MayFail: map[string]string{
		"exclusion":    "who misses a release sleeps for a lease",
		"expiry":       "who misses a release sleeps for a lease",
		"reconnection": "who misses a release sleeps for a lease",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		o.TTL = min(o.TTL, 2*time.Second) // which a waiter may sleep for
		return flawed.NewCheckSubscribe(c, name, o)
	}},
	{ID: "pull-hotspot-early", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return pullWith(c, o, flawed.EarlyHotspots{Hotspots: pull.NewHotspots(name)})
	}},
	{ID: "pull-hotspot-of-all", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		return pullWith(c, o, flawed.HotspotsOfAll{Hotspots: pull.NewHotspots()})
	}},
	{ID: "setpx-ring", Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		var shards []flawed.RingShard
		var clients redislocktest.Closers
		for _, node := range redislocktest.Databases(c, 3) {
			shards, clients = append(shards, flawed.RingShard{Client: node, Health: node}), append(clients, node)
		}
		l := flawed.NewSetPXRing(shards, name, flawed.RingOptions{Options: o})
		return redislocktest.Closing{Locker: l, Closer: append(redislocktest.Closers{l}, clients...)}
	}},
	{ID: "redlock-multi", Fails: map[string]string{
		"late release":   "it does not report what the servers say",
		"second release": "it does not report what the servers say",
	}, Make: func(c *redis.Client, o redislocks.Options) lock.Locker {
		var nodes []flawed.RedlockMultiClient
		var clients redislocktest.Closers
		for _, node := range redislocktest.Databases(c, 3) {
			nodes, clients = append(nodes, node), append(clients, node)
		}
		o.Rand = nil
		l := flawed.NewRedlockMulti(nodes, name, o)
		return redislocktest.Closing{Locker: l, Closer: clients}
	}},
}

// pullWith is the production lock with a handler.
func pullWith(c *redis.Client, o redislocks.Options, h pull.Handler) lock.Locker {
	return redislocks.NewPull(c, name, pull.Options{
		TTL: o.TTL, MinSleep: o.MinSleep, RandomSleep: o.RandomSleep, Clock: o.Clock, Rand: o.Rand, Handlers: []pull.Handler{h},
	})
}

// sameStamp: the lease is known by its end, in milliseconds.
var sameStamp = map[string]string{"second release": "leases that end in the same millisecond pass for one another"}

const shortAsWait = "the lease is as short as others will wait"

// TestOneKey: the lock whose flaw needs another client at the wrong moment.
func TestOneKey(t *testing.T) {
	redislocktest.OneKey(t, map[string]func(*redis.Client, redislocks.Options) lock.Locker{
		"SetPXTwoStep": func(c *redis.Client, o redislocks.Options) lock.Locker { return flawed.NewSetPXTwoStep(c, name, o) },
		"SetPXReplicaCheck": func(c *redis.Client, o redislocks.Options) lock.Locker {
			return flawed.NewSetPXReplicaCheck(c, c, name, o)
		},
	})
}

// TestCosts: what each lock sends.
func TestCosts(t *testing.T) {
	redislocktest.Costs(t, functionalLocks, []redislocktest.Cost{
		{ID: "setpx-replica-check", Acquire: "set (1)", Taken: "set (1)", Released: "get del (2)"},
		{ID: "setpx-twostep", Acquire: "set (1)", Taken: "set (1)", Released: "get del (2)"},
		{ID: "setpx-del", Acquire: "set (1)", Taken: "set (1)", Released: "del (1)"},
		{ID: "setnx", Acquire: "setnx (1)|set (1)", Taken: "setnx (1)|set (1)", Released: "del (1)"},
		{ID: "setnx-timestamp-del", Acquire: "setnx (1)|set (1)", Taken: "setnx get (2)|set get (2)", Released: "del (1)"},
		{ID: "setnx-getset", Acquire: "setnx (1)|set (1)", Taken: "setnx get (2)|set get (2)", Released: "get del (2)"},
	})
}

// What the tests say often.
const name = redislocktest.Name

var (
	server, connected = redislocktest.InMemory, redislocktest.Connected
	acquire, waiting  = redislocktest.Acquire, redislocktest.Waiting
)
