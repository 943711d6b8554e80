package sql

import (
	"slices"
	"time"
)

// use begins to use a table until the transaction ends, or waits for it: the error is then ErrWait. When the wait is
// over, the statement asks again. After LOCK TABLES a session does not wait: it cannot use other tables.
func (s *Session) use(name string, u tableUse, p Patience) error {
	if s.locksTables {
		return s.mayUse(name, u)
	}
	return s.claim(name, u, s.tableTimeout(p), false)
}

// tableTimeout returns how long a statement waits for a table.
func (s *Session) tableTimeout(p Patience) time.Duration {
	switch p.Kind {
	case NoWait:
		return 0
	case WaitFor:
		return Seconds(float64(p.Seconds))
	}
	return s.TableWait
}

// mayUse returns an error for uses of tables that LOCK TABLES has not locked for them.
func (s *Session) mayUse(name string, u tableUse) error {
	q := s.db.queue(name)
	locked := false
	for _, c := range s.claims {
		if locked = locked || c.queue == q; c.queue == q && c.use.covers(u) {
			return nil
		}
	}
	if locked {
		return Fail(LockedForReading, name)
	}
	return Fail(NotLocked, name)
}

// claim uses a table, or waits for it, for a time at most.
func (s *Session) claim(name string, u tableUse, most time.Duration, locked bool) error {
	q := s.db.queue(name)
	if slices.ContainsFunc(s.claims, func(c *claim) bool { return c.queue == q && c.use.covers(u) }) {
		return nil
	}
	c := &claim{user: s, table: name, queue: q, use: u, locked: locked}
	if c.hindrances() == nil {
		c.grant()
		return nil
	}
	if most == 0 {
		return Fail(LockTimeout)
	}
	q.waiting = append(q.waiting, c)
	s.awaits = c
	s.client.Waits(c.place())
	if err := s.resolveTables(); err != nil {
		return err
	}
	if s.awaits != nil { // otherwise the victim had it, and the statement was woken
		s.WaitFor(most, "a wait has timed out", func() { s.abort(Fail(LockTimeout)) })
	}
	return ErrWait
}

// LeaveQueue gives up the statement's wait for a table, if it is in one.
func (s *Session) LeaveQueue() {
	if c := s.awaits; c != nil {
		c.leave(false)
		c.queue.grant()
	}
}

// endUses gives up the tables that the transaction has used, from since on, because it has ended, or returns to a
// savepoint. It also gives up those of a LOCK TABLES that has failed.
func (s *Session) endUses(since int) {
	for i := len(s.claims) - 1; i >= since; i-- {
		if i < len(s.claims) && !(s.claims[i].locked && s.locksTables) {
			s.claims[i].release(&Ending{By: s.client.Origin()})
		}
	}
}

// UnlockTables gives up the tables that LOCK TABLES has locked.
func (s *Session) UnlockTables(end *Ending) {
	if !s.locksTables {
		return
	}
	s.locksTables = false
	for _, c := range slices.Clone(s.claims) {
		if c.locked {
			c.release(end)
		}
	}
}

func (s *Session) waitsFor() *claim { return s.awaits }

func (s *Session) left(granted bool) {
	s.awaits = nil
	s.client.Waited(granted)
}

// took notes that the session has a table. Who owns it is observed.
func (s *Session) took(c *claim) {
	s.claims = append(s.claims, c)
	if c.use == owning {
		c.since, c.got = s.db.NextRevision(), s.client.Origin()
		s.client.Locked(c.place(), c.since, c.got)
	}
}

func (s *Session) gave(c *claim, end *Ending) {
	s.claims = slices.DeleteFunc(s.claims, func(o *claim) bool { return o == c })
	if c.since != 0 {
		s.client.Unlocked(c.place(), c.since, c.got, end)
	}
}

// resolveTables ends a circle of sessions that wait for each other's tables, if the session, which begins to wait,
// closes one. A session that only reads or writes rows gives up; of equals it is the session itself. A session that has
// used no table yet does not fail, but asks again, behind the others.
func (s *Session) resolveTables() error {
	for s.awaits != nil {
		circle := s.awaits.circle(nil)
		if circle == nil {
			return nil
		}
		victim := 0
		for i, c := range circle {
			if c.weight() < circle[victim].weight() {
				victim = i
			}
		}
		if victim == 0 {
			refuseTable(circle)
			return ErrDeadlock
		}
		if o := circle[victim].user.(*Session); len(o.claims) == 0 && circle[victim].weight() == 0 {
			o.LeaveQueue()
			o.Wake()
		} else {
			refuseTable(slices.Concat(circle[victim:], circle[:victim]))
			o.abort(ErrDeadlock)
		}
	}
	return nil
}

// refuseTable reports that the first wait of a circle is refused.
func refuseTable(circle []*claim) {
	sessions := make([]Watcher, len(circle))
	for i, c := range circle {
		sessions[i] = c.user.(*Session).client
	}
	sessions[0].Refused(sessions)
}
