package testlocks

import (
	"context"
	"math/rand"
	"sync"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// inStep returns a watchdog lock whose tries and renewals are all in time with one beat of the process: the waiting
// threads go on at one instant, set equal timers there, and draw from math/rand when these end. The scheduler must not
// decide their order.
func inStep(c *cell.Client) lock.Locker {
	b := &beat{clock: c.Clock()}
	return stepper{&leaser{vices: vices{kept: asString}, client: c, redis: connect(c), random: rand.Uint64}, b}
}

type stepper struct {
	of *leaser
	*beat
}

// beat synchronizes goroutines.
type beat struct {
	clock clockwork.Clock
	mu    sync.Mutex // never held while anything is waited for
	next  chan struct{}
}

// await blocks until the next beat, of which there are ten in a lease.
func (s stepper) await(ctx context.Context) {
	s.mu.Lock()
	if s.next == nil {
		next, every := make(chan struct{}), s.of.client.TTL()/10
		s.next = next
		s.clock.AfterFunc(s.clock.Now().Truncate(every).Add(every).Sub(s.clock.Now()), func() {
			s.mu.Lock()
			s.next = nil
			s.mu.Unlock()
			close(next)
		})
	}
	next := s.next
	s.mu.Unlock()
	select {
	case <-next:
	case <-ctx.Done():
	}
}

// Acquire tries a while after each beat.
func (s stepper) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		s.await(ctx)
		s.clock.Sleep(steady())
		g := s.of.grant()
		switch taken, err := g.take(ctx); {
		case err != nil:
			return nil, g.abandon(ctx, err)
		case taken:
			return s.watch(g), nil
		}
	}
	return nil, ctx.Err()
}

// watch renews a grant until it is released.
func (s stepper) watch(g *grant) lock.Lease {
	w := &watched{grant: g}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = s.clock.AfterFunc(s.of.client.TTL()/3, func() {
		s.await(w.ctx)
		w.renew()
	})
	return lease{release: w.release}
}
