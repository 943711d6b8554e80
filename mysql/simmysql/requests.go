package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim"
)

var (
	_ sim.Handler = (*conn)(nil)
	_ sim.Owing   = (*conn)(nil)
)

// accept handles a new connection, and greets the client.
func (n *Node) accept(s *sim.ServerConn) sim.Handler {
	c := &conn{node: n, sock: s}
	n.conns = append(n.conns, c)
	n.do(func() {
		if !c.closed && !c.gone {
			s.Send(0, greeting(serverVersion, int64(s.ID())), nil)
		}
	})
	return c
}

// Receive handles the packets that have arrived whole, one after the other: a statement
// that waits delays the packets after it.
func (c *conn) Receive(data []byte, t *sim.Task) {
	c.node.do(func() {
		c.in, c.task = append(c.in, data...), t
		c.proceed()
		c.node.data.Settle()
	})
}

// proceed handles what has arrived, until a statement waits.
func (c *conn) proceed() {
	for !c.closed && !c.busy() {
		sequence, body, rest, whole, err := cutPacket(c.in)
		if err != nil {
			c.fail(err)
			c.leave(&sql.Ending{Kind: model.RecordExpired})
			return
		}
		if !whole {
			return
		}
		c.in, c.sequence = rest, sequence+1
		if c.session == nil {
			c.login(body)
			continue
		}
		c.session.busy()
		c.command(body)
		if !c.closed && !c.busy() {
			c.session.idles()
		}
	}
}

// busy reports whether a statement of the client is being executed.
func (c *conn) busy() bool { return c.session != nil && c.session.Busy() }

// Owes reports whether a request is not answered yet.
func (c *conn) Owes() bool { return c.busy() || len(c.in) > 0 }

// login makes a session for a client.
func (c *conn) login(body []byte) {
	l, ok := parseLogin(body)
	if !ok {
		c.fail(fail(1043, "08S01", "Bad handshake"))
		c.leave(nil)
		return
	}
	c.node.serve("CONNECT", c.task)
	s := newSession(c.node, int64(c.sock.ID()), c)
	s.user, s.CountsFound = l.user, l.capabilities&canFoundRows != 0
	if l.database != "" {
		if err := s.enter(l.database); err != nil {
			c.fail(err)
			c.leave(nil)
			return
		}
	}
	c.session = s
	c.node.sessions = append(c.node.sessions, s)
	s.observeBegin()
	c.ok(nil, &sql.Result{})
	s.idles()
}

// Gone handles the end of the connection, from either side. A server that hangs first handles what
// has arrived before. A session that waits for a lock on a row does not check the connection: the
// statement keeps its place, and the session ends when it is done. A wait for a named lock does check
// it: see looksAfter.
func (c *conn) Gone() {
	c.node.do(func() {
		c.gone = true
		switch {
		case c.closed:
		case !c.busy():
			c.leave(c.loss())
		case c.session.request.looksAfter() > 0:
			c.notice(&c.session.request)
		}
		c.node.data.Settle()
	})
}

// notice ends a statement whose client is gone, when the statement checks for that.
func (c *conn) notice(r *request) {
	r.looks = c.node.after(r.looksAfter(), c.session.name()+" is gone", func() { c.leave(c.loss()) })
}

// Acknowledges reports whether what the node has sent last on a connection says that a transaction
// was committed: the answer to a COMMIT, or to another statement that has committed changes.
func (n *Node) Acknowledges(on *sim.Conn) bool {
	return slices.ContainsFunc(n.conns, func(c *conn) bool { return c.sock.ID() == on.ID() && c.reports })
}

// Answer answers a statement, and continues with what the client has sent after it. If the client is
// gone, the session ends.
func (s *session) Answer(x *sql.Execution, r *sql.Result, err error) {
	c, binary := s.conn, s.request.binary
	s.request.looks.Stop()
	s.rowCount = -1
	if err == nil && r.Columns == nil {
		s.rowCount = r.Affected
	}
	if c == nil {
		s.outcome = err
		return
	}
	switch {
	case err != nil:
		c.fail(err)
	case r.Columns != nil:
		c.send(func(e *encoder) { e.rows(r, s.status(), s.Warnings, binary) })
	default:
		c.ok(x, r)
	}
	c.reports = x.HasCommitted() && err == nil
	switch {
	case c.gone:
		c.leave(c.loss())
		return
	case s.killed != nil:
		c.leave(s.killed)
		return
	}
	if !s.waited {
		return
	}
	s.waited = false
	s.idles()
	c.proceed()
}
