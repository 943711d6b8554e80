// Package adapter has the lock of samuel/go-zookeeper. The modules of 2016-09 and 2016-10 share it.
package adapter

import (
	"context"

	"github.com/samuel/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// Queue finds the holder: the owner of the first znode in the directory.
var Queue = model.SequenceOwnership{Prefix: "/" + cell.LockName + "/"}

// locker makes a zk.Lock for each acquisition, over one session. The library's calls take no
// context: one that has ended is noticed when the call returns.
type locker struct {
	conn *zk.Conn
	path string
}

// NewLock returns the lock of a client.
func NewLock(c *cell.Client) lock.Locker {
	conn, _, err := zk.Connect(c.Addresses(), c.TTL(), zk.WithDialer(zookeeper.Dialer(c)))
	if err != nil {
		panic(err)
	}
	conn.SetLogger(silent{})
	c.Cleanup(conn.Close)
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

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Printf(string, ...any) {}
