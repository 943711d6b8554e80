package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// edge is a wait of one backend for another, with the lock for which it waits.
type edge struct {
	waiter, blocker *Backend
	tag             lockTag
	mode            TableMode
}

// deadlockError makes the error about a circle of waits.
func deadlockError(circle []edge) error {
	var lines []string
	for _, e := range circle {
		lines = append(lines, fmt.Sprintf("Process %d waits for %s on %s; blocked by process %d.", e.waiter.pid, e.mode, e.tag, e.blocker.pid))
	}
	err := pgerror.New(pgerror.DeadlockDetected, "deadlock detected").WithHint("See server log for query details.")
	err.Detail = strings.Join(lines, "\n")
	return err
}

// checkDeadlock looks, once the wait has lasted for the deadlock timeout, whether the backend is in a circle. It ends that by
// another order of the queues, if there is one, and otherwise by an error for this backend.
func (b *Backend) checkDeadlock(w *wait) {
	if b.waits != w || w.granted {
		return
	}
	s := &deadlockSearch{}
	if s.isHopeless(b) {
		s.orders = nil
		circle, _ := s.circle(b)
		var list []*Backend
		for _, e := range circle {
			list = append(list, e.waiter)
		}
		b.client.Deadlocked(list)
		b.cancel(deadlockError(circle))
		return
	}
	for _, o := range s.orders {
		o.lock.queue = o.queue
		o.lock.wakeup()
	}
}

// deadlockSearch is PostgreSQL's search for an order of the queues without a circle.
type deadlockSearch struct {
	constraints []edge  // each waiter is to be before its blocker
	orders      []order // that satisfy them
	visited     []*Backend
}

// order is an order of the queue of a lock.
type order struct {
	lock  *lock
	queue []*Backend
}

// isHopeless reports whether no order is without a circle.
func (s *deadlockSearch) isHopeless(b *Backend) bool {
	soft, hard := s.test(b)
	if hard {
		return true
	}
	if len(soft) == 0 {
		return false
	}
	for _, e := range soft {
		s.constraints = append(s.constraints, e)
		if !s.isHopeless(b) {
			return false
		}
		s.constraints = s.constraints[:len(s.constraints)-1]
	}
	return true
}

// test looks for circles with the present constraints. Hard is set if one has no soft edges, or the constraints contradict each
// other; otherwise the result are the soft edges of one circle.
func (s *deadlockSearch) test(start *Backend) (soft []edge, hard bool) {
	if !s.expand() {
		return nil, true
	}
	var from []*Backend
	for _, c := range s.constraints {
		from = append(from, c.waiter, c.blocker)
	}
	for _, b := range append(from, start) {
		circle, found := s.circle(b)
		if circle == nil {
			continue
		}
		if len(found) == 0 {
			return nil, true
		}
		soft = found
	}
	return soft, false
}

// circle returns a circle of waits from a backend, and those of its edges that another order of a queue could reverse.
func (s *deadlockSearch) circle(b *Backend) (all, soft []edge) {
	s.visited = nil
	if !s.follow(b, &all, &soft) {
		return nil, nil
	}
	slices.Reverse(all)
	return all, soft
}

// follow looks for a way back to the first backend, and adds its edges, the last one first.
func (s *deadlockSearch) follow(b *Backend, all, soft *[]edge) bool {
	if i := slices.Index(s.visited, b); i >= 0 {
		return i == 0
	}
	s.visited = append(s.visited, b)
	w := b.waits
	if w == nil || w.granted {
		return false
	}
	l, conflicting := w.lock, conflicts[w.mode]
	for _, h := range l.holdings {
		if h.backend != b && h.mask()&conflicting != 0 && s.follow(h.backend, all, soft) {
			*all = append(*all, edge{b, h.backend, l.tag, w.mode})
			return true
		}
	}
	queue := l.queue
	if i := slices.IndexFunc(s.orders, func(o order) bool { return o.lock == l }); i >= 0 {
		queue = s.orders[i].queue
	}
	for _, o := range queue {
		if o == b {
			break
		}
		if o.waits.mode.bit()&conflicting != 0 && s.follow(o, all, soft) {
			e := edge{b, o, l.tag, w.mode}
			*all, *soft = append(*all, e), append(*soft, e)
			return true
		}
	}
	return false
}

// expand makes the orders of queues that satisfy the constraints. It reports false if there are none.
func (s *deadlockSearch) expand() bool {
	s.orders = nil
	for i := len(s.constraints) - 1; i >= 0; i-- {
		l := s.constraints[i].waiter.waits.lock
		if slices.ContainsFunc(s.orders, func(o order) bool { return o.lock == l }) {
			continue
		}
		queue := l.sorted(s.constraints[:i+1])
		if queue == nil {
			return false
		}
		s.orders = append(s.orders, order{l, queue})
	}
	return true
}

// sorted returns the queue in an order in which the waiter of each constraint is before its blocker, and otherwise as before;
// nil if there is none.
func (l *lock) sorted(constraints []edge) []*Backend {
	rest := slices.Clone(l.queue)
	done := make([]*Backend, len(rest))
	for i := len(done) - 1; i >= 0; i-- {
		j := len(rest) - 1
		for ; j >= 0; j-- {
			must := func(c edge) bool { return c.tag == l.tag && c.waiter == rest[j] && slices.Contains(rest, c.blocker) }
			if !slices.ContainsFunc(constraints, must) {
				break
			}
		}
		if j < 0 {
			return nil
		}
		done[i] = rest[j]
		rest = slices.Delete(rest, j, j+1)
	}
	return done
}
