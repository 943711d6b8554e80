package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/zookeeper"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/flawed"
)

// first is the view of a mutex: the first znode in its directory has it.
var first = model.SequenceOwnership{Prefix: directory}

// permits is how many clients may have the semaphore at once.
const permits = 2

// Locks are the built-in locks over ZooKeeper, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		mutex("zookeeper", "ephemeral sequential znodes; each waiter watches the one before its own, and looks again", newLock(zklocks.NewZookeeper)),
		mutex("zookeeper-herd", "the same, but all waiters watch the holder's znode", newLock(flawed.NewHerd)),
		{
			ID: "zookeeper-readwrite", Summary: "many readers or one writer, in one queue", Store: zookeeper.Store,
			Reading: cell.Reading{Ownership: readersOrWriter{}},
			Subject: cell.ReadWrite(func(c *cell.Client) lock.RWLocker {
				return zklocks.NewReadWrite(open(c), "/"+c.LockName(), zklocks.Options{})
			}),
		},
		{
			ID: "zookeeper-semaphore", Summary: "permits, several at once, in the order of the queue", Store: zookeeper.Store,
			Reading: cell.Reading{Ownership: permitsInTurn{permits}},
			Subject: cell.Semaphore(permits, func(c *cell.Client) lock.Semaphore {
				return zklocks.NewSemaphore(open(c), "/"+c.LockName(), permits, zklocks.Options{})
			}),
		},
		marked(mutex("curator", "as Curator's InterProcessMutex: an owner may take it again", newLock(flawed.NewCurator))),
		marked(mutex("zookeeper-as-printed", "a widely read listing: waits once, returns without looking again, ignores errors", newLock(flawed.NewPrinted))),
		marked(mutex("zklib", "zk.Lock of go-zookeeper/zk itself", newLock(flawed.NewLibrary))),
	}
}

func mutex(id, summary string, make cell.NewLock) cell.Lock {
	return cell.Lock{ID: id, Summary: summary, Store: zookeeper.Store, Reading: cell.Reading{Ownership: first}, Subject: cell.Mutex(make)}
}

// marked is the lock, marked as flawed.
func marked(l cell.Lock) cell.Lock {
	l.Flawed = true
	return l
}

// newLock makes a lock with a session of its own.
func newLock[L lock.Locker](make func(*zklocks.Session, string, zklocks.Options) L) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		return make(open(c), "/"+c.LockName(), zklocks.Options{})
	}
}

// open opens a session of the length of a lease.
func open(c *cell.Client) *zklocks.Session {
	conn, events := zookeeper.Connect(c)
	return zklocks.Open(conn, events, c.TTL(), zklocks.SessionOptions{Clock: c.Clock()})
}

// Families are the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "ZooKeeper: a queue of ephemeral znodes", Expectations: queueExpectations},
		{Title: "ZooKeeper, flawed", Expectations: flawedExpectations},
	}
}
