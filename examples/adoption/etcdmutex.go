package main

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
)

var etcdMutex = library{
	module: "go.etcd.io/etcd/client/v3",
	lock: cell.Lock{ID: "etcd-mutex", Summary: "the mutex of etcd's package concurrency, with a session for each hold", Flawed: true,
		Store: etcd.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return mutexes{sessions{c, etcd.Connect(c)}} }), Reading: queue(cell.LockName + "/")},
	expected: violates("etcd-mutex",
		"When its answer comes late, Lock does not look whether its session has ended meanwhile. "+lateSession,
		"truthful-acquire", "mutual-exclusion", "timely-loss"),
}

type mutexes struct{ sessions }

func (m mutexes) Acquire(ctx context.Context) (lock.Lease, error) {
	return m.take(ctx, (*concurrency.Mutex).Lock)
}

func (m mutexes) TryAcquire(ctx context.Context) (lock.Lease, error) {
	return m.take(ctx, (*concurrency.Mutex).TryLock)
}

// take locks a mutex with a session of its own.
func (m mutexes) take(ctx context.Context, by func(*concurrency.Mutex, context.Context) error) (lock.Lease, error) {
	session, err := m.open()
	if err != nil {
		return nil, err
	}
	k := concurrency.NewMutex(session, m.c.LockName())
	switch err = by(k, ctx); {
	case err == nil:
		return mutexLease{k, session}, nil
	case errors.Is(err, concurrency.ErrLocked):
		err = errors.Join(lock.ErrNotAcquired, err)
	}
	return nil, errors.Join(err, session.Close())
}

type mutexLease struct {
	*concurrency.Mutex
	session *concurrency.Session
}

func (l mutexLease) Release(ctx context.Context) error {
	return errors.Join(l.Unlock(ctx), l.session.Close())
}

func (l mutexLease) Lost() <-chan struct{} { return l.session.Done() }
