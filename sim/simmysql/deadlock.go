package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// resolveDeadlock ends a circle of transactions that wait for each other, if the transaction, which
// begins to wait, closes one. The one with the least to lose is rolled back: InnoDB counts
// the changes that it has made and its locks, as far as they differ in kind. Of equals it
// is the transaction itself.
func (t *txn) resolveDeadlock() error {
	for t.waits != nil {
		circle := t.circle()
		if circle == nil {
			return nil
		}
		victim := t
		for _, o := range circle {
			if o.weight() < victim.weight() {
				victim = o
			}
		}
		if victim == t {
			return errDeadlock
		}
		victim.session.observeWaited(model.WaitRefused)
		victim.session.abort(errDeadlock)
	}
	return nil
}

// resolveDeadlocks ends the circles that have come about since transactions wait for others than
// before.
func (n *Node) resolveDeadlocks() {
	for len(n.moved) > 0 {
		t := n.moved[0]
		n.moved = n.moved[1:]
		if err := t.resolveDeadlock(); err != nil {
			t.session.observeWaited(model.WaitRefused)
			t.session.abort(err)
		}
	}
}

// circle are the transactions that wait for each other, from this one; nil if it is
// in no circle.
func (t *txn) circle() []*txn {
	list := []*txn{t}
	for o := t.blocker; o != nil && o.waits != nil && len(list) <= len(t.session.node.sessions); o = o.blocker {
		if o == t {
			return list
		}
		list = append(list, o)
	}
	return nil
}

// structure is what InnoDB keeps of a transaction's locks of one kind: one for those on a page, and tables count
// as one page each.
type structure struct {
	index *index
	mode  mode
	waits bool
}

// structureFor is the structure that a lock on a record is kept in: that of the others of its kind, but a
// new one if it waits, or if anybody waits for the record.
func (t *txn) structureFor(e *entry, m mode, waits bool) *structure {
	if e.row == nil { // all locks on the end are on its gap
		m &^= gap | recordOnly
	}
	if !waits && !slices.ContainsFunc(e.locks, func(l *lock) bool { return l.waiting }) {
		similar := func(s *structure) bool { return s.index == e.index && s.mode == m && !s.waits }
		if i := slices.IndexFunc(t.structures, similar); i >= 0 {
			return t.structures[i]
		}
	}
	s := &structure{e.index, m, waits}
	t.structures = append(t.structures, s)
	return s
}

// forget drops the structure of a wait that has ended without the lock. Others stay until the transaction
// ends, also when no lock is left in them.
func (t *txn) forget(s *structure) {
	t.structures = slices.DeleteFunc(t.structures, func(o *structure) bool { return o == s })
}

// weight is how much is lost if the transaction is rolled back: its changes and, as InnoDB keeps them, the
// structures of its locks.
func (t *txn) weight() int { return len(t.undo) + len(t.intentions) + len(t.structures) }

// intention is a transaction's intention to lock rows of a table. It hinders nobody, and
// counts as a lock.
type intention struct {
	table *table
	mode  mode
}

// intend notes that the transaction is going to lock rows of a table.
func (t *txn) intend(tab *table, m mode) {
	stronger := func(i intention) bool { return i.table == tab && i.mode&exclusive >= m&exclusive }
	if !slices.ContainsFunc(t.intentions, stronger) {
		t.intentions = append(t.intentions, intention{tab, m})
	}
}

// Contenders are the connections whose transaction waits for a lock on a row, in the order of their
// logins, and the one whose statement asks for such locks, if that is about to arrive. A statement
// that needs no lock which its transaction does not have is none.
func (n *Node) Contenders(e sim.Upcoming) (list []*sim.Conn) {
	if n.Hangs() {
		return nil
	}
	conns := n.world.Network().Conns(n.Actor)
	for _, s := range n.sessions {
		if s.conn == nil {
			continue
		}
		arrives := e.Conn != nil && e.Conn.ID() == s.conn.sock.ID() && s.locks(e.Data)
		if !arrives && !s.waitsForRow() {
			continue
		}
		if i := slices.IndexFunc(conns, func(c *sim.Conn) bool { return c.ID() == s.conn.sock.ID() }); i >= 0 {
			list = append(list, conns[i])
		}
	}
	return list
}

// Deadlock ends the transaction of a connection as if it were in a deadlock with transactions of
// another program: by an event of its own if it waits for a lock on a row, and otherwise when its
// statement, which is about to arrive, asks for one. In InnoDB every transaction that asks for a
// lock can be the victim, the first statement of one as well: others may wait behind it.
func (n *Node) Deadlock(c *sim.Conn) {
	s := n.session(int64(c.ID()))
	if s == nil {
		return
	}
	if !s.waitsForRow() {
		s.doomed = true
		return
	}
	n.world.At(n.Actor, n.world.Now(), sim.EventWork, sim.EventOptions{}, func() {
		n.do(func() {
			if s.waitsForRow() {
				s.observeWaited(model.WaitRefused)
				s.abort(errDeadlock)
				n.wakeAll()
			}
		})
	})
}

// waitsForRow reports whether the session's statement waits for a lock on a row.
func (s *session) waitsForRow() bool {
	return s.current != nil && s.txn != nil && s.txn.waits != nil
}

// locks reports whether a request is a statement that locks rows.
func (s *session) locks(request []byte) bool {
	_, body, _, whole, err := cutPacket(request)
	if err != nil || !whole || len(body) == 0 || s.current != nil {
		return false
	}
	var st statement
	switch body[0] {
	case comQuery:
		p, err := s.node.cluster.parse(string(body[1:]))
		if err != nil {
			return false
		}
		st = p.statement
	case comStmtExecute:
		id := (&decoder{rest: body[1:]}).uint32()
		i := slices.IndexFunc(s.conn.prepared, func(p *prepared) bool { return p.id == id })
		if i < 0 {
			return false
		}
		st = s.conn.prepared[i].statement
	}
	switch st := st.(type) {
	case *insertion, *updating, *deletion:
		return true
	case *selection:
		return st.locking != lockNothing
	}
	return false
}
