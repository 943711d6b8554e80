package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

var etcdReadWrite = library{
	module: "go.etcd.io/etcd/client/v3",
	lock: cell.Lock{ID: "etcd-rwmutex", Summary: "the read-write lock of etcd's recipes, with a session for each hold", Flawed: true,
		Store: etcd.Store, Subject: cell.PlainReadWrite(func(c *cell.Client) lock.RWLocker { return rwMutexes{sessions{c, etcd.Connect(c)}} }),
		Reading: cell.Reading{Ownership: model.OwnershipFunc(readersOrWriter)}},
	expected: violates("etcd-rwmutex",
		"When those before it have gone, it does not look whether its own key is still there, nor whether its session has ended meanwhile. "+lateSession+" Its calls take no context.",
		"truthful-acquire", "timely-loss", "prompt-cancel"),
}

// readersOrWriter are those who have the lock: the readers before the first writer, or the writer before all others.
func readersOrWriter(records []model.Record) (shares []model.Share, err error) {
	records = slices.Clone(records)
	slices.SortFunc(records, func(a, b model.Record) int { return cmp.Compare(a.Revision, b.Revision) })
	for i, r := range records {
		writes := strings.HasPrefix(r.Key, cell.LockName+"/write/")
		if i > 0 && (writes || shares[0].Write) {
			break
		}
		shares = append(shares, model.Share{Key: r.Key, Holder: r.Key, Count: 1, Write: writes})
	}
	return shares, nil
}

type rwMutexes struct{ sessions }

type rw = *recipe.RWMutex

func (m rwMutexes) Reader() lock.Locker { return &rwSide{m.sessions, rw.RLock, rw.RUnlock} }

func (m rwMutexes) Writer() lock.Locker { return &rwSide{m.sessions, rw.Lock, rw.Unlock} }

// rwSide is the lock of the readers or of the writers. Its calls take no context.
type rwSide struct {
	sessions
	lock, unlock func(rw) error
}

func (s *rwSide) Acquire(context.Context) (lock.Lease, error) {
	session, err := s.open()
	if err != nil {
		return nil, err
	}
	m := recipe.NewRWMutex(session, s.c.LockName())
	if err := s.lock(m); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return rwLease{session, func() error { return s.unlock(m) }}, nil
}

type rwLease struct {
	session *concurrency.Session
	unlock  func() error
}

func (l rwLease) Release(context.Context) error { return errors.Join(l.unlock(), l.session.Close()) }

func (l rwLease) Lost() <-chan struct{} { return l.session.Done() }
