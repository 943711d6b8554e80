package flawed

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"

	"github.com/lockpick-dev/lockpick/lock"
)

// ReadWrite is the read-write lock of the client library's recipes, [recipe.RWMutex], as it is,
// with the interface of package lock: a new one for each acquisition, over the client's
// session. Its calls take no context: an Acquire whose ctx is done leaves its call running, and
// unlocks when that returns.
//
// It is not re-entrant: a writer that asks for the reader's lock waits for itself.
//
// Guarantee: a writer is alone while leases last. Its leases signal their loss with the
// session's end, and do not say until when they are valid.
//
// What breaks it. It never looks at its own key: a waiter whose lease has ended, and its key
// with it, gets the lock beside another (etcd-io/etcd#16221; gc-pause: truthful-acquire). A
// call that fails leaves its key for as long as the session lasts (lost-reply: no-orphan,
// progress). And what breaks [Mutex].
//
// Requests: two to acquire a free lock, one to release it, two for each predecessor, a
// keep-alive each third of the time to live.
type ReadWrite struct{ reader, writer rwSide }

// NewReadWrite returns a lock whose keys are under the prefix and a slash. It is safe for
// concurrent use by clients of different sessions.
func NewReadWrite(sessions *Sessions, prefix string) *ReadWrite {
	return &ReadWrite{
		reader: rwSide{sessions, prefix, (*recipe.RWMutex).RLock, (*recipe.RWMutex).RUnlock},
		writer: rwSide{sessions, prefix, (*recipe.RWMutex).Lock, (*recipe.RWMutex).Unlock},
	}
}

// Reader is the shared lock of the readers.
func (l *ReadWrite) Reader() lock.Locker { return &l.reader }

// Writer is the exclusive lock of a writer.
func (l *ReadWrite) Writer() lock.Locker { return &l.writer }

type rwSide struct {
	sessions     *Sessions
	prefix       string
	lock, unlock func(*recipe.RWMutex) error
}

// Acquire opens a session if there is none, and calls RLock or Lock.
func (s *rwSide) Acquire(ctx context.Context) (lock.Lease, error) {
	session, err := s.sessions.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	m := recipe.NewRWMutex(session, s.prefix)
	locked := make(chan error, 1)
	go func() { locked <- s.lock(m) }()
	select {
	case err = <-locked:
	case <-ctx.Done():
		err = ctx.Err()
		go func() {
			if <-locked == nil {
				_ = s.unlock(m) // the caller has returned
			}
		}()
	}
	if err != nil {
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	return &rwLease{s, m, session, nil}, nil
}

type rwLease struct {
	side     *rwSide
	mutex    *recipe.RWMutex
	session  *concurrency.Session
	unlocked chan error // of a call whose answer nobody has had
}

// Release calls RUnlock or Unlock.
func (l *rwLease) Release(ctx context.Context) error {
	if l.unlocked == nil {
		l.unlocked = make(chan error, 1)
		go func(done chan<- error) { done <- l.side.unlock(l.mutex) }(l.unlocked)
	}
	var err error
	select {
	case err = <-l.unlocked:
		l.unlocked = nil
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("etcdlocks: release: %w", err)
	}
	return nil
}

// Lost is closed when the session has ended.
func (l *rwLease) Lost() <-chan struct{} { return l.session.Done() }
