package simpostgres

import (
	"encoding/binary"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/sim"
)

// cancel handles a request to cancel the statement of another connection, which is named by its process id and the key that
// only its client knows. It is not answered.
func (c *conn) cancel(body []byte) {
	if len(body) < 8 {
		return
	}
	s := c.node.session(int32(binary.BigEndian.Uint32(body)))
	if s != nil && s.secret == binary.BigEndian.Uint32(body[4:]) {
		s.interrupt(errCanceled())
	}
}

// errCanceled is the error of a statement that a user cancels.
func errCanceled() *pgerror.Error {
	return pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request")
}

// errTerminated is the last message of a session that pg_terminate_backend ends.
func errTerminated() *pgerror.Error {
	return pgerror.Fatal(pgerror.AdminShutdown, "terminating connection due to administrator command")
}

// interrupt ends what the session's statement waits for. It does nothing if none waits: the signal has come too late.
func (s *session) interrupt(err error) {
	switch {
	case s.parked == "":
	case s.sleeps:
		s.ended = err
		s.wakeUp()
	default:
		s.back.Interrupt(err)
	}
}

// wakeUp lets a session that sleeps go on at the end of the event.
func (s *session) wakeUp() {
	s.sleeps = false
	s.node.rested = append(s.node.rested, s)
}

// settle continues what the event has woken.
func (n *Node) settle() {
	n.data.Settle()
	for len(n.rested) > 0 {
		s := n.rested[0]
		n.rested = n.rested[1:]
		s.Resume()
		n.data.Settle()
	}
}

// terminate ends the session, as pg_terminate_backend does. A statement that waits fails. A commit that waits for standbys
// has taken place, and is not answered.
func (s *session) terminate(by model.Origin) {
	if s.ending != nil {
		return
	}
	end := &storage.Ending{Kind: model.RecordDeleted, By: by}
	if !s.running() {
		s.expel(errTerminated(), end)
		return
	}
	s.ending = end
	s.interrupt(errTerminated())
}

// Terminate is pg_terminate_backend.
func (s *session) Terminate(pid int32) (bool, error) {
	switch o := s.node.session(pid); o {
	case nil:
		return false, nil
	case s:
		s.ending = &storage.Ending{By: s.Origin()} // when the statement has been carried out
		return true, nil
	default:
		o.terminate(s.Origin())
		return true, nil
	}
}

// Cancel is pg_cancel_backend.
func (s *session) Cancel(pid int32) (bool, error) {
	switch o := s.node.session(pid); o {
	case nil:
		return false, nil
	case s:
		return false, errCanceled()
	default:
		o.interrupt(errCanceled())
		return true, nil
	}
}

// BlockedBy is pg_blocking_pids: those that keep a process from a lock.
func (s *session) BlockedBy(pid int32) []int32 {
	if o := s.node.session(pid); o != nil {
		return o.back.BlockedBy()
	}
	return nil
}

// Terminate ends a connection's session, as pg_terminate_backend by an administrator does: FATAL 57P01.
// It reports whether there is such a session.
func (n *Node) Terminate(on *sim.Conn) bool {
	for _, c := range n.conns {
		if c.isFrom(on) && c.session != nil {
			n.Do(func() {
				c.session.terminate(model.Origin{})
				n.settle()
			})
			return true
		}
	}
	return false
}

// Sessions returns the process ids of the node's sessions, in the order of their logins, for [Node.TerminatePID]. Those
// of a pooler's connections are among them.
func (n *Node) Sessions() (pids []int32) {
	for _, s := range n.sessions {
		pids = append(pids, s.pid)
	}
	return pids
}

// TerminatePID is [Node.Terminate] for a session by its process id.
func (n *Node) TerminatePID(pid int32) bool {
	s := n.session(pid)
	if s == nil {
		return false
	}
	n.Do(func() {
		if !s.closed {
			s.terminate(model.Origin{})
		}
		n.settle()
	})
	return true
}
