package sim

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Conn is the client's end of a connection, a [net.Conn]. It is safe for
// concurrent use by the goroutines of its process. Readers get what arrives in the
// order in which they began to wait.
type Conn struct {
	process       *Process
	server        *ServerConn
	id            int
	local, remote address
	up, down      pipe // to the server, to the client
	between       bool // two processes
	// accepted is set if the Conn is the server's end itself, accepted by a process
	// ([ServerConn.Accept]). Server is then the process at the other end, and the pipes are not used.
	accepted *ServerConn

	due   time.Duration // the deadline of the latest Read that waits
	begin func()        // startTimer, as a value that is made once

	// The conductor's own.
	timer    *pending // the deadline of a Read that waits, while it is pending
	spare    *pending // its memory
	broken   bool     // a reset is on its way to the client, or has arrived
	awaiting bool     // the client has sent something, and waits for an answer
	left     bool     // the client has hung up: the end is on its way, or has arrived

	mu      sync.Mutex
	buf     []byte        // data that has arrived and was not read yet
	err     error         // returned to a reader after buf: io.EOF or a reset
	closed  bool          // by the client
	early   bool          // the end had arrived when the dialer went on: see noteEarlyEnd
	expired bool          // the read deadline passed before anything arrived
	waiting int           // how many readers wait for changed, without the one for which it holds a token
	changed chan struct{} // holds a token when the first waiting reader should look again
	gone    chan struct{} // closed by Close
	readBy  deadline
	writeBy deadline
	timeout time.Duration // how far off readBy was when it was set, 0 if it is not set
	freely  bool          // see WritesFreely

	gather gathering
	ahead  [][]byte // data written in a pause that has not left: see WritesFreely

	// writers has the writer of the last Write for each task, in a recorded run. Only the conductor
	// uses it.
	writers map[*Task]writer
}

// newConn returns a connection whose server has no handler yet.
func newConn(p *Process, id int, local, remote string, server *Actor) *Conn {
	c := &Conn{process: p, id: id, local: address(local), remote: address(remote), changed: make(chan struct{}, 1), gone: make(chan struct{}), readBy: never, writeBy: never}
	c.server = &ServerConn{conn: c, actor: server}
	c.between = server.process != nil
	c.begin = c.startTimer
	c.up = pipe{world: p.world, from: p.Actor, to: server, conn: c, kind: EventDeliver, lane: 2 * int64(id), arrive: c.server.receive}
	c.down = pipe{world: p.world, from: server, to: p.Actor, conn: c, kind: EventDeliver, lane: 2*int64(id) + 1, arrive: c.receive}
	return c
}

// Accept gives the server's end to a process, which reads from it and writes to it like a connection
// that it has dialed. The result is the connection's handler. The process must be that of the listening
// actor.
func (s *ServerConn) Accept(p *Process) *Conn {
	c := newConn(p, s.conn.id, string(s.conn.remote), string(s.conn.local), s.conn.process.Actor)
	c.accepted = s
	return c
}

// ID returns the number of the connection, from 1 in the order of dials.
func (c *Conn) ID() int { return c.id }

// Server returns the actor at the other end.
func (c *Conn) Server() *Actor { return c.server.actor }

// Ends returns the actors at the connection's ends, as a candidate of a decision that
// may strike it. They do not change; any goroutine may call it.
func (c *Conn) Ends() Candidate { return Candidate{From: c.process.id, To: c.server.actor.id} }

// over reports whether the connection has ended at both ends. The client's has not
// ended while a reset is on its way there.
func (c *Conn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.closed && (c.closed || c.err != nil)
}

