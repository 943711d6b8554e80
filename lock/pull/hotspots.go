package pull

import (
	"context"
	"sync"

	"github.com/lockpick-dev/lockpick/lock"
)

// Hotspots is a handler that makes the threads of one process compete locally for a
// lock before one of them asks the store: the local hotspot of the articles on
// pull-mode locks. Only one thread of each process then asks the store; without it
// nearly all requests would find the lock taken.
//
// It does so for registered names only: a gate for every name ever locked would be a
// leak. Only the store decides who holds a lock.
//
// The local gate is taken first, within the rest of the wait, and given back if the
// store's lock was not taken, for any reason including a panic. A release gives the
// store's lock back first, so that the next thread finds it free. A lost lease gives
// the gate back as well, so that no thread waits for a holder that never releases.
type Hotspots struct {
	mu    sync.Mutex
	gates map[string]gate
}

// gate is full while a thread of the process holds it. It is a channel and not a mutex,
// so that waits can end with a context.
type gate chan struct{}

// A stay is one thread's hold of a gate, which it leaves once.
type stay struct {
	gate gate
	once sync.Once
}

func (s *stay) leave() { s.once.Do(func() { <-s.gate }) }

// NewHotspots returns a handler for the given names. Lockers that compete locally
// share it.
func NewHotspots(names ...string) *Hotspots {
	h := &Hotspots{gates: map[string]gate{}}
	for _, name := range names {
		h.Register(name)
	}
	return h
}

// Register adds a name. Adding it again changes nothing.
func (h *Hotspots) Register(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gates[name] == nil {
		h.gates[name] = make(gate, 1)
	}
}

// Unregister removes a name. Present holders and waiters keep their gate.
func (h *Hotspots) Unregister(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.gates, name)
}

// Len returns the number of registered names. Each keeps a gate.
func (h *Hotspots) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.gates)
}

func (h *Hotspots) gate(name string) gate {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gates[name]
}

// Acquire takes the local gate, if there is one, and then calls next.
func (h *Hotspots) Acquire(ctx context.Context, a *Acquisition, next func(context.Context) error) error {
	g := h.gate(a.Name)
	if g == nil {
		return next(ctx)
	}
	if err := g.enter(ctx, a); err != nil {
		return err
	}
	inside := &stay{gate: g}
	held := false
	defer func() {
		if !held {
			inside.leave()
		}
	}()
	if err := next(ctx); err != nil {
		return err
	}
	held = true
	a.Set(h, inside)
	a.OnLost(inside.leave)
	return nil
}

// Release calls next, and then gives the gate back, once.
func (h *Hotspots) Release(ctx context.Context, a *Acquisition, next func(context.Context) error) error {
	if inside, ok := a.Get(h).(*stay); ok {
		defer inside.leave()
	}
	return next(ctx)
}

// enter waits at the gate for as long as the acquisition may wait.
func (g gate) enter(ctx context.Context, a *Acquisition) error {
	select {
	case g <- struct{}{}:
		return nil
	default:
	}
	if a.Try {
		return lock.ErrNotAcquired
	}
	left, limited := a.Remaining()
	if !limited {
		select {
		case g <- struct{}{}:
			return nil
		case <-ctx.Done():
			return cancelled(ctx)
		}
	}
	timer := a.clock.NewTimer(left)
	defer timer.Stop()
	select {
	case g <- struct{}{}:
		return nil
	case <-timer.Chan():
		return ErrTimeout
	case <-ctx.Done():
		return cancelled(ctx)
	}
}
