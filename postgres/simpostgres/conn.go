package simpostgres

import (
	"encoding/binary"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/sim"
)

var (
	_ sim.Handler = (*conn)(nil)
	_ sim.Owing   = (*conn)(nil)
)

// accept handles a new connection.
func (n *Node) accept(t Transport) sim.Handler {
	c := &conn{node: n, link: t}
	n.conns = append(n.conns, c)
	return c
}

// Receive handles the messages that have arrived whole, one after the other: a statement
// that waits delays the messages after it.
func (c *conn) Receive(data []byte, t *sim.Task) {
	by := c.link.Origin(t)
	c.node.Do(func() {
		if c.closed {
			return
		}
		c.in, c.task, c.origin = append(c.in, data...), t, by
		c.proceed()
		c.node.settle()
	})
}

// proceed handles what has arrived, until a statement waits.
func (c *conn) proceed() {
	for !c.closed && c.session == nil {
		if !c.startup() {
			return
		}
	}
	if !c.closed && !c.busy() && c.whole() {
		c.session.turn()
	}
}

// busy reports whether a statement of the client is being executed.
func (c *conn) busy() bool { return c.session != nil && c.session.running() }

// Owes reports whether a request is not answered yet.
func (c *conn) Owes() bool { return c.busy() || len(c.in) > 0 || len(c.out) > 0 }

// The longest messages that are accepted, as PostgreSQL limits them: of a startup, and of others.
const (
	longestStartup = 10000
	longest        = 1<<30 - 1
)

// whole reports whether the next message has arrived, or something that is none.
func (c *conn) whole() bool {
	switch {
	case len(c.in) > 0 && !isRequest(c.in[0]):
		return true
	case len(c.in) < 5:
		return false
	}
	length := binary.BigEndian.Uint32(c.in[1:])
	return length < 4 || length > longest || len(c.in) > int(length)
}

// next takes the next message off what has arrived. The result is false if it has not arrived whole.
func (c *conn) next() (kind byte, body []byte, ok bool, err error) {
	if !c.whole() {
		return 0, nil, false, nil
	}
	if kind = c.in[0]; !isRequest(kind) {
		return 0, nil, false, pgerror.Fatal(pgerror.ProtocolViolation, "invalid frontend message type %d", kind)
	}
	length := int(binary.BigEndian.Uint32(c.in[1:]))
	if length < 4 || length > longest {
		return 0, nil, false, pgerror.Fatal(pgerror.ProtocolViolation, "invalid message length")
	}
	body = c.in[5 : 1+length]
	c.in = c.in[1+length:]
	return kind, body, true, nil
}

// isRequest reports whether a letter is the type of a message of clients.
func isRequest(kind byte) bool { return slices.Contains([]byte("QPBDECSHXFdcf"), kind) }

// Gone handles the end of the connection, from either side. A server that hangs first handles what
// has arrived before. A session whose statement waits does not read from the connection
// (client_connection_check_interval is 0): the statement keeps its place and its effects, what the client has sent
// after it is carried out as well, and the session ends when it reads the end.
func (c *conn) Gone() {
	c.node.Do(func() {
		c.gone = true
		if !c.closed && !c.busy() {
			c.leave(c.loss())
		}
		c.node.settle()
	})
}

// loss returns how locks end with a connection that the client's side has ended.
func (c *conn) loss() *storage.Ending {
	return &storage.Ending{Kind: model.RecordExpired, Broken: c.link.Broken()}
}

// leave ends the session and the connection. It must not be called by the session's own statement.
func (c *conn) leave(end *storage.Ending) {
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
	c.flush()
	c.closed = true
	c.node.conns = slices.DeleteFunc(c.node.conns, func(o *conn) bool { return o == c })
	if !c.gone {
		c.link.Close()
	}
}

// send adds a message to those that are sent with the next flush.
func (c *conn) send(m pgproto3.BackendMessage) {
	out, err := m.Encode(c.out)
	if err != nil {
		panic(err) // only a message that is too long
	}
	c.out = out
}

// flush sends the messages.
func (c *conn) flush() {
	if len(c.out) == 0 {
		return
	}
	if !c.gone && !c.closed {
		c.link.Send(0, c.out, c.task)
	}
	c.out, c.reports, c.urgent = nil, false, false
}

// Acknowledges reports whether what the node has sent last on a connection says that a transaction
// was committed: the answer to a COMMIT, or to another statement that has committed changes.
func (n *Node) Acknowledges(on *sim.Conn) bool {
	return slices.ContainsFunc(n.conns, func(c *conn) bool { return c.isFrom(on) && c.reports })
}

// isFrom reports whether the connection is one that a process has dialed.
func (c *conn) isFrom(on *sim.Conn) bool {
	d, ok := c.link.(dialed)
	return ok && d.ID() == on.ID()
}
