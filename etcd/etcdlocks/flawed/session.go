package flawed

import (
	"context"
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/etcd/etcdlocks/internal/seconds"
)

// Sessions are the sessions of a client, one after the other: each is a
// [concurrency.Session], which keeps one of etcd's leases alive. All lockers of a process may
// share one; it is safe for concurrent use.
type Sessions struct {
	client *clientv3.Client
	ttl    int64 // in seconds

	mu      sync.Mutex // never held while anything is waited for
	current *concurrency.Session
	opening bool        // somebody opens one
	waiting []chan bool // for that, the first come first
}

// NewSessions returns the sessions of a client. Their leases have the time to live, which is
// rounded up to whole seconds; the servers raise one that is shorter than one and a half of
// their election time-outs.
func NewSessions(client *clientv3.Client, ttl time.Duration) *Sessions {
	return &Sessions{client: client, ttl: seconds.Of(ttl)}
}

// get returns the present session, and opens one if there is none or it has ended. If a
// caller fails to open it, the first that waits tries: if all tried, the scheduler would
// decide whose context the next one is opened with.
func (s *Sessions) get(ctx context.Context) (*concurrency.Session, error) {
	for {
		current, turn := s.look()
		if current != nil {
			return current, nil
		}
		if turn == nil {
			return s.open(ctx)
		}
		select {
		case mine := <-turn:
			if mine {
				return s.open(ctx)
			}
		case <-ctx.Done():
			s.leave(turn)
			return nil, ctx.Err()
		}
	}
}

// look returns the present session, or else a channel to wait on: it gets true when it is the
// caller's turn to open one. Both are nil if the caller opens one at once.
func (s *Sessions) look() (current *concurrency.Session, turn chan bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		select {
		case <-s.current.Done():
			s.current = nil
		default:
			return s.current, nil
		}
	}
	if !s.opening {
		s.opening = true
		return nil, nil
	}
	turn = make(chan bool, 1)
	s.waiting = append(s.waiting, turn)
	return nil, turn
}

// leave ends a wait, and passes a turn on that has come meanwhile.
func (s *Sessions) leave(turn chan bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(c chan bool) bool { return c == turn })
	select {
	case mine := <-turn:
		if mine {
			s.next()
		}
	default:
	}
}

// next lets the first that waits open a session. The caller has the mutex.
func (s *Sessions) next() {
	if s.opening = len(s.waiting) > 0; s.opening {
		s.waiting[0] <- true
		s.waiting = s.waiting[1:]
	}
}

// open opens a session. A lease of which the answer is lost ends by itself.
func (s *Sessions) open(ctx context.Context) (session *concurrency.Session, err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.current = session; session == nil {
			s.next()
			return
		}
		s.opening = false
		for _, turn := range s.waiting {
			close(turn)
		}
		s.waiting = nil
	}()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	lease, err := s.client.Grant(ctx, s.ttl)
	if err != nil {
		return nil, err
	}
	return concurrency.NewSession(s.client, concurrency.WithLease(lease.ID))
}
