package main

import (
	"context"
	"errors"
	"time"

	scalingo "github.com/Scalingo/go-etcd-lock/v5/lock"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// queue is how to read the holder: the key that was created first.
func queue(prefix string) cell.Reading {
	return cell.Reading{Ownership: model.SequenceOwnership{Prefix: prefix, ByRevision: true}}
}

var etcdElection = library{
	module: "go.etcd.io/etcd/client/v3",
	lock: cell.Lock{ID: "etcd-election", Summary: "the election of etcd's package concurrency, as a lock", Flawed: true,
		Store: etcd.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return elector{c} }), Reading: queue(cell.LockName + "/")},
	expected: violates("etcd-election", ""),
}

type elector struct{ c *cell.Client }

func (e elector) Acquire(ctx context.Context) (lock.Lease, error) {
	session, err := concurrency.NewSession(etcd.Connect(e.c), concurrency.WithTTL(max(int(e.c.TTL()/time.Second), 1)))
	if err != nil {
		return nil, err
	}
	election := concurrency.NewElection(session, e.c.LockName())
	if err := election.Campaign(ctx, e.c.Name()); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return term{election, session}, nil
}

type term struct {
	*concurrency.Election
	session *concurrency.Session
}

func (t term) Release(ctx context.Context) error {
	return errors.Join(t.Resign(ctx), t.session.Close())
}
func (t term) Lost() <-chan struct{} { return t.session.Done() }

var scalingoLock = library{
	module: "github.com/Scalingo/go-etcd-lock/v5",
	lock: cell.Lock{ID: "go-etcd-lock", Summary: "Scalingo/go-etcd-lock", Flawed: true,
		Store: etcd.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return scalingoLocker{scalingo.NewEtcdLocker(etcd.Connect(c)), c}
		}), Reading: queue("/" + cell.LockName + "/")},
	expected: violates("go-etcd-lock", ""),
}

type scalingoLocker struct {
	scalingo.Locker
	c *cell.Client
}

func (l scalingoLocker) Acquire(context.Context) (lock.Lease, error) {
	held, err := l.WaitAcquire(l.c.LockName(), max(int(l.c.TTL()/time.Second), 1))
	if taken := new(scalingo.ErrAlreadyLocked); errors.As(err, &taken) {
		err = errors.Join(lock.ErrNotAcquired, err)
	}
	return scalingoLease{held}, err
}

type scalingoLease struct{ held scalingo.Lock }

func (l scalingoLease) Release(context.Context) error { return l.held.Release() }
