package bugs

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

// This file has programs that use the locks of etcd's client library and repeat what has failed.

// program is a process that uses a lock of the client library. It leaves nothing to chance:
// what it was not told to have given up it gives up again, until it is told.
type program struct {
	use
	client   *clientv3.Client
	clock    clockwork.Clock
	prefix   string
	ttl      int64 // in seconds
	sessions []*concurrency.Session
	next     int // the session that is used next
}

// use is how a program uses a lock.
type use struct {
	// make makes the lock, for each acquisition.
	make func(s *concurrency.Session, prefix string) libraryLock
	// sessions is how many sessions there are, which are used in turn, as from a pool.
	sessions int
	// later: a release that fails is repeated in the background, after a pause, and otherwise
	// at once until it succeeds.
	later bool
	// waits: there is a pause before an acquisition that failed is given up. Without it the
	// request that gives it up may overtake one of the acquisition that a server has yet to
	// forward to the leader.
	waits bool
	// closes: a session is closed if it is open what became of a request to acquire the lock.
	closes bool
	// compacts: the history before a release is compacted.
	compacts bool
}

// libraryLock is a lock of the client library.
type libraryLock interface {
	acquire(ctx context.Context) error
	release(ctx context.Context) error
}

// run returns the lock of a process that uses it so.
func (u use) run(c *cell.Client) lock.Locker {
	return &program{
		use: u, client: etcd.Connect(c), clock: c.Clock(), prefix: "/" + c.LockName(), ttl: int64(c.TTL().Seconds()),
		sessions: make([]*concurrency.Session, u.sessions),
	}
}

// Acquire acquires the lock. If that fails nothing should be left.
func (p *program) Acquire(ctx context.Context) (lock.Lease, error) {
	s, err := p.session(ctx)
	if err != nil {
		return nil, err
	}
	l := p.make(s, p.prefix)
	if err = l.acquire(ctx); err == nil {
		return &held{p, l, s}, nil
	}
	if p.waits {
		p.clock.Sleep(pause)
	}
	if p.closes && unanswered(err) {
		_ = p.insist(func(context.Context) error { return s.Close() })
	} else {
		_ = p.insist(l.release)
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
	lock    libraryLock
	session *concurrency.Session
}

// Release releases the lock.
func (h *held) Release(ctx context.Context) error {
	err := h.lock.release(ctx)
	switch {
	case err != nil && h.of.later:
		go func() {
			h.of.clock.Sleep(pause)
			_ = h.of.insist(h.lock.release)
		}()
	case err != nil:
		err = h.of.insist(h.lock.release)
	}
	if h.of.compacts {
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

// mutex is concurrency.Mutex.
type mutex struct{ *concurrency.Mutex }

func newMutex(s *concurrency.Session, prefix string) libraryLock {
	return mutex{concurrency.NewMutex(s, prefix)}
}

func (m mutex) acquire(ctx context.Context) error { return m.Lock(ctx) }
func (m mutex) release(ctx context.Context) error { return m.Unlock(ctx) }

// election is concurrency.Election.
type election struct{ *concurrency.Election }

func newElection(s *concurrency.Session, prefix string) libraryLock {
	return election{concurrency.NewElection(s, prefix)}
}

func (e election) acquire(ctx context.Context) error { return e.Campaign(ctx, "leader") }
func (e election) release(ctx context.Context) error { return e.Resign(ctx) }
