package clientlocks

import (
	"context"
	"errors"
	"time"

	"github.com/jonboulle/clockwork"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
)

// program is a process that uses a lock of the client library with care: it repeats a release until etcd confirms it.
type program struct {
	Use
	client   *clientv3.Client
	clock    clockwork.Clock
	prefix   string
	ttl      int64 // in seconds
	sessions []*concurrency.Session
	next     int // the session that is used next
}

// Use is how a program uses a lock.
type Use struct {
	// Make makes the lock, for each acquisition.
	Make func(s *concurrency.Session, prefix string) Lock
	// Sessions is how many sessions there are, which are used in turn, as from a pool.
	Sessions int
	// Later: a release that fails is repeated in the background, after a pause, and otherwise
	// at once until it succeeds.
	Later bool
	// Waits: there is a pause before an acquisition that failed is given up. Without it the
	// request that gives it up may overtake one of the acquisition that a server has yet to
	// forward to the leader.
	Waits bool
	// Closes: a session is closed if it is open what became of a request to acquire the lock.
	Closes bool
	// Compacts: the history before a release is compacted.
	Compacts bool
}

// Lock is a lock of the client library. Both calls return the library's errors.
type Lock interface {
	Acquire(ctx context.Context) error
	Release(ctx context.Context) error
}

// New returns the locker of a client process. It is for one goroutine at a time.
func (u Use) New(c *cell.Client) lock.Locker {
	return &program{
		Use: u, client: etcd.Connect(c), clock: c.Clock(), prefix: "/" + c.LockName(), ttl: int64(c.TTL().Seconds()),
		sessions: make([]*concurrency.Session, u.Sessions),
	}
}

// Acquire acquires the lock. If that fails nothing should be left.
func (p *program) Acquire(ctx context.Context) (lock.Lease, error) {
	s, err := p.session(ctx)
	if err != nil {
		return nil, err
	}
	l := p.Make(s, p.prefix)
	if err = l.Acquire(ctx); err == nil {
		return &held{p, l, s}, nil
	}
	if p.Waits {
		p.clock.Sleep(pause)
	}
	if p.Closes && unanswered(err) {
		_ = p.insist(func(context.Context) error { return s.Close() })
	} else {
		_ = p.insist(l.Release)
	}
	return nil, err
}

// session returns the session whose turn it is.
func (p *program) session(ctx context.Context) (*concurrency.Session, error) {
	s := &p.sessions[p.next]
	p.next = (p.next + 1) % len(p.sessions)
	if *s != nil {
		select {
		case <-(*s).Done():
		default:
			return *s, nil
		}
	}
	lease, err := p.client.Grant(ctx, p.ttl)
	if err != nil {
		return nil, err
	}
	*s, err = concurrency.NewSession(p.client, concurrency.WithLease(lease.ID))
	return *s, err
}

// unanswered reports whether it is open what became of a request.
func unanswered(err error) bool {
	var known rpctypes.EtcdError
	code := status.Code(err)
	if errors.As(err, &known) {
		code = known.Code()
	}
	return code == codes.Unavailable
}

// insist calls a function until it is answered.
func (p *program) insist(f func(context.Context) error) error {
	for {
		err := f(p.client.Ctx())
		if !unanswered(err) || p.client.Ctx().Err() != nil {
			return err
		}
		p.clock.Sleep(pause)
	}
}

// pause is the time between two tries.
const pause = 500 * time.Millisecond

type held struct {
	of      *program
	lock    Lock
	session *concurrency.Session
}

// Release releases the lock.
func (h *held) Release(ctx context.Context) error {
	err := h.lock.Release(ctx)
	switch {
	case err != nil && h.of.Later:
		go func() {
			h.of.clock.Sleep(pause)
			_ = h.of.insist(h.lock.Release)
		}()
	case err != nil:
		err = h.of.insist(h.lock.Release)
	}
	if h.of.Compacts {
		h.of.compact(ctx)
	}
	return err
}

// Lost is closed when the session has ended.
func (h *held) Lost() <-chan struct{} { return h.session.Done() }

// compact compacts the history up to now.
func (p *program) compact(ctx context.Context) {
	if now, err := p.client.Get(ctx, p.prefix, clientv3.WithCountOnly()); err == nil {
		_, _ = p.client.Compact(ctx, now.Header.Revision) // another may have done it
	}
}

// Mutex is concurrency.Mutex.
type Mutex struct{ *concurrency.Mutex }

// NewMutex returns the mutex with a prefix, as a lock.
func NewMutex(s *concurrency.Session, prefix string) Lock {
	return Mutex{concurrency.NewMutex(s, prefix)}
}

// Acquire calls Lock.
func (m Mutex) Acquire(ctx context.Context) error { return m.Lock(ctx) }

// Release calls Unlock.
func (m Mutex) Release(ctx context.Context) error { return m.Unlock(ctx) }

// election is concurrency.Election.
type election struct{ *concurrency.Election }

// NewElection returns the election with a prefix, as a lock: to lead is to hold it.
func NewElection(s *concurrency.Session, prefix string) Lock {
	return election{concurrency.NewElection(s, prefix)}
}

func (e election) Acquire(ctx context.Context) error { return e.Campaign(ctx, "leader") }
func (e election) Release(ctx context.Context) error { return e.Resign(ctx) }
