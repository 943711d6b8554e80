package pull

import (
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// An Acquisition is one call of Acquire or TryAcquire on its way through the
// handlers, and the lease that came of it on its way back. Its fields are for
// reading. Handlers are called for it one at a time.
type Acquisition struct {
	// Name is the lock's (RN), Value the acquisition's own (RV).
	Name, Value string
	// TTL is how long its record shall live.
	TTL time.Duration
	// Try is set if it does not wait.
	Try bool
	// Began is when it was called, by the locker's clock.
	Began time.Time
	// Tries is how many requests for the lock it has sent so far.
	Tries int
	// Held is when the request was sent that got the lock, Until the end of the
	// validity as it was then; both are zero if none has.
	Held, Until time.Time

	clock    clockwork.Clock
	deadline time.Time // when it gives up, zero for never

	removed bool  // its record is known to be gone, or never was there
	unsure  error // why it is not known whether a request has removed it, nil if none was lost

	mu     sync.Mutex
	ended  bool   // its lease is known to be lost
	values []kept // a few at most
	onLost []func()
}

// Remaining is how much longer the acquisition may wait; limited is whether
// there is an end to it but for its context's.
func (a *Acquisition) Remaining() (d time.Duration, limited bool) {
	switch {
	case a.Try:
		return 0, true
	case a.deadline.IsZero():
		return 0, false
	}
	return max(a.clock.Until(a.deadline), 0), true
}

// Since is how long ago a time of the acquisition was.
func (a *Acquisition) Since(t time.Time) time.Duration { return a.clock.Since(t) }

// Set keeps something for whoever asks for it with the same key, as a handler
// does between Acquire and Release: with itself as the key.
func (a *Acquisition) Set(key, value any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.values {
		if a.values[i].key == key {
			a.values[i].value = value
			return
		}
	}
	a.values = append(a.values, kept{key, value})
}

// Get is what Set kept, or nil.
func (a *Acquisition) Get(key any) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.values {
		if k.key == key {
			return k.value
		}
	}
	return nil
}

// kept is what somebody keeps with an acquisition.
type kept struct{ key, value any }

// OnLost has f called, once and from any goroutine, when the lease is known to
// be lost before it is released, and before its holder is told; at once if it is
// known by now. f must not block.
func (a *Acquisition) OnLost(f func()) {
	a.mu.Lock()
	ended := a.ended
	if !ended {
		a.onLost = append(a.onLost, f)
	}
	a.mu.Unlock()
	if ended {
		f()
	}
}

// lost calls those who want to know.
func (a *Acquisition) lost() {
	a.mu.Lock()
	a.ended = true
	list := a.onLost
	a.onLost = nil
	a.mu.Unlock()
	for _, f := range list {
		f()
	}
}
