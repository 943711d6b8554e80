package sim

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
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
	begin func()        // startTimer, made once

	// The conductor's own.
	timer  *pending // the deadline of a Read that waits, while it is pending
	spare  *pending // its memory
	broken bool     // a reset is on its way to the client, or has come
	asked  bool     // the client has sent something, and waits for an answer

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
}

func newConn(p *Process, id int, local, remote string, server *Actor) *Conn {
	c := &Conn{process: p, id: id, local: address(local), remote: address(remote), changed: make(chan struct{}, 1), gone: make(chan struct{}), readBy: never, writeBy: never}
	c.server = &ServerConn{conn: c, actor: server}
	c.begin = c.startTimer
	c.up = pipe{world: p.world, from: p.Actor, to: server, conn: c, kind: EventDeliver, lane: 2 * int64(id), arrive: c.server.receive}
	c.down = pipe{world: p.world, from: server, to: p.Actor, conn: c, kind: EventDeliver, lane: 2*int64(id) + 1, arrive: c.receive}
	return c
}

// over reports whether the connection has ended at both ends. A client that
// has not yet been told of a reset is no end of it.
func (c *Conn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.closed && (c.closed || c.err != nil)
}

// logged is an event about a segment of the connection.
func (c *Conn) logged(s *segment, k EventKind, detail string) Event {
	return Event{
		Kind: k, Actor: s.pipe.to.name, Peer: s.pipe.from.name, Conn: c.id,
		Sent: s.sent, Late: s.late, Detail: detail, Payload: s.data,
	}
}

// lost is the event of a segment that is lost with the connection.
func (c *Conn) lost(s *segment) Event { return c.logged(s, EventDrop, "lost") }

// receive is the arrival of a segment at the client.
func (c *Conn) receive(s *segment) {
	w := c.process.world
	c.expect(c.asked && c.server.owes())
	c.mu.Lock()
	gone := c.closed || c.err != nil
	if !gone {
		c.miss()
		if s.fin {
			c.err = io.EOF
		} else {
			c.buf = follow(c.buf, s.data)
		}
	}
	c.mu.Unlock()
	switch {
	case gone:
		w.Log(c.logged(s, EventDrop, "nobody reads any more"))
		return
	case s.fin:
		w.Log(c.logged(s, EventClose, ""))
	default:
		w.Log(c.logged(s, EventDeliver, ""))
	}
	c.stopTimer()
	c.notify()
}

// follow puts data behind what is left of earlier data. It changes neither.
func follow(left, data []byte) []byte {
	if len(left) == 0 {
		return slices.Clip(data)
	}
	return append(left, data...)
}

// miss is called, with mu held, before something arrives. A reader that waits
// has its deadline as an event, and the order of events decides which comes
// first. One that does not, because of a pause, may have missed it.
func (c *Conn) miss() {
	if !c.waiting && len(c.buf) == 0 && c.err == nil && c.passed(c.readBy) {
		c.expired = true
	}
}

// ID is the number of the connection, from 1 in the order of dials.
func (c *Conn) ID() int { return c.id }

// Server is the actor at the other end.
func (c *Conn) Server() *Actor { return c.server.actor }

// Ends are the actors at the connection's ends, as a candidate of a decision that
// may strike it. They do not change; any goroutine may ask.
func (c *Conn) Ends() Candidate { return Candidate{From: c.process.id, To: c.server.actor.id} }

// Reset breaks the connection: what is in flight is lost, and both ends learn
// of it, each by an event of its own; an end at the given actor, which has
// crashed, learns nothing. The conductor alone calls it.
func (c *Conn) Reset(crashed *Actor) {
	c.up.lose(c.lost)
	c.down.lose(c.lost)
	w := c.process.world
	if crashed == c.process.Actor {
		c.abandon()
	} else {
		c.resetClient()
	}
	switch {
	case c.server.closed:
	case crashed == c.server.actor:
		c.server.closed = true
		c.server.handler.Gone()
	default:
		c.server.closed = true
		w.net.tell(c.process.Actor, c.server.actor, false, func() {
			w.Log(Event{Kind: EventReset, Actor: c.server.actor.name, Peer: c.process.name, Conn: c.id})
			c.server.handler.Gone()
		})
	}
}

