package builtin

import (
	"context"
	"io"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// severalLocks are those on several servers at once.
var severalLocks = []cell.Lock{
	{ID: "redlock", Summary: "SET NX PX on a majority of independent servers", Needs: cell.Needs{Servers: 5}, Subject: cell.Mutex(newRedlock)},
	{ID: "redlock-replicated", Summary: "redlock on three servers, each a primary with a replica", Needs: cell.Needs{Servers: 3, Followers: 1}, Subject: cell.Mutex(newRedlock)},
	{
		ID: "multi", Summary: "a reentrant lock on each of two servers, all or none, in any order", Needs: cell.Needs{Servers: 2},
		Reading: cell.Reading{Ownership: model.HashOwnership{Key: cell.LockName}},
		Subject: cell.Mutex(newMulti),
	},
}

// shardedLocks are those on one of several servers, to which the name belongs.
var shardedLocks = []cell.Lock{
	{
		ID: "setpx-sharded", Summary: "setpx on the one of three servers to which its name belongs", Needs: cell.Needs{Servers: 3},
		Reading: cell.Reading{Single: true},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			nodes := redisstore.AllOptions(c)
			return redislocks.NewSetPX(client(c, nodes[redislocks.ShardOf(c.LockName(), len(nodes), nil)]), c.LockName(), lockOptions(c))
		}),
	},
}

// newRing makes a ring that notices soon, by its leases, that a server is down.
func newRing(c *cell.Client) lock.Locker {
	soon := max(c.TTL()/80, 25*time.Millisecond)
	var shards []flawed.RingShard
	for _, o := range redisstore.AllOptions(c) {
		within := func(d time.Duration) *redis.Client {
			limited := *o
			limited.ReadTimeout, limited.WriteTimeout, limited.MaxRetries = d, d, -1
			return client(c, &limited)
		}
		shards = append(shards, flawed.RingShard{Client: within(5 * soon), Health: within(soon)})
	}
	return flawed.NewSetPXRing(shards, c.LockName(), flawed.RingOptions{Options: lockOptions(c), Interval: soon})
}

// flawedSeveralLocks are flawed variants of them.
var flawedSeveralLocks = []cell.Lock{
	{
		ID: "setpx-ring", Summary: "setpx on one of three servers by hashing, on another when a client finds that one down", Needs: cell.Needs{Servers: 3},
		Reading: cell.Reading{Single: true}, Subject: cell.Mutex(newRing),
	},
	{ID: "redlock-unchecked", Summary: "redlock whose holders do not check the end of its validity", Needs: cell.Needs{Servers: 5}, Subject: cell.Mutex(unchecked(newRedlock))},
	{
		ID: "redlock-multi", Summary: "a reentrant lock on a majority of servers, one after the other; its validity is not known", Needs: cell.Needs{Servers: 3},
		Reading: cell.Reading{Ownership: model.HashOwnership{Key: cell.LockName}},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			var nodes []flawed.RedlockMultiClient
			for _, o := range redisstore.AllOptions(c) {
				nodes = append(nodes, client(c, o))
			}
			return flawed.NewRedlockMulti(nodes, c.LockName(), lockOptions(c))
		}),
	},
}

func newRedlock(c *cell.Client) lock.Locker {
	var nodes []redislocks.RedlockNode
	for _, o := range redisstore.AllOptions(c) {
		nodes = append(nodes, client(c, o))
	}
	return redislocks.NewRedlock(nodes, c.LockName(), redislocks.RedlockOptions{Options: lockOptions(c)})
}

// newMulti takes the servers' locks in a different order in each process, as programs do that lock things as they need them.
func newMulti(c *cell.Client) lock.Locker {
	var lockers []lock.Locker
	for _, o := range redisstore.AllOptions(c) {
		l := redislocks.NewReentrant(client(c, o), c.LockName(), lockOptions(c))
		c.Cleanup(func() { _ = l.Close() }) // has no errors
		lockers = append(lockers, l)
	}
	c.Rand().Shuffle(len(lockers), func(i, k int) { lockers[i], lockers[k] = lockers[k], lockers[i] })
	return redislocks.NewMulti(redislocks.MultiOptions{Options: lockOptions(c), Patience: c.TTL() / 8}, lockers...)
}

// unchecked makes locks whose leases can only be released: they report neither their end nor their loss.
func unchecked(make cell.NewLock) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		l := make(c)
		if closer, ok := l.(io.Closer); ok {
			c.Cleanup(func() { _ = closer.Close() }) // the run is over: there is no one to report an error to
		}
		return uncheckedLocker{l}
	}
}

type uncheckedLocker struct{ lock.Locker }

// Acquire hides the lease's other methods.
func (l uncheckedLocker) Acquire(ctx context.Context) (lock.Lease, error) {
	lease, err := l.Locker.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return struct{ lock.Lease }{lease}, nil
}
