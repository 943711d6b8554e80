// Package builtin has the locks over etcd that come with Lockpick, and what is expected of
// them.
package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/etcd/etcdlocks"
	"github.com/lockpick-dev/lockpick/etcd/etcdlocks/flawed"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// prefix is that of a lock's keys.
const prefix = "/" + cell.LockName

// first is the view of a mutex: the key that was created first has it.
var first = model.SequenceOwnership{Prefix: prefix + "/", ByRevision: true}

// Locks are the built-in locks over etcd, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		{
			ID: "etcd", Renews: true, Summary: "a key with a lease for each; waiters watch the one before, and look again; fenced", Store: etcd.Store, Reading: cell.Reading{Ownership: first},
			Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
				return etcdlocks.NewEtcd(etcd.Connect(c), prefix, etcdlocks.Options{TTL: c.TTL(), Clock: c.Clock()})
			}),
		},
		{
			ID: "etcd-mutex", Renews: true, Flawed: true, Summary: "concurrency.Mutex of etcd's client itself", Store: etcd.Store, Reading: cell.Reading{Ownership: first},
			Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return flawed.NewMutex(sessions(c), prefix) }),
		},
		{
			ID: "etcd-election", Renews: true, Flawed: true, Summary: "concurrency.Election of etcd's client itself, as a lock", Store: etcd.Store, Reading: cell.Reading{Ownership: first},
			Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return flawed.NewElection(sessions(c), prefix) }),
		},
		{
			ID: "etcd-rwmutex", Flawed: true, Summary: "recipe.RWMutex of etcd's client itself: many readers or one writer", Store: etcd.Store,
			Reading: cell.Reading{Ownership: readersOrWriter{}},
			Subject: cell.PlainReadWrite(func(c *cell.Client) lock.RWLocker { return flawed.NewReadWrite(sessions(c), prefix) }),
		},
		{
			ID: "etcd-watch-now", Renews: true, Flawed: true, Summary: "one key with a lease; waiters watch it from now, and miss a deletion before that", Store: etcd.Store,
			Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
				return flawed.NewWatchNow(etcd.Connect(c), prefix, etcdlocks.Options{TTL: c.TTL(), Clock: c.Clock()})
			}),
		},
	}
}

func sessions(c *cell.Client) *flawed.Sessions {
	return flawed.NewSessions(etcd.Connect(c), c.TTL())
}
