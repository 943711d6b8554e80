package builtin

import (
	"cmp"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// oneKeyLocks are the locks that are one value under one key, and as sound as such
// locks are.
var oneKeyLocks = []cell.Lock{
	{
		ID: "setpx", Summary: "SET NX PX with a random value; atomic compare-and-delete",
		Cures: map[cell.Cure]string{
			cell.Atomic: "releases by one script", cell.Expires: "its key expires",
			cell.Polls: "polls",
		},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return redislocks.NewSetPX(connect(c), c.LockName(), lockOptions(c))
		}),
	},
	{ID: "setpx-cad", Summary: "setpx, released by the command CAD where the server has it", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return redislocks.NewSetPXCAD(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setpx-delex", Summary: "setpx, released by the command DELEX where the server has it", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return redislocks.NewSetPXDelEx(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setpx-watch", Summary: "setpx, released in a transaction (WATCH, MULTI, EXEC)", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return redislocks.NewSetPXWatch(connect(c), c.LockName(), lockOptions(c))
	})},
	{
		ID: "setpx-wait", Summary: "setpx that waits until a replica has the lock (WAIT)", Needs: cell.Needs{Followers: 1},
		Cures: map[cell.Cure]string{cell.Waits: "waits for one replica by WAIT"},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return redislocks.NewSetPXWait(connect(c), c.LockName(), redislocks.WaitOptions{Options: lockOptions(c)})
		}),
	},
	{ID: "setpx-wait-one-of-two", Summary: "setpx-wait that waits for one of two replicas", Needs: cell.Needs{Followers: 2}, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return redislocks.NewSetPXWait(connect(c), c.LockName(), redislocks.WaitOptions{Options: lockOptions(c), Replicas: 1})
	})},
}

// watchedLocks are locks for a primary that sentinels watch.
var watchedLocks = []cell.Lock{
	{
		ID: "setpx-wait-min-replicas", Summary: "setpx-wait where a primary without its replica refuses writes (min-replicas-to-write)",
		Needs: cell.Needs{Followers: 1, Settings: []cell.OwnSetting{{Name: redisstore.MinReplicas, Value: 1}}, Topologies: []string{"sentinel"}},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return redislocks.NewSetPXWait(connect(c), c.LockName(), redislocks.WaitOptions{Options: lockOptions(c)})
		}),
	},
}

// flawedWatchedLocks are flawed ones.
var flawedWatchedLocks = []cell.Lock{
	{
		ID: "setpx-replica-check", Summary: "setpx, released by GET on a replica, compare, DEL on the primary",
		Needs: cell.Needs{Followers: 1, Topologies: []string{"sentinel"}},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			replica := redisstore.FailoverClient(c, func(o *redis.FailoverOptions) { o.ReplicaOnly = true })
			return flawed.NewSetPXReplicaCheck(connect(c), replica, c.LockName(), lockOptions(c))
		}),
	},
}

// pullLocks are the production lock in its variants.
var pullLocks = []cell.Lock{
	{ID: "pull", Summary: "for production: its holder knows the end of the lease; it cleans up, and can be extended", Subject: cell.Mutex(newPull(func(*cell.Client, *pull.Options) {}))},
	{ID: "pull-renew", Summary: "pull that is renewed for as long as it is held", Renews: true, Subject: cell.Mutex(newPull(func(_ *cell.Client, o *pull.Options) {
		o.Renew = true
	}))},
}

func newPull(vary func(*cell.Client, *pull.Options)) cell.NewLock {
	return func(c *cell.Client) lock.Locker { return pullMaker(c, vary)(c.LockName()) }
}

// pullMaker makes the production locks of a process: it has one client, and one set of options.
func pullMaker(c *cell.Client, vary func(*cell.Client, *pull.Options)) func(name string) lock.Locker {
	pause := cmp.Or(c.Pause(), 100*time.Millisecond)
	options := pull.Options{
		TTL: c.TTL(), MinSleep: pause, RandomSleep: pause,
		Clock: c.Clock(), Rand: c.Rand(),
	}
	vary(c, &options)
	timeout := options.RequestTimeout()
	client := redisstore.Universal(c, func(o *redis.UniversalOptions) { o.ReadTimeout, o.WriteTimeout = timeout, timeout })
	return func(name string) lock.Locker { return redislocks.NewPull(client, name, options) }
}

