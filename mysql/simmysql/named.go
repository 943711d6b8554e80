package simmysql

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// longestName is the longest name of a lock, in bytes.
const longestName = 64

// lockName returns the name of a lock. Case does not matter.
func lockName(v sql.Value) (string, error) {
	switch {
	case v.Kind == sql.Null:
		return "", nil
	case len(v.String()) > longestName:
		return "", fail(1059, "42000", "Identifier name '%s' is too long", v.String())
	}
	return strings.ToLower(v.String()), nil
}

// getLock is GET_LOCK: 1 if the session has the lock, 0 after the time-out, NULL for a name
// that is NULL.
func getLock(x *sql.Execution, args []sql.Value) (sql.Value, error) {
	s := sessionOf(x)
	r := &s.request
	if w := r.named; w != nil && w.got {
		r.named = nil
		return sql.IntValue(1), nil
	}
	name, err := lockName(args[0])
	if err != nil || name == "" || args[1].Kind == sql.Null || args[1].Number() < 0 {
		return sql.Value{}, err
	}
	if r.named != nil { // it was woken, and the lock is not there
		r.leaveQueue()
		if r.interrupted {
			return sql.Value{}, nil
		}
		return sql.IntValue(0), nil // the time is over
	}
	l := s.node.named(name)
	switch {
	case l.owner == s:
		l.count++
		return sql.IntValue(1), nil
	case l.owner == nil && len(l.queue) == 0:
		l.take(s)
		return sql.IntValue(1), nil
	case args[1].Number() < 0.5:
		return sql.IntValue(0), nil
	}
	w := &namedWait{lock: l, session: s}
	s.observeWait(NamedLockKey(l.name))
	if circle := w.circle(); circle != nil {
		s.Refused(circle)
		return sql.Value{}, sql.ErrDeadlock
	}
	l.queue = append(l.queue, w)
	r.named = w
	s.WaitFor(sql.Seconds(args[1].Number()), "a wait is over", s.Wake)
	return sql.Value{}, sql.ErrWait
}

// circle returns the sessions that would wait for each other's locks, from this one; nil if the owner of the
// lock does not wait for a lock of the session, if through others. Who has got what it has waited for waits no longer.
func (w *namedWait) circle() []sql.Watcher {
	list := []sql.Watcher{w.session}
	for o := w.lock.owner; o != nil && o.Busy() && o.request.named != nil && !o.request.named.got; {
		list = append(list, o)
		o = o.request.named.lock.owner
		if o == w.session {
			return list
		}
	}
	return nil
}

// leaveQueue gives up the statement's place in the queue for a named lock, if it has one.
func (r *request) leaveQueue() {
	if w := r.named; w != nil {
		w.session.observeWaited(waitEnded)
		w.lock.queue = slices.DeleteFunc(w.lock.queue, func(o *namedWait) bool { return o == w })
		r.named = nil
	}
}

// take gives a session a lock that is free.
func (l *namedLock) take(s *session) {
	l.owner, l.count = s, 1
	s.named = append(s.named, l)
	l.observeTaken()
}

// free gives the lock to the next session that waits for it.
func (l *namedLock) free(end *sql.Ending) {
	l.observeFreed(end)
	s := l.owner
	s.named = slices.DeleteFunc(s.named, func(o *namedLock) bool { return o == l })
	l.owner, l.count = nil, 0
	if len(l.queue) > 0 {
		w := l.queue[0]
		l.queue = l.queue[1:]
		w.got = true
		w.session.observeWaited(waitGranted)
		l.take(w.session)
		w.session.Wake()
	}
}

// named returns a named lock of the server.
func (n *Node) named(name string) *namedLock {
	l := n.locks[name]
	if l == nil {
		l = &namedLock{name: name}
		n.locks[name] = l
	}
	return l
}

// releaseLock is RELEASE_LOCK: 1 if the session had the lock, 0 if another has it, NULL if nobody has.
func releaseLock(x *sql.Execution, args []sql.Value) (sql.Value, error) {
	name, err := lockName(args[0])
	if err != nil || name == "" {
		return sql.Value{}, err
	}
	l := sessionOf(x).node.named(name)
	switch {
	case l.owner == nil:
		return sql.Value{}, nil
	case l.owner != sessionOf(x):
		return sql.IntValue(0), nil
	}
	if l.count--; l.count == 0 {
		l.free(&sql.Ending{By: sessionOf(x).Origin()})
	}
	return sql.IntValue(1), nil
}

// releaseAllLocks is RELEASE_ALL_LOCKS: how many the session had, with those it had got again.
func releaseAllLocks(x *sql.Execution, _ []sql.Value) (sql.Value, error) {
	s, count := sessionOf(x), 0
	for len(s.named) > 0 {
		l := s.named[len(s.named)-1]
		count += l.count
		l.free(&sql.Ending{By: s.Origin()})
	}
	return sql.IntValue(count), nil
}

// isFreeLock is IS_FREE_LOCK.
func isFreeLock(x *sql.Execution, args []sql.Value) (sql.Value, error) {
	name, err := lockName(args[0])
	if err != nil || name == "" {
		return sql.Value{}, err
	}
	return sql.BoolValue(sessionOf(x).node.named(name).owner == nil), nil
}

// isUsedLock is IS_USED_LOCK: the connection that has the lock.
func isUsedLock(x *sql.Execution, args []sql.Value) (sql.Value, error) {
	name, err := lockName(args[0])
	if err != nil || name == "" {
		return sql.Value{}, err
	}
	if o := sessionOf(x).node.named(name).owner; o != nil {
		return sql.IntValue(o.id), nil
	}
	return sql.Value{}, nil
}

// sleep is SLEEP: 1 if it was interrupted.
func sleep(x *sql.Execution, args []sql.Value) (sql.Value, error) {
	s := sessionOf(x)
	r := &s.request
	if r.slept || args[0].Number() <= 0 {
		r.slept = false
		return sql.BoolValue(r.interrupted), nil
	}
	r.slept = true
	s.WaitFor(sql.Seconds(args[0].Number()), "a wait is over", s.Wake)
	return sql.Value{}, sql.ErrWait
}
