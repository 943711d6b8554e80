package flawed

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/lock"
)

// Election is the election of the client library, [concurrency.Election], used as a lock:
// the leader has it. There is a new one for each acquisition, over the client's session.
//
// Guarantee: one leader at a time while leases last. Its leases signal their loss with the
// session's end, and do not say until when they are valid.
//
// What breaks it. Campaign does not look at its own key after its wait: it returns without an
// error when its lease has ended and the key is gone (gc-pause, session-expiry:
// truthful-acquire). When Campaign or Resign fails, the Election forgets its key, and Resign
// does nothing from then on (etcd-io/etcd#21128, #22123). And what breaks [Mutex].
//
// Requests: two to acquire a free lock, one to release it, a keep-alive each third of the time
// to live.
type Election struct {
	sessions *Sessions
	prefix   string
}

// NewElection returns a locker whose keys are under the prefix and a slash. It is safe for
// concurrent use by clients of different sessions.
func NewElection(sessions *Sessions, prefix string) *Election { return &Election{sessions, prefix} }

// Acquire opens a session if there is none, and calls Campaign.
func (e *Election) Acquire(ctx context.Context) (lock.Lease, error) {
	session, err := e.sessions.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	election := concurrency.NewElection(session, e.prefix)
	if err := election.Campaign(ctx, "leader"); err != nil {
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	return &electionLease{election, session}, nil
}

type electionLease struct {
	election *concurrency.Election
	session  *concurrency.Session
}

// Release calls Resign.
func (l *electionLease) Release(ctx context.Context) error {
	if err := l.election.Resign(ctx); err != nil {
		return fmt.Errorf("etcdlocks: release: %w", err)
	}
	return nil
}

// Lost is closed when the session has ended.
func (l *electionLease) Lost() <-chan struct{} { return l.session.Done() }