// Read reads what has arrived, waiting for something to arrive.
func (c *Conn) Read(b []byte) (int, error) {
	p := c.process
	for woken := false; ; woken = true {
		p.routines().passTo(c, c.up.lane, gateRead)
		c.awaitOthers()
		n, due, err := c.take(b, woken)
		if err != nil && c.between {
			p.wait(0, EventStep, "reads the end of connection "+strconv.Itoa(c.id)) // an event: servers end what they do for it
		}
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

// awaitOthers blocks the first Read of a connection that had ended when its dialer went on, until the other
// goroutines of the step are blocked: those that use the connection are then always before the reader.
func (c *Conn) awaitOthers() {
	c.mu.Lock()
	waits := c.early
	c.early = false
	c.mu.Unlock()
	if waits {
		c.process.waitInLine(emission{lane: laneTurnFor, key: int64(c.id)}, readers{})
	}
}

// take returns a Read that does not wait. If there is nothing to read yet, it returns neither bytes nor
// an error, and due is the time until which to wait. If readers wait, a woken one reads first, and the
// next gets the data that it leaves.
func (c *Conn) take(b []byte, woken bool) (n int, due time.Duration, err error) {
	ended := c.process.world.draining()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() {
		if err != nil || n > 0 && len(c.buf) > 0 {
			c.wake()
		}
	}()
	switch {
	case c.closed || ended:
		return 0, due, c.fail("read", net.ErrClosed)
	case len(b) == 0:
		return 0, due, nil
	case c.expired || len(c.buf) == 0 && c.err == nil && c.passed(c.readBy):
		return 0, due, c.fail("read", os.ErrDeadlineExceeded)
	case len(c.buf) > 0 && !woken && c.waiting+len(c.changed) > 0:
		// another reader is before this one
	case len(c.buf) > 0:
		n = copy(b, c.buf)
		c.buf = c.buf[n:]
		return n, due, nil
	case errors.Is(c.err, io.EOF):
		noteFailure(int64(c.id))
		return 0, due, io.EOF
	case c.err != nil:
		return 0, due, c.fail("read", c.err)
	}
	c.waiting++
	return 0, c.readBy.due(), nil
}

// fail returns an error that the calling goroutine fails with.
func (c *Conn) fail(op string, err error) error {
	if !c.process.world.draining() {
		noteFailure(int64(c.id))
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// Write sends b as one segment, unless b is empty or the connection gathers
// ([Conn.Gather]). It does not wait for the other end, and learns of a broken
// connection late, as with TCP.
func (c *Conn) Write(b []byte) (int, error) {
	p := c.process
	if !c.writesAhead() {
		p.routines().passTo(c, c.up.lane, gateWrite)
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
	by := p.sender()
	by.stack = p.world.stackHere()
	p.emit(c.up.lane, 0, func() { c.transmit(data, by) })
	return len(b), nil
}

// WritesFreely declares that no goroutine holds a mutex while it writes to the
// connection. After a pause the tape may then let a goroutine that reads from it go on,
// to the connection's end, before one that writes: see [ReadFirst]. Call it before the
// connection is used.
//
// On a connection that gathers ([Conn.Gather]) a Write during a pause then does not
// block: its data leaves when the process goes on. Otherwise a client's goroutine that
// sends for others would block with some of their requests, and the scheduler would
// decide with how many; if the connection then ended, the client would treat these
// differently from the others.
func (c *Conn) WritesFreely() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.freely = true
}

// mayReadFirst reports whether a reader may go on before a writer after a pause. It may
// not if the connection has not ended: the client's sender would select between its timer
// and a request that the reader's data has triggered, and Go picks at random.
func (c *Conn) mayReadFirst() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freely && c.err != nil
}

// Close hangs up. Data written before still arrives. Close does not wait. In a paused
// process, too, its own goroutines find the connection closed at once; the other end
// learns of it when the pause has ended.
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
				p.world.net.sendGathered()
				if !p.world.draining() && !p.crashed {
					c.expect(false)
					c.hangUp()
				}
			})
		})
	}
	return nil
}

// LocalAddr returns the client's address.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address that was dialed.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// hungUp returns a channel that Close closes.
func (c *Conn) hungUp() <-chan struct{} { return c.gone }

// label returns the name of the server and the connection's number.
func (c *Conn) label() (peer string, id int) { return c.server.actor.name, c.id }

