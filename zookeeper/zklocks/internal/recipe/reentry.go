package recipe

import (
	"context"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Owned has the holds of named owners of a re-entrant lock.
type Owned struct {
	mu    sync.Mutex // never held while anything is waited for
	holds map[string]*Hold
}

// A Hold is an owner's possession of a lock, from its first acquisition to its last
// release. Its leases are released by one goroutine at a time, as the owner's calls are.
type Hold struct {
	*Lease
	owner string
	of    *Owned
	count map[string]int // acquisitions that are not released, by their kind
}

// HoldOf returns what the owner holds, or nil. An empty name is no owner. A lost hold is not
// entered again: its node is removed.
func (o *Owned) HoldOf(owner string) *Hold {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.holds[owner]
	if h == nil || !h.isLost() {
		return h
	}
	delete(o.holds, owner)
	h.left = h.entry.leave()
	return nil
}

// Keep remembers a first acquisition.
func (o *Owned) Keep(owner string, l *Lease) *Hold {
	h := &Hold{Lease: l, owner: owner, of: o, count: map[string]int{}}
	if owner == "" {
		return h
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.holds == nil {
		o.holds = map[string]*Hold{}
	}
	o.holds[owner] = h
	return h
}

func (o *Owned) forget(h *Hold) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.holds[h.owner] == h {
		delete(o.holds, h.owner)
	}
}

// isLost checks the clock as well: after a pause a process may call it before the timer that closes the channel fires.
func (h *Hold) isLost() bool {
	select {
	case <-h.claim.lost:
		return true
	default:
		return h.entry.session.ended(h.claim)
	}
}

// Has reports whether an acquisition of the given kind is not released.
func (h *Hold) Has(kind string) bool { return h.count[kind] > 0 }

// Enter returns one more acquisition of the given kind.
func (h *Hold) Enter(kind string) *Entered {
	h.count[kind]++
	return &Entered{Hold: h, kind: kind}
}

// Entered is one acquisition of a hold.
type Entered struct {
	*Hold
	kind  string
	given bool
}

// Release gives this acquisition up, and the lock with the last one, as a [Lease]
// does.
func (e *Entered) Release(ctx context.Context) error {
	if e.given && e.Hold.left == nil {
		return lock.ErrNotHeld
	}
	if !e.given {
		e.given = true
		if e.count[e.kind]--; e.count[e.kind] == 0 {
			delete(e.count, e.kind)
		}
	}
	if len(e.count) > 0 {
		if e.isLost() {
			return lock.ErrNotHeld
		}
		return nil
	}
	e.of.forget(e.Hold)
	return e.Hold.Lease.Release(ctx)
}

// TimedEntered is one acquisition of a hold that ends by the clock.
type TimedEntered struct{ *Entered }

// Until returns the end of the validity of the whole hold, which grows while the leader
// answers.
func (e TimedEntered) Until() time.Time { return TimedLease{e.Hold.Lease}.Until() }
