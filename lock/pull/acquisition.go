package pull

import (
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// An Acquisition is one call of Acquire or TryAcquire as handlers see it, and later
// its lease. Its fields are read-only. Handlers are called for it one at a time.
type Acquisition struct {
	// Name is the lock's name (RN), Value the acquisition's own value (RV).
	Name, Value string
	// TTL is the lifetime of its record.
	TTL time.Duration
	// Try is set if the call does not wait (TryAcquire).
	Try bool
	// Began is the time of the call, by the locker's clock.
	Began time.Time
	// Tries is the number of requests for the lock so far.
	Tries int
	// Held is the time at which the successful request was sent, and Until the end of
	// the validity that it gave; both are zero if no request has succeeded.
	Held, Until time.Time

	clock    clockwork.Clock
	deadline time.Time // when it gives up, zero for never

	removed bool  // its record is known to be gone, or never was there
	unsure  error // why it is unknown whether a request has removed it; nil if it is known

	mu     sync.Mutex
	ended  bool   // its lease is known to be lost
	values []kept // a few at most
	onLost []func()
}

// Remaining returns how much longer the acquisition may wait; limited reports whether
// there is a limit besides its context.
func (a *Acquisition) Remaining() (d time.Duration, limited bool) {
	switch {
	case a.Try:
		return 0, true
	case a.deadline.IsZero():
		return 0, false
	}
	return max(a.clock.Until(a.deadline), 0), true
}

// Since returns the time that has passed since t, by the locker's clock.
func (a *Acquisition) Since(t time.Time) time.Duration { return a.clock.Since(t) }

// Set stores a value under a key. A handler can keep state between Acquire and
// Release with itself as the key.
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

// Get returns the value stored by Set, or nil.
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

// kept is a value that a handler keeps with an acquisition.
type kept struct{ key, value any }

// OnLost registers f to be called once the lease is known to be lost before its
// release. f is called once, by any goroutine, before the holder is notified. If the
// loss is known already, OnLost itself calls f. f must not block.
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

// lost calls the functions of OnLost.
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
