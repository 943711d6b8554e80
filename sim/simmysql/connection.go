package simmysql

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// conn is a client's connection to a server.
type conn struct {
	node     *Node
	sock     *sim.ServerConn
	in       []byte
	task     *sim.Task // of what came last
	sequence byte      // of the next packet to the client
	closed   bool      // by the server
	gone     bool      // by the client, or lost
	session  *session  // nil until the client has logged in
	prepared []*prepared
	nextID   uint32 // of the next prepared statement
	tells    bool   // what was sent last tells of a commit
}

var (
	_ sim.Handler = (*conn)(nil)
	_ sim.Owing   = (*conn)(nil)
)

// accept takes a new connection, and greets the client.
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

// Receive handles the packets that have arrived whole, one after the other: a
// statement that waits holds up what comes behind it.
func (c *conn) Receive(data []byte, t *sim.Task) {
	c.node.do(func() {
		c.in, c.task = append(c.in, data...), t
		c.proceed()
		c.node.wakeAll()
	})
}

// proceed handles what has come, until a statement waits.
func (c *conn) proceed() {
	for !c.closed && !c.busy() {
		sequence, body, rest, whole, err := cutPacket(c.in)
		if err != nil {
			c.fail(err)
			c.leave(&ending{kind: model.RecordExpired})
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

// busy reports whether a statement of the client is carried out.
func (c *conn) busy() bool { return c.session != nil && c.session.current != nil }

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
	c.node.serve("CONNECT")
	s := newSession(c.node, int64(c.sock.ID()), c)
	s.user, s.foundRows = l.user, l.capabilities&canFoundRows != 0
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
	c.ok(&result{})
	s.idles()
}

// Gone is the end of the connection, from whichever side. A server that hangs handles first what has
// come before. One that waits for a lock on a row does not look at the connection: the statement
// keeps its place, and the session ends when it is done. A wait for a named lock is looked after: see
// looksAfter.
func (c *conn) Gone() {
	c.node.do(func() {
		c.gone = true
		switch {
		case c.closed:
		case !c.busy():
			c.leave(c.loss())
		case c.session.current.looksAfter() > 0:
			c.notice(c.session.current)
		}
		c.node.wakeAll()
	})
}

// Acknowledges reports whether what the node has sent last on a connection says that a transaction
// was committed: the answer to a COMMIT, or to another statement that has committed changes.
func (n *Node) Acknowledges(on *sim.Conn) bool {
	return slices.ContainsFunc(n.conns, func(c *conn) bool { return c.sock.ID() == on.ID() && c.tells })
}

// loss is the end of locks with a connection that has ended at the client's side.
func (c *conn) loss() *ending {
	return &ending{kind: model.RecordExpired, broken: c.sock.Broken()}
}

// looksAfter is how often a statement that waits looks whether its client is still there; 0 if it
// does not.
func (x *execution) looksAfter() time.Duration {
	switch {
	case x.named != nil:
		return time.Second / 2
	case x.slept:
		return 5 * time.Second
	}
	return 0
}

// notice ends a statement whose client is gone, when it looks after that.
func (c *conn) notice(x *execution) {
	x.looks = c.node.after(x.looksAfter(), c.session.name()+" is gone", func() { c.leave(c.loss()) })
}

// leave ends the session and the connection.
func (c *conn) leave(end *ending) {
	if c.session != nil {
		c.session.close(end)
	}
	c.close()
}

// close closes the connection after what was sent.
func (c *conn) close() {
	if c.closed {
		return
	}
	c.closed = true
	c.node.forget(c)
	if !c.gone {
		c.sock.Close()
	}
}

// by is the origin of what a request does.
func (c *conn) by(t *sim.Task) model.Origin {
	o := model.Origin{Client: c.sock.Client().Name(), Conn: c.sock.ID()}
	if t != nil {
		o.Op = t.ID
	}
	return o
}

// send sends what write writes.
func (c *conn) send(write func(*encoder)) {
	e := &encoder{sequence: c.sequence}
	write(e)
	c.sequence = e.sequence
	c.tells = false
	if !c.gone && !c.closed {
		c.sock.Send(0, e.out, c.task)
	}
}

func (c *conn) ok(r *result) {
	c.send(func(e *encoder) { e.ok(r, c.session.status(), c.session.warnings) })
}

func (c *conn) fail(err error) { c.send(func(e *encoder) { e.failure(err) }) }

// answer answers a statement, and goes on to what the client has sent behind it. If the client is gone,
// the session ends.
func (s *session) answer(x *execution, r *result, err error) {
	c := s.conn
	if c == nil {
		s.outcome = err
		return
	}
	switch {
	case err != nil:
		c.fail(err)
	case r.columns != nil:
		c.send(func(e *encoder) { e.rows(r, s.status(), s.warnings, x.binary) })
	default:
		c.ok(r)
	}
	c.tells = x.committed && err == nil
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
