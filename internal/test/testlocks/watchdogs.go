package testlocks

import (
	"context"
	"sync"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// silentWatchdog is renewed every third of its lease, and does not report when that
// fails: its holder knows of no end, and has only the watchdog to go by.
func silentWatchdog(c *cell.Client) lock.Locker {
	l := &leaser{vices: vices{kept: asString}, client: c, redis: connect(c), random: c.Rand().Uint64}
	return unheard{l}
}

// unheard does nothing but wait: a try would give what knows its end.
type unheard struct{ of *leaser }

func (l unheard) Acquire(ctx context.Context) (lock.Lease, error) {
	got, err := l.of.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	w := &watched{grant: got.(*grant)}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = l.of.client.Clock().AfterFunc(l.of.client.TTL()/3, w.renew)
	return lease{release: w.release}, nil
}

// watched is a grant with its watchdog.
type watched struct {
	*grant
	ctx  context.Context // of the renewals, until the release
	stop context.CancelFunc

	mu   sync.Mutex // never held while anything is waited for
	next clockwork.Timer
}

// renew makes the lease last, and comes back unless the key is gone.
func (w *watched) renew() {
	held, err := w.run(w.ctx, w.kept.prolong, w.client.TTL())
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() == nil && (held || err != nil) {
		w.next.Reset(w.client.TTL() / 3)
	}
}

func (w *watched) release(ctx context.Context) error {
	w.stop()
	w.mu.Lock()
	w.next.Stop()
	w.mu.Unlock()
	return w.Release(ctx)
}