// receive is the arrival of a segment at the client.
func (c *Conn) receive(s *segment) {
	w := c.process.world
	if c.awaiting {
		s.task.answered(w.now)
	}
	c.expect(c.awaiting && (c.server.owes() || len(c.up.flying) > 0 || len(c.down.flying) > 0))
	var end error
	if s.fin {
		end = io.EOF
	}
	switch read := c.come(s.data, end); {
	case !read:
		w.Log(c.logged(s, EventDrop, "nobody reads any more"))
		return
	case s.fin:
		w.Log(c.logged(s, EventClose, ""))
	default:
		w.Log(c.logged(s, EventDeliver, ""))
		w.Network().received(c.process.Actor)
	}
	c.stopTimer()
	c.notify()
}

// come keeps data, or the end of the stream, for readers. It reports whether anybody may read it.
func (c *Conn) come(data []byte, end error) (read bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.err != nil {
		return false
	}
	c.missDeadline()
	if c.err = end; end == nil {
		c.buf = follow(c.buf, data)
	}
	return true
}

// Receive is the arrival of a segment at the end that a process has accepted.
func (c *Conn) Receive(data []byte, _ *Task) {
	c.come(data, nil)
	c.stopTimer()
	c.notify()
}

// Gone is the arrival of the stream's end there.
func (c *Conn) Gone() {
	end := io.EOF
	if c.accepted.reset {
		end = os.NewSyscallError("read", syscall.ECONNRESET)
	}
	c.come(nil, end)
	c.stopTimer()
	c.notify()
}

// follow appends data to what is left of earlier data. It changes neither.
func follow(left, data []byte) []byte {
	if len(left) == 0 {
		return slices.Clip(data)
	}
	return append(left, data...)
}

// missDeadline makes the read deadline count if it passed before the present arrival.
// The deadline of a reader that waits is an event, and the order of events decides. A
// reader that does not wait, because of a pause, has no such event. The caller holds
// mu.
func (c *Conn) missDeadline() {
	if c.waiting == 0 && len(c.buf) == 0 && c.err == nil && c.passed(c.readBy) {
		c.expired = true
	}
}

// notify wakes a waiting reader.
func (c *Conn) notify() {
	c.process.world.bubble.CatchUp()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake()
}

// wake wakes the first reader that waits, unless one is being woken. The caller holds mu.
func (c *Conn) wake() {
	if c.waiting > 0 && len(c.changed) == 0 {
		c.waiting--
		c.changed <- struct{}{}
	}
}

// logged returns the event of a segment of the connection that arrived or was lost.
func (c *Conn) logged(s *segment, k EventKind, detail string) Event {
	return Event{
		Kind: k, Actor: s.pipe.to.name, Peer: s.pipe.from.name, Conn: c.id,
		Sent: s.sent, Late: s.late, Detail: detail, Payload: s.data,
	}
}

// lost returns the event of a segment that is lost with the connection.
func (c *Conn) lost(s *segment) Event { return c.logged(s, EventDrop, "lost") }

// SyscallConn lets a client check, before it uses the connection again, that it is
// still good. The result's Read does not call its function, since there is no file
// descriptor: it returns an error if the connection has ended or data waits to be read,
// and nil if the connection is idle and good. Control and Write always fail.
func (c *Conn) SyscallConn() (syscall.RawConn, error) { return rawConn{c}, nil }

type rawConn struct{ c *Conn }

var errNoDescriptor = errors.New("sim: a simulated connection has no file descriptor")

// Control is not supported.
func (r rawConn) Control(func(uintptr)) error { return errNoDescriptor }

// Write is not supported.
func (r rawConn) Write(func(uintptr) bool) error { return errNoDescriptor }

// Read acts as a read that does not block, without calling f: it returns an error if
// the connection has ended or data waits to be read, and nil otherwise. It does not
// wait at the gate of a paused process, since it has no effect outside.
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
