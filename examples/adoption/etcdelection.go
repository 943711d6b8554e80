package main

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
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
		Store: etcd.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return elector{sessions{c, etcd.Connect(c)}} }), Reading: queue(cell.LockName + "/")},
	expected: violates("etcd-election",
		"When those before it have gone, Campaign does not look whether its own key is still there, nor whether its session has ended meanwhile. "+lateSession,
		"truthful-acquire", "mutual-exclusion", "timely-loss"),
}

// lateSession is what all locks of a session have in common.
const lateSession = "A session says late that it has ended: the client library looks once a second whether an answer is overdue, and gives the first one five seconds, however short the lease is."

// sessions are those of a process: one for each acquisition.
type sessions struct {
	c      *cell.Client
	client *clientv3.Client
}

func (s sessions) open() (*concurrency.Session, error) {
	return concurrency.NewSession(s.client, concurrency.WithTTL(max(int(s.c.TTL()/time.Second), 1)))
}

type elector struct{ sessions }

// Acquire runs for an office with a session of its own.
func (e elector) Acquire(ctx context.Context) (lock.Lease, error) {
	session, err := e.open()
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
