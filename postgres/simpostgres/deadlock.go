package simpostgres

import (
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/sim"
)

// Contenders returns the connections whose transaction waits for a lock, in the order of their
// logins, and the one whose statement asks for locks on rows, if that is about to arrive.
func (n *Node) Contenders(e sim.Upcoming) (list []*sim.Conn) {
	if n.Hangs() {
		return nil
	}
	conns := n.world.Network().Conns(n.Actor)
	for _, s := range n.sessions {
		i := slices.IndexFunc(conns, s.conn.isFrom)
		if i < 0 {
			continue
		}
		arrives := e.Conn() == conns[i] && s.locks(e.Data())
		if _, _, waits := s.back.Waiting(); arrives || waits && s.parked == "Lock" {
			list = append(list, conns[i])
		}
	}
	return list
}

// Deadlock ends the transaction of a connection as if it were in a deadlock with transactions of
// another program: by a separate event if it waits for a lock, and otherwise when its
// statement, which is about to arrive, asks for one.
func (n *Node) Deadlock(on *sim.Conn) {
	i := slices.IndexFunc(n.sessions, func(s *session) bool { return s.conn.isFrom(on) })
	if i < 0 {
		return
	}
	s := n.sessions[i]
	if s.parked != "Lock" {
		s.back.Deadlock()
		return
	}
	n.world.At(n.Actor, n.world.Now(), sim.EventWork, sim.EventOptions{}, func() {
		n.Do(func() {
			if s.parked == "Lock" && !s.closed {
				s.back.Deadlock()
				n.settle()
			}
		})
	})
}

// locks reports whether messages execute a statement that locks rows.
func (s *session) locks(data []byte) bool {
	if s.running() || s.skips || s.block == failedBlock {
		return false
	}
	parsed, bound := map[string]string{}, map[string]string{}
	for len(data) >= 5 {
		end := 1 + int(binary.BigEndian.Uint32(data[1:]))
		if end < 5 || end > len(data) {
			return false
		}
		kind, body := data[0], data[5:end]
		data = data[end:]
		switch kind {
		case 'Q':
			var m pgproto3.Query
			if m.Decode(body) == nil && s.locksRows(m.String) {
				return true
			}
		case 'P':
			var m pgproto3.Parse
			if m.Decode(body) == nil {
				parsed[m.Name] = m.Query
			}
		case 'B':
			var m pgproto3.Bind
			if m.Decode(body) == nil {
				text, ok := parsed[m.PreparedStatement]
				if p := s.statements[m.PreparedStatement]; !ok && p != nil {
					text = p.text
				}
				bound[m.DestinationPortal] = text
			}
		case 'E':
			var m pgproto3.Execute
			if m.Decode(body) == nil && s.locksRows(bound[m.Portal]) {
				return true
			}
		}
	}
	return false
}

// locksRows reports whether one of the statements of a text locks rows.
func (s *session) locksRows(text string) bool {
	list, err := s.node.cluster.parse(text)
	return err == nil && slices.ContainsFunc(list, func(st syntax.Statement) bool {
		switch t := st.(type) {
		case *syntax.Select:
			return len(t.Locking) > 0
		case *syntax.Update, *syntax.Delete:
			return true
		case *syntax.Insert:
			return t.OnConflict != nil
		}
		return false
	})
}
