package builtin_test

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/etcd/clientlocks"
)

// watchfulMutex is concurrency.Mutex, and stops waiting when its session ends.
type watchfulMutex struct {
	clientlocks.Mutex
	session *concurrency.Session
}

func newWatchfulMutex(s *concurrency.Session, prefix string) clientlocks.Lock {
	return watchfulMutex{clientlocks.Mutex{Mutex: concurrency.NewMutex(s, prefix)}, s}
}

func (m watchfulMutex) Acquire(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-m.session.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	return m.Lock(ctx)
}

// checkedMutex is concurrency.Mutex, and deletes its key only if it is the one that it has
// created.
type checkedMutex struct {
	clientlocks.Mutex
	client *clientv3.Client
}

func newCheckedMutex(s *concurrency.Session, prefix string) clientlocks.Lock {
	return checkedMutex{clientlocks.Mutex{Mutex: concurrency.NewMutex(s, prefix)}, s.Client()}
}

func (m checkedMutex) Release(ctx context.Context) error {
	_, err := m.client.Txn(ctx).If(m.IsOwner()).Then(clientv3.OpDelete(m.Key())).Commit()
	return err
}