// resetClient tells the client that its connection is gone, once.
func (c *Conn) resetClient() {
	if c.broken {
		return
	}
	c.broken = true
	w := c.process.world
	w.net.tell(c.server.actor, c.process.Actor, true, func() {
		c.expect(false)
		c.mu.Lock()
		gone, unread, detail := c.closed, len(c.buf) > 0, ""
		c.miss()
		c.mu.Unlock()
		if unread && !gone && w.Choose(Decision{Kind: Unread, Actor: c.process.name, Options: 2}) == 1 {
			detail = UnreadKept
		}
		c.mu.Lock()
		c.err = os.NewSyscallError("read", syscall.ECONNRESET)
		if detail == "" {
			c.buf = nil
		}
		c.mu.Unlock()
		if !gone {
			w.Log(Event{Kind: EventReset, Actor: c.process.name, Peer: c.server.actor.name, Conn: c.id, Detail: detail})
			c.stopTimer()
			c.notify()
		}
	})
}

// closeByClient hangs up on the client's behalf, in the conductor.
func (c *Conn) closeByClient() {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.mu.Unlock()
	if !was {
		c.up.send(0, nil, true, nil)
	}
}

// abandon ends the client's end without a word to the other.
func (c *Conn) abandon() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.notify()
}

// notify makes a waiting reader look again.
func (c *Conn) notify() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.waiting = false
		c.changed <- struct{}{}
	}
}

// Read reads what has arrived, waiting for something to arrive.
func (c *Conn) Read(b []byte) (int, error) {
	p := c.process
	for {
		p.pass(c.up.lane, gateRead, c.gone)
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

// take is a Read that does not wait: nothing and no error means that there is
// nothing yet, and due is until when to wait for it.
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
		failedOn(int64(c.id))
		return 0, due, io.EOF
	case c.err != nil:
		return 0, due, c.fail("read", c.err)
	}
	c.waiting = true
	return 0, c.readBy.due(), nil
}

func (c *Conn) fail(op string, err error) error {
	failedOn(int64(c.id))
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// Write sends b as one segment, if there is anything in it. It does not wait
// for the other end; what it learns of a broken connection it learns late, as
// TCP does.
func (c *Conn) Write(b []byte) (int, error) {
	p := c.process
	p.pass(c.up.lane, gateWrite, c.gone)
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
	data, task := append([]byte(nil), b...), p.sends()
	p.emit(c.up.lane, 0, func() {
		if !p.world.draining() && !p.crashed {
			c.expect(true)
			c.up.send(0, data, false, p.taskOf(task))
		}
	})
	return len(b), nil
}

// Close hangs up. What was written before still arrives. It does not wait: that
// of a paused process is over at once, for its own goroutines, and the other end
// hears of it when the pause has ended.
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
		p.leave(c.up.lane, func() {
			p.emit(c.up.lane, 0, func() {
				if !p.world.draining() && !p.crashed {
					c.expect(false)
					c.up.send(0, nil, true, nil)
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

// SyscallConn lets a client look whether the connection is still good before
// it uses it again, as go-redis does: see [rawConn.Read].
func (c *Conn) SyscallConn() (syscall.RawConn, error) { return rawConn{c}, nil }

type rawConn struct{ c *Conn }

var errNoDescriptor = errors.New("sim: a simulated connection has no file descriptor")

// Control is not supported.
func (r rawConn) Control(func(uintptr)) error { return errNoDescriptor }

// Write is not supported.
func (r rawConn) Write(func(uintptr) bool) error { return errNoDescriptor }

// Read stands for a read that does not block. There is no descriptor to hand
// to f, so it is not called; an error tells that the connection has ended or
// that there is something to read, and nil that it is idle and good. It tells a
// paused process, too, which hears nothing by it that goes anywhere.
func (r rawConn) Read(func(fd uintptr) bool) error {
	c := r.c
	ended := c.process.world.draining()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || ended:
		return c.fail("read", net.ErrClosed)
	case len(c.buf) > 0:
		return fmt.Errorf("sim: %d bytes wait to be read", len(c.buf))
	}
	return c.err
}
