package main

import (
	"context"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

var zkLock = library{
	module: "github.com/go-zookeeper/zk",
	lock: cell.Lock{ID: "zk-lock", Summary: "the Lock of go-zookeeper/zk", Flawed: true,
		Store: zookeeper.Store, Subject: cell.Mutex(newZKLock), Reading: cell.Reading{Ownership: model.SequenceOwnership{Prefix: "/" + cell.LockName + "/"}}},
	expected: violates("zk-lock",
		"Its Lock does not look whether its own node is still there when its wait is over, and says nothing when its session expires: the events of the session do, which a user of Lock alone does not read. It takes no context. A Lock that fails after the creation of its node, or an Unlock that fails, leaves the node for as long as the session lives, and the client's next Lock waits behind it.",
		"mutual-exclusion", "linearizable", "no-lost-update", "truthful-acquire", "timely-loss", "progress", "prompt-cancel", "no-orphan"),
}

// zkLocker takes a zk.Lock for each acquisition, over one session. Its calls take no context.
type zkLocker struct{ take func() *zk.Lock }

func newZKLock(c *cell.Client) lock.Locker {
	conn, _ := zookeeper.Connect(c)
	return zkLocker{func() *zk.Lock { return zk.NewLock(conn, "/"+c.LockName(), zk.WorldACL(zk.PermAll)) }}
}

func (l zkLocker) Acquire(context.Context) (lock.Lease, error) {
	k := l.take()
	return zkLease{k}, k.Lock()
}

type zkLease struct{ k *zk.Lock }

func (l zkLease) Release(context.Context) error { return l.k.Unlock() }
