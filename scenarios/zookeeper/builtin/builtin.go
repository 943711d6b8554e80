package builtin

import (
	"github.com/lockpick-dev/lockpick/internal/expect"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/zklocks"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/zookeeper"
)

// first is the view of a mutex: the first znode in its directory has it.
var first = model.SequenceOwnership{Prefix: directory}

// permits is how many clients may have the semaphore at once.
const permits = 2

// Locks are the built-in locks over ZooKeeper, in the order in which they are listed.
func Locks() []scenarios.Lock {
	return []scenarios.Lock{
		mutex("zookeeper", "ephemeral sequential znodes; each waiter watches the one before its own, and looks again", newLock(zklocks.NewZookeeper)),
		mutex("zookeeper-herd", "the same, but all waiters watch the holder's znode", newLock(zklocks.NewHerd)),
		{
			ID: "zookeeper-readwrite", Summary: "many readers or one writer, in one queue", Store: zookeeper.Store,
			Spec: model.Spec{Kind: model.KindReadWrite}, Ownership: readersOrWriter{},
			Make: func(c *scenarios.Client) any {
				return zklocks.NewReadWrite(open(c), "/"+c.LockName(), zklocks.Options{})
			},
		},
		{
			ID: "zookeeper-semaphore", Summary: "permits, several at once, in the order of the queue", Store: zookeeper.Store,
			Spec: model.Spec{Kind: model.KindSemaphore, Permits: permits}, Ownership: permitsInTurn{permits},
			Make: func(c *scenarios.Client) any {
				return zklocks.NewSemaphore(open(c), "/"+c.LockName(), permits, zklocks.Options{})
			},
		},
		flawed(mutex("curator", "as Curator's InterProcessMutex: an owner may take it again", newLock(zklocks.NewCurator))),
		flawed(mutex("zookeeper-as-printed", "a widely read listing: waits once, returns without looking again, ignores errors", newLock(zklocks.NewPrinted))),
		flawed(mutex("zklib", "zk.Lock of go-zookeeper/zk itself", newLock(zklocks.NewLibrary))),
	}
}

func mutex(id, summary string, make scenarios.NewLock) scenarios.Lock {
	return scenarios.Lock{ID: id, Summary: summary, Store: zookeeper.Store, Ownership: first, New: make}
}

// flawed is the lock, marked as flawed.
func flawed(l scenarios.Lock) scenarios.Lock {
	l.Flawed = true
	return l
}

// newLock makes a lock with a session of its own.
func newLock[L lock.Locker](make func(*zklocks.Session, string, zklocks.Options) L) scenarios.NewLock {
	return func(c *scenarios.Client) lock.Locker {
		return make(open(c), "/"+c.LockName(), zklocks.Options{})
	}
}

// open opens a session of the length of a lease.
func open(c *scenarios.Client) *zklocks.Session {
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
