package etcdlocks

import (
	"context"
	"math"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Sessions are the sessions of a client, one after the other: each is a
// [concurrency.Session], which keeps one of etcd's leases alive. All lockers of a process may
// share one; it is safe for concurrent use.
type Sessions struct {
	client *clientv3.Client
	ttl    int64 // in seconds

	mu      sync.Mutex // never held while anything is waited for
	current *concurrency.Session
	opening chan struct{} // closed when the one that is being opened is; nil if there is none
}

// NewSessions returns the sessions of a client. Their leases have the time to live, which is
// rounded up to whole seconds; the servers raise one that is shorter than one and a half of
// their election time-outs.
func NewSessions(client *clientv3.Client, ttl time.Duration) *Sessions {
	return &Sessions{client: client, ttl: seconds(ttl)}
}

// seconds is a time to live in etcd's unit.
func seconds(ttl time.Duration) int64 { return int64(math.Ceil(ttl.Seconds())) }

// get returns the present session, and opens one if there is none or it has ended.
func (s *Sessions) get(ctx context.Context) (*concurrency.Session, error) {
	for {
		current, opening, mine := s.look()
		if current != nil {
			return current, nil
		}
		if mine {
			return s.open(ctx, opening)
		}
		select {
		case <-opening:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look returns the present session, or what is closed when one has been opened, and whether
// that is the caller's to do.
func (s *Sessions) look() (current *concurrency.Session, opening chan struct{}, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		select {
		case <-s.current.Done():
			s.current = nil
		default:
			return s.current, nil, false
		}
	}
	if s.opening == nil {
		s.opening, mine = make(chan struct{}), true
	}
	return nil, s.opening, mine
}

// open opens a session. A lease of which the answer is lost ends by itself.
func (s *Sessions) open(ctx context.Context, opening chan struct{}) (session *concurrency.Session, err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.current, s.opening = session, nil
		close(opening)
	}()
	lease, err := s.client.Grant(ctx, s.ttl)
	if err != nil {
		return nil, err
	}
	return concurrency.NewSession(s.client, concurrency.WithLease(lease.ID))
}
