package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim"
)

// Contenders returns the connections whose transaction waits for a lock on a row, in the order of their
// logins, and the one whose statement asks for such locks, if that is about to arrive. A statement
// whose transaction already has all locks that it needs does not count.
func (n *Node) Contenders(e sim.Upcoming) (list []*sim.Conn) {
	if n.Hangs() {
		return nil
	}
	conns := n.world.Network().Conns(n.Actor)
	for _, s := range n.sessions {
		if s.conn == nil {
			continue
		}
		arrives := e.Conn() != nil && e.Conn().ID() == s.conn.sock.ID() && s.locks(e.Data())
		if !arrives && !s.WaitsForLock() {
			continue
		}
		if i := slices.IndexFunc(conns, func(c *sim.Conn) bool { return c.ID() == s.conn.sock.ID() }); i >= 0 {
			list = append(list, conns[i])
		}
	}
	return list
}

// Deadlock ends the transaction of a connection as if it were in a deadlock with transactions of
// another program: by a separate event if it waits for a lock on a row, and otherwise when its
// statement, which is about to arrive, asks for one. In InnoDB every transaction that asks for a
// lock can be the victim, even with its first statement: others may wait behind it.
func (n *Node) Deadlock(c *sim.Conn) {
	s := n.session(int64(c.ID()))
	if s == nil {
		return
	}
	if !s.WaitsForLock() {
		s.Doomed = true
		return
	}
	n.world.At(n.Actor, n.world.Now(), sim.EventWork, sim.EventOptions{}, func() {
		n.do(func() {
			if s.WaitsForLock() {
				s.Refused(nil)
				s.Abort(sql.ErrDeadlock)
				n.data.Settle()
			}
		})
	})
}

// locks reports whether a request is a statement that locks rows.
func (s *session) locks(request []byte) bool {
	_, body, _, whole, err := cutPacket(request)
	if err != nil || !whole || len(body) == 0 || s.Busy() {
		return false
	}
	var st sql.Statement
	switch body[0] {
	case comQuery:
		p, err := s.node.cluster.parse(string(body[1:]))
		if err != nil {
			return false
		}
		st = p.Statement
	case comStmtExecute:
		id := (&decoder{rest: body[1:]}).uint32()
		i := slices.IndexFunc(s.conn.prepared, func(p *prepared) bool { return p.id == id })
		if i < 0 {
			return false
		}
		st = s.conn.prepared[i].Statement
	}
	return s.LocksRows(st)
}
