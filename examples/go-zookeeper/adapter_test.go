package zookeeper_test

import (
	"context"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/zookeeper"
)

// locker makes a zk.Lock for each acquisition, over one session. The library's calls take no
// context: one that has ended is noticed when the call returns.
type locker struct {
	conn *zk.Conn
	path string
}

func newLock(c *scenarios.Client) lock.Locker {
	conn, _ := zookeeper.Connect(c)
	return locker{conn, "/" + c.LockName()}
}

func (l locker) Acquire(context.Context) (lock.Lease, error) {
	k := zk.NewLock(l.conn, l.path, zk.WorldACL(zk.PermAll))
	if err := k.Lock(); err != nil {
		return nil, err
	}
	return lease{k}, nil
}

type lease struct{ *zk.Lock }

func (l lease) Release(context.Context) error { return l.Unlock() }
