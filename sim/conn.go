package sim

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// Conn is the client's end of a connection, a [net.Conn]. It is safe for
// concurrent use by the goroutines of its process, with at most one reader at
// a time.
type Conn struct {
	process       *Process
	server        *ServerConn
	id            int
	local, remote address
	up, down      pipe // to the server, to the client

	due   time.Duration // the deadline of the latest Read that waits
	begin func()        // startTimer, as a value that is made once

	// The conductor's own.
	timer    *pending // the deadline of a Read that waits, while it is pending
	spare    *pending // its memory
	broken   bool     // a reset is on its way to the client, or has come
	awaiting bool     // the client has sent something, and waits for an answer
	left     bool     // the client has hung up: the end is on its way, or has come

	mu      sync.Mutex
	buf     []byte        // what has arrived and was not read yet
	err     error         // what a reader gets after that: io.EOF or a reset
	closed  bool          // by the client
	expired bool          // the read deadline passed before anything arrived
	waiting bool          // a reader waits for changed
	changed chan struct{} // holds a token when the waiting reader should look again
	gone    chan struct{} // closed by Close
	readBy  deadline
	writeBy deadline
	timeout time.Duration // how far off readBy was when it was set, 0 if it is not set
	freely  bool          // see WritesFreely

	gather gathering
	ahead  [][]byte // what was written in a pause and has not left: see WritesFreely
}

// newConn returns a connection whose server has no handler yet.
func newConn(p *Process, id int, local, remote string, server *Actor) *Conn {
	c := &Conn{process: p, id: id, local: address(local), remote: address(remote), changed: make(chan struct{}, 1), gone: make(chan struct{}), readBy: never, writeBy: never}
	c.server = &ServerConn{conn: c, actor: server}
	c.begin = c.startTimer
	c.up = pipe{world: p.world, from: p.Actor, to: server, conn: c, kind: EventDeliver, lane: 2 * int64(id), arrive: c.server.receive}
	c.down = pipe{world: p.world, from: server, to: p.Actor, conn: c, kind: EventDeliver, lane: 2*int64(id) + 1, arrive: c.receive}
	return c
}

// ID is the number of the connection, from 1 in the order of dials.
func (c *Conn) ID() int { return c.id }

// Server is the actor at the other end.
func (c *Conn) Server() *Actor { return c.server.actor }

// Ends are the actors at the connection's ends, as a candidate of a decision that
// may strike it. They do not change; any goroutine may ask.
func (c *Conn) Ends() Candidate { return Candidate{From: c.process.id, To: c.server.actor.id} }

// over reports whether the connection has ended at both ends. At the client's it
// has not while a reset is on its way there.
func (c *Conn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.closed && (c.closed || c.err != nil)
}

// Read reads what has arrived, waiting for something to arrive.
func (c *Conn) Read(b []byte) (int, error) {
	p := c.process
	for {
		p.passTo(c, c.up.lane, gateRead)
		n, due, err := c.take(b)
		if n > 0 || err != nil || len(b) == 0 {
			return n, err
		}
		if due < forEver {
			c.due = due
			p.emit(c.up.lane, 0, c.begin)
		}
		<-c.changed // the end of the run notifies, too
	}
}

// take is a Read that does not wait. If there is nothing to read yet, it returns
// neither bytes nor an error, and due is until when to wait.
func (c *Conn) take(b []byte) (n int, due time.Duration, err error) {
	ended := c.process.world.draining()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || ended:
		return 0, due, c.fail("read", net.ErrClosed)
	case len(b) == 0:
		return 0, due, nil
	case c.expired || len(c.buf) == 0 && c.err == nil && c.passed(c.readBy):
		return 0, due, c.fail("read", os.ErrDeadlineExceeded)
	case len(c.buf) > 0:
		n = copy(b, c.buf)
		c.buf = c.buf[n:]
		return n, due, nil
	case errors.Is(c.err, io.EOF):
		setFailedOn(int64(c.id))
		return 0, due, io.EOF
	case c.err != nil:
		return 0, due, c.fail("read", c.err)
	}
	c.waiting = true
	return 0, c.readBy.due(), nil
}

// fail is an error that the calling goroutine fails with.
func (c *Conn) fail(op string, err error) error {
	if !c.process.world.draining() {
		setFailedOn(int64(c.id))
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// Write sends b as one segment, if there is anything in it and unless the connection
// gathers ([Conn.Gather]). It does not wait for the other end, and learns of a broken
// connection late, as with TCP.
func (c *Conn) Write(b []byte) (int, error) {
	p := c.process
	if !c.writesAhead() {
		p.passTo(c, c.up.lane, gateWrite)
	}
	ended := p.world.draining()
	c.mu.Lock()
	closed, broken, late := c.closed || ended, c.err != nil && !errors.Is(c.err, io.EOF), c.passed(c.writeBy)
	c.mu.Unlock()
	switch {
	case closed:
		return 0, c.fail("write", net.ErrClosed)
	case broken:
		return 0, c.fail("write", os.NewSyscallError("write", syscall.EPIPE))
	case late:
		return 0, c.fail("write", os.ErrDeadlineExceeded)
	case len(b) == 0:
		return 0, nil
	}
	data := append([]byte(nil), b...)
	if c.gather.canon != nil {
		c.gatherLater(data)
		return len(b), nil
	}
	by := p.sends()
	p.emit(c.up.lane, 0, func() { c.transmit(data, by) })
	return len(b), nil
}

// WritesFreely declares that no goroutine holds a mutex while it writes to the
// connection. After a pause the tape may then let one that reads from it go on, to the
// connection's end, before one that writes: see [ReadFirst]. Call it before the
// connection is used.
//
// On a connection that gathers ([Conn.Gather]) a Write in a pause then does not block: what it
// writes leaves when the process goes on. A client's goroutine that sends for others has
// otherwise taken some of their requests when it blocks, as many as the scheduler let come
// before, and if the connection ends the client treats these and the others differently.
func (c *Conn) WritesFreely() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.freely = true
}

// mayReadFirst reports whether a reader may go on before a writer after a pause. If the
// connection goes on, it may not: the client's sender then selects between its timer and a
// request that the reader's data has triggered, and Go picks at random.
func (c *Conn) mayReadFirst() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freely && c.err != nil
}

// Close hangs up. What was written before still arrives. It does not wait:
// in a paused process, too, its own goroutines find the connection closed at once, and
// the other end hears of it when the pause has ended.
func (c *Conn) Close() error {
	p := c.process
	c.mu.Lock()
	was, broken := c.closed, c.err != nil && !errors.Is(c.err, io.EOF)
	c.closed = true
	if !was {
		close(c.gone)
	}
	c.mu.Unlock()
	c.notify()
	if was {
		return c.fail("close", net.ErrClosed)
	}
	if !broken {
		p.whenOpen(c.up.lane, func() {
			p.emit(c.up.lane, 0, func() {
				p.world.sendGathered()
				if !p.world.draining() && !p.crashed {
					c.expect(false)
					c.hangUp()
				}
			})
		})
	}
	return nil
}

// LocalAddr is the client's address.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the address that was dialed.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }
