package zklocks

import (
	"context"
	"sync"

	"github.com/lockpick-dev/lockpick/lock"
)

// owned is what named owners hold of a lock that they may take again.
type owned struct {
	mu    sync.Mutex // never held while anything is waited for
	holds map[string]*hold
}

// A hold is an owner's possession of a lock, from its first acquisition to its last
// release. Its leases are released by one goroutine at a time, as the owner's calls are.
type hold struct {
	*lease
	owner string
	of    *owned
	count map[string]int // acquisitions that are not released, by their kind
}

// holdOf returns what the owner holds, or nil. Without a name there is no owner. A hold that
// was lost is not entered again: its node is removed.
func (o *owned) holdOf(owner string) *hold {
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

// keep remembers a first acquisition.
func (o *owned) keep(owner string, l *lease) *hold {
	h := &hold{lease: l, owner: owner, of: o, count: map[string]int{}}
	if owner == "" {
		return h
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.holds == nil {
		o.holds = map[string]*hold{}
	}
	o.holds[owner] = h
	return h
}

func (o *owned) forget(h *hold) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.holds[h.owner] == h {
		delete(o.holds, h.owner)
	}
}

func (h *hold) isLost() bool {
	select {
	case <-h.claim.lost:
		return true
	default:
		return false
	}
}

// enter is one more acquisition of the given kind.
func (h *hold) enter(kind string) *entered {
	h.count[kind]++
	return &entered{hold: h, kind: kind}
}

// entered is one acquisition of a hold.
type entered struct {
	*hold
	kind  string
	given bool
}

// Release gives this acquisition up, and the lock with the last one, as a lease of
// [Zookeeper] does.
func (e *entered) Release(ctx context.Context) error {
	if e.given && e.hold.left == nil {
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
	e.of.forget(e.hold)
	return e.hold.lease.Release(ctx)
}
