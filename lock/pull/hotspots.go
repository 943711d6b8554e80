package pull

import (
	"context"
	"sync"

	"github.com/lockpick-dev/lockpick/lock"
)

// Hotspots is a handler that has the threads of one process compete among
// themselves for a lock before one of them asks the store: the local hotspot of
// the articles on pull-mode locks. Of so many instances with so many threads each
// only one thread an instance then asks the store, where nearly all would have
// asked in vain.
//
// It does so for the names that are registered, and lets others pass: a gate for
// every name that is ever locked would be a leak. It does not change who may hold
// a lock, which only the store decides.
//
// The local gate is taken first, with what is left of the wait, and given back
// when the store's lock was not had, for whatever reason, a panic included. A
// release gives the store's lock back first: whoever is woken by the gate finds
// it free. A lease that is lost gives the gate back as well, so that nobody waits
// behind a thread that will never release.
type Hotspots struct {
	mu    sync.Mutex
	gates map[string]gate
}

// gate is full while a thread of the process is inside. It is a channel and no
// mutex, because it is waited at with a context.
type gate chan struct{}

// A stay is that of a thread inside of a gate, which it leaves once.
type stay struct {
	gate gate
	once sync.Once
}

func (s *stay) leave() { s.once.Do(func() { <-s.gate }) }

// NewHotspots returns a handler for the given names. The lockers that shall
// compete locally share it.
func NewHotspots(names ...string) *Hotspots {
	h := &Hotspots{gates: map[string]gate{}}
	for _, name := range names {
		h.Register(name)
	}
	return h
}

// Register adds a name. To add it again changes nothing.
func (h *Hotspots) Register(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gates[name] == nil {
		h.gates[name] = make(gate, 1)
	}
}

// Unregister removes a name. Those who are inside, and those who wait, leave by
// the gate that they came by.
func (h *Hotspots) Unregister(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.gates, name)
}

func (h *Hotspots) gate(name string) gate {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gates[name]
}

// Acquire takes the local gate, if there is one, and then what is behind it.
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

// Release gives back what is behind the gate, and then the gate, once.
func (h *Hotspots) Release(ctx context.Context, a *Acquisition, next func(context.Context) error) error {
	if inside, ok := a.Get(h).(*stay); ok {
		defer inside.leave()
	}
	return next(ctx)
}

// enter waits at the gate for as long as the acquisition may.
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
