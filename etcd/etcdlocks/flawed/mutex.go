package flawed

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/lock"
)

// Mutex is the lock of the client library itself, [concurrency.Mutex], as it is, with the
// interface of package lock: a new one for each acquisition, over the client's session.
//
// Guarantee: mutual exclusion while leases last. Its leases signal their loss with the
// session's end, and do not say until when they are valid.
//
// What breaks it. Unlock does not look whether there was a key to delete (gc-pause:
// truthful-release). An Unlock that fails leaves its key for as long as the session lasts,
// which is as long as the process (failover-loss, node-restart, partition: progress); one that
// is called again deletes what its session has acquired since (etcd-io/etcd#22082). Since 3.6,
// when the answer to Lock's transaction is lost, Unlock says that the lock was released, and
// leaves the key. A session learns late that its lease has ended: it counts the time to live
// from when an answer came, and looks once a second (stale-follower, session-expiry:
// truthful-acquire). Lock waits on when its session has ended (etcd-io/etcd#19597: vain-wait).
// A TryLock that fails deletes the key of its session, for which another thread's Lock may wait.
//
// Requests: one to acquire a free lock, one to release it, a keep-alive each third of the
// time to live.
type Mutex struct {
	sessions *Sessions
	prefix   string
}

// NewMutex returns a locker whose keys are under the prefix and a slash. It is safe for
// concurrent use by clients of different sessions: acquisitions of one session share its key.
func NewMutex(sessions *Sessions, prefix string) *Mutex { return &Mutex{sessions, prefix} }

// Acquire opens a session if there is none, and calls Lock.
func (m *Mutex) Acquire(ctx context.Context) (lock.Lease, error) {
	session, err := m.sessions.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	mutex := concurrency.NewMutex(session, m.prefix)
	if err := mutex.Lock(ctx); err != nil {
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	return &mutexLease{mutex: mutex, session: session}, nil
}

type mutexLease struct {
	mutex    *concurrency.Mutex
	session  *concurrency.Session
	released bool
}

// Release calls Unlock, and again if it is called after that has failed.
func (l *mutexLease) Release(ctx context.Context) error {
	if l.released {
		return lock.ErrNotHeld
	}
	if err := l.mutex.Unlock(ctx); err != nil {
		return fmt.Errorf("etcdlocks: release: %w", err)
	}
	l.released = true
	return nil
}

// Lost is closed when the session has ended.
func (l *mutexLease) Lost() <-chan struct{} { return l.session.Done() }
