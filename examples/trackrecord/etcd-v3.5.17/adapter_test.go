package etcd_test

import (
	"context"
	"math"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// first finds the holder: the owner of the oldest key.
var first = model.SequenceOwnership{Prefix: "/" + cell.LockName + "/", ByRevision: true}

// locker takes a concurrency.Mutex for each acquisition, over a session of its own.
type locker struct {
	client *clientv3.Client
	prefix string
	ttl    int64 // in seconds
}

func newLock(c *cell.Client) lock.Locker {
	return locker{etcd.Connect(c), "/" + c.LockName(), int64(math.Ceil(c.TTL().Seconds()))}
}

// Acquire opens a session and calls Lock.
func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	granted, err := l.client.Grant(ctx, l.ttl)
	if err != nil {
		return nil, err
	}
	session, err := concurrency.NewSession(l.client, concurrency.WithLease(granted.ID))
	if err != nil {
		return nil, err
	}
	m := concurrency.NewMutex(session, l.prefix)
	if err := m.Lock(ctx); err != nil {
		session.Orphan()
		return nil, err
	}
	return lease{m, session}, nil
}

type lease struct {
	*concurrency.Mutex
	session *concurrency.Session
}

// Release calls Unlock, and lets the session's lease end.
func (l lease) Release(ctx context.Context) error {
	defer l.session.Orphan()
	return l.Unlock(ctx)
}

// Lost is closed when the session has ended.
func (l lease) Lost() <-chan struct{} { return l.session.Done() }