// fencedLocks are those whose leases have tokens.
var fencedLocks = []cell.Lock{
	{
		ID: "setpx-fenced", Summary: "setpx with a fencing token from INCR, in one script",
		Cures: map[cell.Cure]string{cell.Fences: "fences its writes"},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return redislocks.NewSetPXFenced(connect(c), c.LockName(), lockOptions(c))
		}),
	},
	{ID: "setpx-fenced-elsewhere", Summary: "setpx with a fencing token from a counter on another server", Needs: cell.Needs{Followers: 1, Servers: 2}, Reading: cell.Reading{Single: true}, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		nodes := redisstore.AllOptions(c)
		counter := redislocks.NewRedisCounter(client(c, nodes[len(nodes)-1]), "{"+c.LockName()+"}:fence", 1)
		return redislocks.NewSetPXFencedElsewhere(connect(c), counter, c.LockName(), lockOptions(c))
	})},
}

// flawedLocks are the flawed locks, in the order of their history, and the one whose waiters
// are woken.
var flawedLocks = []cell.Lock{
	{ID: "setnx", Summary: "SETNX without an expiry; DEL", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetNX(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setnx-timestamp-del", Summary: "SETNX of the lease's end; takeover by DEL and SETNX", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetNXTimestampDel(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setnx-getset", Summary: "SETNX of the lease's end; takeover by GETSET", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetNXGetSet(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setnx-getset-nil", Summary: "setnx-getset that treats a nil answer of GETSET as a failure", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetNXGetSetNil(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setnx-getset-as-printed", Summary: "setnx-getset with the mistakes of a widely copied listing", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetNXGetSetPrinted(connect(c), c.LockName(), flawed.PrintedOptions{
			Options: lockOptions(c), Record: new(flawed.Record),
			// Machines have not been started at the same time.
			Uptime: time.Duration(c.Rand().Int64N(int64(30 * 24 * time.Hour))),
		})
	})},
	{ID: "setpx-del", Summary: "setpx, released by DEL: deletes another's lock", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetPXDel(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setpx-twostep", Summary: "setpx, released by GET, compare, DEL: may delete another's lock", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetPXTwoStep(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setpx-void-as-printed", Summary: "setpx that returns a lease although its wait has timed out, and keeps its connection then", Needs: cell.Needs{Topologies: oneAtATime}, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetPXVoidPrinted(redisstore.Connect(c), c.LockName(), impatient(c))
	})},
	{ID: "setpx-d-as-printed", Summary: "setpx whose TTL is the longest wait of its caller", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetPXWaitAsTTLPrinted(connect(c), c.LockName(), impatient(c))
	})},
	{ID: "setpx-spin-release-as-printed", Summary: "setpx whose release retries until it has deleted the key", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetPXSpinReleasePrinted(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "setpx-quiet-release-as-printed", Summary: "setpx whose release reports success whatever the server says, or fails to", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewSetPXQuietReleasePrinted(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "watchdog-leased", Summary: "watchdog whose callers give a lease, with which there is no watchdog", Renews: true, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewLeasedWatchdog(connect(c), c.LockName(), lockOptions(c))
	})},
	{ID: "check-subscribe", Summary: "a hash with a field for the holder; waiters check, and then subscribe: they miss a release between", Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return flawed.NewCheckSubscribe(connect(c), c.LockName(), lockOptions(c))
	})},
}

// oneAtATime are the topologies in which a client talks to one primary at a time, which some locks need.
var oneAtATime = []string{"replicas", "sentinel"}

// impatient returns the options of a client that waits for less time than others hold the lock.
func impatient(c *cell.Client) flawed.PatientOptions {
	return flawed.PatientOptions{Options: lockOptions(c), Wait: c.TTL() / 8}
}

// connect makes a go-redis client of whatever servers the run has.
func connect(c *cell.Client) redis.UniversalClient { return redisstore.Universal(c, nil) }

// client makes a go-redis client that is closed at the end of the run.
func client(c *cell.Client, o *redis.Options) *redis.Client {
	r := redis.NewClient(o)
	c.Cleanup(func() { _ = r.Close() }) // the run is over: there is no one to report an error to
	return r
}

func lockOptions(c *cell.Client) redislocks.Options {
	return redislocks.Options{TTL: c.TTL(), MinSleep: c.Pause(), RandomSleep: c.Pause(), Clock: c.Clock(), Rand: c.Rand()}
}
