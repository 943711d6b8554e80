package zookeeper_test

import (
	"context"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// locker takes a zk.Lock for each acquisition, over one session. The library's calls take no
// context: one that has ended is noticed when the call returns.
type locker struct{ take func() *zk.Lock }

// newLock makes a zk.Lock for each acquisition.
func newLock(c *cell.Client) lock.Locker {
	conn, _ := zookeeper.Connect(c)
	return locker{func() *zk.Lock { return zk.NewLock(conn, "/"+c.LockName(), zk.WorldACL(zk.PermAll)) }}
}

// newKeptLock makes one zk.Lock for all acquisitions of a client.
func newKeptLock(c *cell.Client) lock.Locker {
	kept := newLock(c).(locker).take()
	return locker{func() *zk.Lock { return kept }}
}

func (l locker) Acquire(context.Context) (lock.Lease, error) {
	k := l.take()
	if err := k.Lock(); err != nil {
		return nil, err
	}
	return lease{k}, nil
}

type lease struct{ *zk.Lock }

func (l lease) Release(context.Context) error { return l.Unlock() }
