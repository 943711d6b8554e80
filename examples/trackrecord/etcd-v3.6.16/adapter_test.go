package etcd_test

import (
	"context"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
)

// program is a process that uses concurrency.Mutex over two sessions, in turn, as from a
// pool. What fails is given up, until that succeeds.
type program struct {
	client   *clientv3.Client
	clock    clockwork.Clock
	prefix   string
	ttl      int64 // in seconds
	sessions [2]*concurrency.Session
	next     int // the session that is used next
}

func newProgram(c *cell.Client) lock.Locker {
	return &program{client: etcd.Connect(c), clock: c.Clock(), prefix: "/" + c.LockName(), ttl: int64(c.TTL().Seconds())}
}

// Acquire acquires the lock. If that fails nothing should be left. Unlock comes after a pause:
// at once, it may overtake the transaction of Lock, which the server that the connection led to
// has yet to forward to the leader. Then the key is left behind in v3.5 as well.
func (p *program) Acquire(ctx context.Context) (lock.Lease, error) {
	s, err := p.session(ctx)
	if err != nil {
		return nil, err
	}
	m := concurrency.NewMutex(s, p.prefix)
	if err := m.Lock(ctx); err != nil {
		p.clock.Sleep(pause)
		p.unlock(m)
		return nil, err
	}
	return &held{p, m, s}, nil
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

// pause is the time between two tries.
const pause = 500 * time.Millisecond

// unlock calls Unlock until it succeeds, or says that there is nothing to unlock.
func (p *program) unlock(m *concurrency.Mutex) {
	for p.client.Ctx().Err() == nil {
		// v3.6 has an error for it, ErrLockReleased, and v3.5 has none.
		if err := m.Unlock(p.client.Ctx()); err == nil || strings.Contains(err.Error(), "already been released") {
			return
		}
		p.clock.Sleep(pause)
	}
}

type held struct {
	of      *program
	mutex   *concurrency.Mutex
	session *concurrency.Session
}

// Release releases the lock.
func (h *held) Release(ctx context.Context) error {
	err := h.mutex.Unlock(ctx)
	if err != nil {
		h.of.unlock(h.mutex)
	}
	return err
}

// Lost is closed when the session has ended.
func (h *held) Lost() <-chan struct{} { return h.session.Done() }
