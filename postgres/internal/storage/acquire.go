package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// wait is a backend's wait for a lock.
type wait struct {
	lock    *lock
	holding *holding
	mode    TableMode
	owner   *xact
	granted bool
	err     error
	timers  []Timer
}

// request asks for a lock.
type request struct {
	tag    lockTag
	mode   TableMode
	owner  *xact // nil for the session
	nowait bool
}

// acquire gets a lock, or waits for it. It reports false if it is not available and the request is not to wait.
func (b *Backend) acquire(r request) (bool, error) {
	l := b.db.locks[r.tag]
	if l == nil {
		l = &lock{tag: r.tag}
		b.db.locks[r.tag] = l
	}
	h := b.holding(r.tag)
	if h == nil {
		h = &holding{backend: b, lock: l}
		b.held = append(b.held, h)
		l.holdings = append(l.holdings, h)
	}
	if h.mask()&r.mode.bit() != 0 {
		h.grant(r.mode, r.owner)
		return true, nil
	}
	if b.Doomed {
		b.Doomed = false
		h.tidy()
		b.client.Deadlocked([]*Backend{b})
		return false, b.inContext(deadlockError(nil))
	}
	var awaited modes
	for _, o := range l.queue {
		awaited |= o.waits.mode.bit()
	}
	switch {
	case awaited&conflicts[r.mode] == 0 && !l.conflicting(b, r.mode):
		h.grant(r.mode, r.owner)
		return true, nil
	case r.nowait:
		h.tidy()
		return false, nil
	}
	return b.sleep(h, r)
}

// sleep waits for a lock in its queue.
func (b *Backend) sleep(h *holding, r request) (bool, error) {
	l := h.lock
	place, granted, with := l.placeFor(h, r.mode)
	switch {
	case with != nil:
		h.tidy()
		b.client.Deadlocked([]*Backend{b, with})
		return false, b.inContext(deadlockError([]edge{{b, with, l.tag, r.mode}, {with, b, l.tag, with.waits.mode}}))
	case granted:
		h.grant(r.mode, r.owner)
		return true, nil
	}
	w := &wait{lock: l, holding: h, mode: r.mode, owner: r.owner}
	b.waits = w
	l.queue = slices.Insert(l.queue, place, b)
	b.client.Waits(b.waitPlace(r.tag))
	w.timers = append(w.timers, b.db.host.After(b.DeadlockTimeout, "a backend looks for deadlocks", func() { b.checkDeadlock(w) }))
	if b.LockTimeout > 0 {
		w.timers = append(w.timers, b.db.host.After(b.LockTimeout, "a wait for a lock has timed out", func() {
			if b.waits == w && !w.granted {
				b.cancel(pgerror.New(pgerror.LockNotAvailable, "canceling statement due to lock timeout"))
			}
		}))
	}
	for !w.granted && w.err == nil {
		if err := b.park("Lock"); err != nil {
			b.cancel(err)
			w.err = err
		}
	}
	b.stopWaiting()
	return w.granted, b.inContext(w.err)
}

// placeFor returns a backend's place in the queue. It is before the first one who would have to wait for what the backend has:
// then the lock may be granted at once, or that one may be in a circle with the backend.
func (l *lock) placeFor(h *holding, mode TableMode) (place int, granted bool, circle *Backend) {
	mine := h.mask()
	if mine == 0 {
		return len(l.queue), false, nil
	}
	var ahead modes
	for i, o := range l.queue {
		if conflicts[o.waits.mode]&mine == 0 {
			ahead |= o.waits.mode.bit()
			continue
		}
		if conflicts[mode]&o.waits.holding.mask() != 0 {
			return 0, false, o
		}
		return i, conflicts[mode]&ahead == 0 && !l.conflicting(h.backend, mode), nil
	}
	return len(l.queue), false, nil
}

// wakeup grants the lock to those in the queue who need not wait any more.
func (l *lock) wakeup() {
	var ahead modes
	for _, b := range slices.Clone(l.queue) {
		w := b.waits
		if conflicts[w.mode]&ahead != 0 || l.conflicting(b, w.mode) {
			ahead |= w.mode.bit()
			continue
		}
		l.leave(b)
		w.granted = true
		w.holding.grant(w.mode, w.owner)
		w.stop()
		b.client.Waited(true)
		b.wake()
	}
}

func (l *lock) leave(b *Backend) {
	l.queue = slices.DeleteFunc(l.queue, func(o *Backend) bool { return o == b })
}

func (w *wait) stop() {
	for _, t := range w.timers {
		t.Stop()
	}
	w.timers = nil
}

// cancel ends the backend's wait for a lock with an error; a lock that was granted before it goes on is kept.
func (b *Backend) cancel(err error) {
	w := b.waits
	if w == nil {
		return
	}
	w.err = err
	if !w.granted {
		b.stopWaiting()
		w.lock.wakeup()
		w.holding.tidy()
	}
	b.wake()
}

// stopWaiting takes the backend out of the queue.
func (b *Backend) stopWaiting() {
	w := b.waits
	if w == nil {
		return
	}
	b.waits = nil
	w.stop()
	if !w.granted {
		w.lock.leave(b)
		b.client.Waited(false)
		w.holding.tidy()
	}
}

// release gives up a lock once. It reports whether the owner had it.
func (b *Backend) release(g lockTag, mode TableMode, owner *xact) bool {
	h := b.holding(g)
	if h == nil {
		return false
	}
	i := slices.IndexFunc(h.grants, func(g grant) bool { return g.mode == mode && g.owner == owner })
	if i < 0 {
		return false
	}
	had := h.mask()
	if h.grants[i].count--; h.grants[i].count == 0 {
		h.grants = slices.Delete(h.grants, i, i+1)
	}
	h.ungranted(had)
	return true
}

// releaseAll gives up the locks of some owners, in the order in which they were first requested, advisory locks last.
func (b *Backend) releaseAll(is func(h *holding, owner *xact) bool) {
	for _, keys := range []bool{false, true} {
		for _, h := range slices.Clone(b.held) {
			if h.lock.tag.isKey != keys {
				continue
			}
			had := h.mask()
			h.grants = slices.DeleteFunc(h.grants, func(g grant) bool { return is(h, g.owner) })
			h.ungranted(had)
		}
	}
}
