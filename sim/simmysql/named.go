package simmysql

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// namedLock is a lock of GET_LOCK.
type namedLock struct {
	name  string
	owner *session
	count int // how often its owner has got it and not given it back
	queue []*namedWait
	since int64 // the revision at which its owner got it
	got   model.Origin
}

// namedWait is a session's place in the queue for a named lock.
type namedWait struct {
	lock    *namedLock
	session *session
	got     bool
}

// longestName is the longest name of a lock, in bytes.
const longestName = 64

// lockName is the name of a lock. Case does not matter.
func lockName(v value) (string, error) {
	switch {
	case v.kind == null:
		return "", nil
	case len(v.String()) > longestName:
		return "", fail(1059, "42000", "Identifier name '%s' is too long", v.String())
	}
	return strings.ToLower(v.String()), nil
}

// getLock is GET_LOCK: 1 if the session has the lock, 0 after the time-out, NULL for a name
// that is NULL.
func (x *execution) getLock(args []value) (value, error) {
	s := x.session
	if w := x.named; w != nil && w.got {
		x.named = nil
		return intValue(1), nil
	}
	name, err := lockName(args[0])
	if err != nil || name == "" || args[1].kind == null || args[1].number() < 0 {
		return value{}, err
	}
	if x.named != nil { // it was woken, and the lock is not there
		x.leaveQueue()
		if x.interrupted {
			return value{}, nil
		}
		return intValue(0), nil // the time is over
	}
	l := s.node.named(name)
	switch {
	case l.owner == s:
		l.count++
		return intValue(1), nil
	case l.owner == nil && len(l.queue) == 0:
		l.take(s)
		return intValue(1), nil
	case args[1].number() < 0.5:
		return intValue(0), nil
	}
	w := &namedWait{lock: l, session: s}
	s.observeWait(NamedLockKey(l.name))
	if w.closesCircle() {
		s.observeWaited(model.WaitRefused)
		return value{}, errDeadlock
	}
	l.queue = append(l.queue, w)
	x.named = w
	s.waitFor(seconds(args[1].number()), "a wait is over", s.wake)
	return value{}, errWait
}

// closesCircle reports whether the owner of the lock waits for a lock of the session, if through
// others. Who has got what it has waited for waits no longer.
func (w *namedWait) closesCircle() bool {
	for o := w.lock.owner; o != nil && o.current != nil && o.current.named != nil && !o.current.named.got; {
		o = o.current.named.lock.owner
		if o == w.session {
			return true
		}
	}
	return false
}

// leaveQueue gives up the statement's place in the queue for a named lock, if it has one.
func (x *execution) leaveQueue() {
	if w := x.named; w != nil {
		w.session.observeWaited(model.WaitEnded)
		w.lock.queue = slices.DeleteFunc(w.lock.queue, func(o *namedWait) bool { return o == w })
		x.named = nil
	}
}

// take gives a session a lock that is free.
func (l *namedLock) take(s *session) {
	l.owner, l.count = s, 1
	s.named = append(s.named, l)
	l.observeTaken()
}

// free gives the lock to the next who waits for it.
func (l *namedLock) free(end *ending) {
	l.observeFreed(end)
	s := l.owner
	s.named = slices.DeleteFunc(s.named, func(o *namedLock) bool { return o == l })
	l.owner, l.count = nil, 0
	if len(l.queue) > 0 {
		w := l.queue[0]
		l.queue = l.queue[1:]
		w.got = true
		w.session.observeWaited(model.WaitGranted)
		l.take(w.session)
		w.session.wake()
	}
}

// named is a named lock of the server.
func (n *Node) named(name string) *namedLock {
	l := n.locks[name]
	if l == nil {
		l = &namedLock{name: name}
		n.locks[name] = l
	}
	return l
}

// releaseLock is RELEASE_LOCK: 1 if the session had the lock, 0 if another has it, NULL if nobody has.
func (x *execution) releaseLock(args []value) (value, error) {
	name, err := lockName(args[0])
	if err != nil || name == "" {
		return value{}, err
	}
	l := x.session.node.named(name)
	switch {
	case l.owner == nil:
		return value{}, nil
	case l.owner != x.session:
		return intValue(0), nil
	}
	if l.count--; l.count == 0 {
		l.free(&ending{by: x.session.origin()})
	}
	return intValue(1), nil
}

// releaseAllLocks is RELEASE_ALL_LOCKS: how many the session had, with those it had got again.
func (x *execution) releaseAllLocks([]value) (value, error) {
	s, count := x.session, 0
	for len(s.named) > 0 {
		l := s.named[len(s.named)-1]
		count += l.count
		l.free(&ending{by: s.origin()})
	}
	return intValue(count), nil
}

// isFreeLock is IS_FREE_LOCK.
func (x *execution) isFreeLock(args []value) (value, error) {
	name, err := lockName(args[0])
	if err != nil || name == "" {
		return value{}, err
	}
	return boolValue(x.session.node.named(name).owner == nil), nil
}

// isUsedLock is IS_USED_LOCK: the connection that has the lock.
func (x *execution) isUsedLock(args []value) (value, error) {
	name, err := lockName(args[0])
	if err != nil || name == "" {
		return value{}, err
	}
	if o := x.session.node.named(name).owner; o != nil {
		return intValue(o.id), nil
	}
	return value{}, nil
}

// sleep is SLEEP: 1 if it was interrupted.
func (x *execution) sleep(args []value) (value, error) {
	if x.slept || args[0].number() <= 0 {
		x.slept = false
		return boolValue(x.interrupted), nil
	}
	x.slept = true
	x.session.waitFor(seconds(args[0].number()), "a wait is over", x.session.wake)
	return value{}, errWait
}
