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
		"Lock takes the lock if it finds no lower node than its own, without looking whether its own is still there. It takes no context. Its loss is an event of the session: while a client is cut off none says that the session has expired, as the library does not look at the clock. A Lock that fails after the creation of its node, or an Unlock that fails, leaves the node for as long as the session lives, and the client's next Lock waits behind it.",
		"mutual-exclusion", "no-lost-update", "truthful-acquire", "timely-loss", "progress", "prompt-cancel", "no-orphan"),
}

// zkLocker takes a zk.Lock for each acquisition, over one session after another. Its calls take no context.
type zkLocker struct {
	take    func() *zk.Lock
	session chan chan struct{} // holds what is closed when the session has expired
}

func newZKLock(c *cell.Client) lock.Locker {
	conn, events := zookeeper.Connect(c)
	l := zkLocker{func() *zk.Lock { return zk.NewLock(conn, "/"+c.LockName(), zk.WorldACL(zk.PermAll)) }, make(chan chan struct{}, 1)}
	l.session <- make(chan struct{})
	go func() {
		for e := range events {
			if e.Type == zk.EventSession && e.State == zk.StateExpired {
				close(<-l.session)
				l.session <- make(chan struct{})
			}
		}
	}()
	return l
}

func (l zkLocker) Acquire(context.Context) (lock.Lease, error) {
	expired := <-l.session
	l.session <- expired
	k := l.take()
	return zkLease{k, expired}, k.Lock()
}

type zkLease struct {
	k       *zk.Lock
	expired <-chan struct{}
}

func (l zkLease) Release(context.Context) error { return l.k.Unlock() }

func (l zkLease) Lost() <-chan struct{} { return l.expired }
