package simpgbouncer

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// clientState is what a client does.
type clientState int

// The states of clients.
const (
	clientLogin         clientState = iota // it has not sent its start-up message
	clientActive                           // it may send
	clientWaits                            // for a server connection; what it sends is not read
	clientWaitsToCancel                    // it wants to cancel another client's query
	clientCancels                          // its cancel request has been forwarded
	clientGone
	clientStates
)

// client is the connection of a client.
type client struct {
	pooler *Pooler
	sock   *sim.ServerConn
	pool   *pool // nil until it has logged in
	state  clientState
	server *backend

	arrived []byte // not read yet
	in      []byte // read, and not handled yet
	out     []byte // handled, and not sent to the server yet
	ended   bool   // its end of the connection has arrived
	paused  bool   // the pooler does not read
	task    *sim.Task

	vars          vars
	awaitsWelcome bool
	waitName      string // of its wait in notes; empty if it does not wait
	key           [8]byte
	expects       int // answers to Query and Sync
	since         time.Duration
	lastRequest   time.Duration
	queryStart    time.Duration // of the query that is not answered yet, if it has any
	querying      bool

	commits bool // the answer to its present query says that changes were made
	reports bool // what was sent to it last says that they are committed

	victim *backend // of a cancel request: the server connection whose query it is about
}

var (
	_ sim.Handler = (*client)(nil)
	_ sim.Owing   = (*client)(nil)
)

// accept handles a new connection.
func (p *Pooler) accept(s *sim.ServerConn) sim.Handler {
	c := &client{pooler: p, sock: s, since: p.now(), lastRequest: p.now()}
	p.clients = append(p.clients, c)
	p.logins = append(p.logins, c)
	p.plan()
	return c
}

// Receive is the arrival of data.
func (c *client) Receive(data []byte, t *sim.Task) {
	c.pooler.do(func() {
		if c.state != clientGone {
			c.arrived, c.task = append(c.arrived, data...), t
			c.read()
		}
	})
}

// Gone is the arrival of the connection's end.
func (c *client) Gone() {
	if c.state == clientGone {
		return
	}
	c.pooler.do(func() {
		if c.state != clientGone {
			c.ended = true
			c.read()
		}
	})
}

// Owes reports whether a request is not answered yet.
func (c *client) Owes() bool { return c.expects > 0 || len(c.in)+len(c.arrived) > 0 }

// read reads what has arrived, unless the client is paused. If nothing but the connection's end has arrived, what was read
// before is not handled any more.
func (c *client) read() {
	if c.paused || c.state == clientGone {
		return
	}
	some := len(c.arrived) > 0
	c.in, c.arrived = append(c.in, c.arrived...), nil
	if some || !c.ended {
		c.handleAll()
	}
	if c.ended && !c.paused && c.state != clientGone {
		c.disconnect(false, "client unexpected eof")
	}
}

// handleAll handles the messages that were read, and forwards them together.
func (c *client) handleAll() {
	for len(c.in) > 0 {
		m, whole, bad := cut(c.in)
		if bad {
			c.disconnect(true, "bad packet header")
			return
		}
		if !whole {
			break
		}
		if !c.handle(m) {
			return
		}
		c.in = c.in[len(m.raw):]
	}
	if len(c.out) > 0 && c.server != nil {
		c.server.send(request{c.out, c.task, c.sock})
	}
	c.out = nil
}

// handle handles a message. If it returns false, the client waits with it, or is gone.
func (c *client) handle(m message) bool {
	c.lastRequest = c.pooler.now()
	if c.state == clientLogin {
		return c.login(m)
	}
	if c.awaitsWelcome {
		return c.finishLogin()
	}
	return c.work(m)
}

// work handles a message of a client that has logged in.
func (c *client) work(m message) bool {
	answers := 0
	switch m.kind {
	case 'Q', 'F', 'S': // Query, FunctionCall, Sync
		answers = 1
	case 'H', 'c', 'f', 'P', 'E', 'C', 'B', 'D', 'd': // Flush, CopyDone, CopyFail, Parse, Execute, Close, Bind, Describe, CopyData
	case 'X':
		c.disconnect(false, "client close request")
		return false
	default:
		c.disconnect(true, "unknown pkt")
		return false
	}
	if !c.querying {
		c.querying, c.queryStart = true, c.pooler.now()
	}
	if !c.findServer() {
		return false
	}
	c.expects += answers
	c.server.ready, c.server.inTransaction = false, false
	c.out = append(c.out, m.raw...)
	return true
}

// enter changes the client's state.
func (c *client) enter(s clientState) {
	if c.state == clientLogin {
		c.pooler.logins = slices.DeleteFunc(c.pooler.logins, func(o *client) bool { return o == c })
	} else {
		old := &c.pool.clients[c.state]
		*old = slices.DeleteFunc(*old, func(o *client) bool { return o == c })
	}
	if c.state = s; s == clientGone {
		c.pooler.clients = slices.DeleteFunc(c.pooler.clients, func(o *client) bool { return o == c })
		return
	}
	c.pool.clients[s] = append(c.pool.clients[s], c)
}

// wait puts the client at the end of the queue. It is not read until it wakes.
func (c *client) wait() {
	c.enter(clientWaits)
	c.paused = true
	c.showWait()
}

// wake lets the client go on.
func (c *client) wake() {
	c.enter(clientActive)
	c.goOn()
}

// goOn ends the pause of the client.
func (c *client) goOn() {
	c.paused = false
	c.read()
}

// disconnect ends the client's connection. A server connection that it has is given back, unless it is not ready for
// another client. With notify the client gets the reason as an error.
func (c *client) disconnect(notify bool, reason string) {
	if c.state == clientGone {
		return
	}
	if b := c.server; b != nil && c.state == clientActive {
		switch {
		case !b.ready:
			b.client, c.server = nil, nil
			b.showClosed(c, "client disconnect while server was not ready")
			b.disconnect(true, "client disconnect while server was not ready")
		case len(b.in) > 0:
			b.client, c.server = nil, nil
			b.disconnect(true, "client disconnect before everything was sent to the server")
		default:
			b.release()
		}
	}
	if c.state == clientWaitsToCancel || c.state == clientCancels {
		c.leaveVictim()
	}
	c.showWaited(waitEnded)
	quiet := c.state == clientWaitsToCancel
	c.enter(clientGone)
	if notify && !quiet {
		c.sock.Send(0, poolerError(reason), c.task)
	}
	c.sock.Close()
}
