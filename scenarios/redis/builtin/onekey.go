package builtin

import (
	"cmp"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// oneKeyLocks are the locks that are one value under one key, and as sound as such
// locks are.
var oneKeyLocks = []scenarios.Lock{
	{
		ID: "setpx", Summary: "SET NX PX with a random value; atomic compare-and-delete",
		Cures: map[scenarios.Cure]string{
			scenarios.Atomic: "a release in one step", scenarios.Expires: "a lock that the store lets expire",
			scenarios.Polls: "a lock that is asked for again and again",
		},
		New: func(c *scenarios.Client) lock.Locker {
			return redislocks.NewSetPX(connect(c), c.LockName(), lockOptions(c))
		},
	},
	{ID: "setpx-cad", Summary: "setpx, released by the command CAD where the server has it", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXCAD(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "setpx-watch", Summary: "setpx, released in a transaction (WATCH, MULTI, EXEC)", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXWatch(connect(c), c.LockName(), lockOptions(c))
	}},
	{
		ID: "setpx-wait", Summary: "setpx that waits until a replica has the lock (WAIT)", Followers: 1,
		Cures: map[scenarios.Cure]string{scenarios.Waits: "WAIT for one replica"},
		New: func(c *scenarios.Client) lock.Locker {
			return redislocks.NewSetPXWait(connect(c), c.LockName(), redislocks.WaitOptions{Options: lockOptions(c)})
		},
	},
	{ID: "setpx-wait-one-of-two", Summary: "setpx-wait that waits for one of two replicas", Followers: 2, New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXWait(connect(c), c.LockName(), redislocks.WaitOptions{Options: lockOptions(c), Replicas: 1})
	}},
}

// pullLocks are the production lock in its variants.
var pullLocks = []scenarios.Lock{
	{ID: "pull", Summary: "for production: its holder knows the end of the lease; it cleans up, and can be extended", New: newPull(func(*scenarios.Client, *pull.Options) {})},
	{ID: "pull-renew", Summary: "pull that is renewed for as long as it is held", Renews: true, New: newPull(func(_ *scenarios.Client, o *pull.Options) {
		o.Renew = true
	})},
	{ID: "pull-hotspot", Summary: "pull whose threads compete within their process first", Threads: 2, New: newPull(func(c *scenarios.Client, o *pull.Options) {
		o.Handlers = []pull.Handler{pull.NewHotspots(c.LockName())}
	})},
}

func newPull(vary func(*scenarios.Client, *pull.Options)) scenarios.NewLock {
	return func(c *scenarios.Client) lock.Locker {
		pause := cmp.Or(c.Pause(), 100*time.Millisecond)
		options := pull.Options{
			TTL: c.TTL(), MinSleep: pause, RandomSleep: pause,
			Clock: c.Clock(), Rand: c.Rand(),
		}
		vary(c, &options)
		return redislocks.NewPull(connect(c).WithTimeout(options.RequestTimeout()), c.LockName(), options)
	}
}

// fencedLocks are those whose leases have tokens.
var fencedLocks = []scenarios.Lock{
	{
		ID: "setpx-fenced", Summary: "setpx with a fencing token from INCR, in one script",
		Cures: map[scenarios.Cure]string{scenarios.Fences: "a fenced lock"},
		New: func(c *scenarios.Client) lock.Locker {
			return redislocks.NewSetPXFenced(connect(c), c.LockName(), lockOptions(c))
		},
	},
	{ID: "setpx-fenced-elsewhere", Summary: "setpx with a fencing token from a counter on another server", Followers: 1, Servers: 2, Single: true, New: func(c *scenarios.Client) lock.Locker {
		nodes := c.RedisNodes()
		counter := redislocks.NewRedisCounter(client(c, nodes[len(nodes)-1]), "{"+c.LockName()+"}:fence", 1)
		return redislocks.NewSetPXFencedElsewhere(connect(c), counter, c.LockName(), lockOptions(c))
	}},
}

// flawedLocks are the flawed locks, in the order of their history.
var flawedLocks = []scenarios.Lock{
	{ID: "setnx", Summary: "SETNX without an expiry; DEL", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetNX(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "setnx-timestamp-del", Summary: "SETNX of the lease's end; takeover by DEL and SETNX", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetNXTimestampDel(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "setnx-getset", Summary: "SETNX of the lease's end; takeover by GETSET", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetNXGetSet(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "setnx-getset-nil", Summary: "setnx-getset that treats a nil answer of GETSET as a failure", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetNXGetSetNil(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "setnx-getset-as-printed", Summary: "setnx-getset with the mistakes of a widely copied listing", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetNXGetSetPrinted(connect(c), c.LockName(), redislocks.PrintedOptions{
			Options: lockOptions(c), Record: new(redislocks.Record),
			// Machines have not been started at the same time.
			Uptime: time.Duration(c.Rand().Int64N(int64(30 * 24 * time.Hour))),
		})
	}},
	{ID: "setpx-del", Summary: "setpx, released by DEL: deletes another's lock", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXDel(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "setpx-twostep", Summary: "setpx, released by GET, compare, DEL: may delete another's lock", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXTwoStep(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "setpx-void-as-printed", Summary: "setpx that returns a lease although its wait has timed out", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXVoidPrinted(connect(c), c.LockName(), impatient(c))
	}},
	{ID: "setpx-d-as-printed", Summary: "setpx whose TTL is the longest wait of its caller", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXWaitAsTTLPrinted(connect(c), c.LockName(), impatient(c))
	}},
	{ID: "setpx-spin-release-as-printed", Summary: "setpx whose release retries until it has deleted the key", New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewSetPXSpinReleasePrinted(connect(c), c.LockName(), lockOptions(c))
	}},
}

// impatient are the options of a client that waits for less time than others hold the lock.
func impatient(c *scenarios.Client) redislocks.PatientOptions {
	return redislocks.PatientOptions{Options: lockOptions(c), Wait: c.TTL() / 8}
}

// connect makes a go-redis client of the primary.
func connect(c *scenarios.Client) *redis.Client { return client(c, c.Redis()) }

// client makes a go-redis client that is closed at the end of the run.
func client(c *scenarios.Client, o *redis.Options) *redis.Client {
	r := redis.NewClient(o)
	c.Cleanup(func() { _ = r.Close() }) // the run is over: there is no one to report an error to
	return r
}

func lockOptions(c *scenarios.Client) redislocks.Options {
	return redislocks.Options{TTL: c.TTL(), MinSleep: c.Pause(), RandomSleep: c.Pause(), Clock: c.Clock(), Rand: c.Rand()}
}
