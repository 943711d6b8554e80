package simredis

import (
	"context"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// An Eager is a client's end of a connection on which only reads block: Write, Close
// and [DialEager] return at once, even while the process is paused or has crashed.
// Written data is sent in order, when possible. It is for code that writes, or
// connects, with a mutex locked: a goroutine blocked on that mutex would keep virtual
// time from passing (see package sim).
//
// It is safe for concurrent use, with at most one reader at a time.
type Eager struct {
	network, addr string
	hangUp        context.CancelFunc // ends an attempt to connect
	ready         chan struct{}      // closed when that has ended
	over          chan struct{}      // closed by Close
	greets        bool               // it answers a greeting itself

	mu      sync.Mutex // never held across a wait
	conn    net.Conn   // nil until ready, and for ever if err is set
	err     error      // the error of the dial, or of a Write
	queue   [][]byte
	busy    bool   // a goroutine writes what is queued
	answers []byte // to the greeting, not read yet
	closed  bool
	readBy  time.Time
}

var _ net.Conn = (*Eager)(nil)

// NewEager makes a connection eager.
func NewEager(c net.Conn) *Eager {
	e := &Eager{hangUp: func() {}, ready: make(chan struct{}), over: make(chan struct{}), conn: c}
	close(e.ready)
	return e
}

// DialEager returns a connection before it is made: it calls dial in a goroutine of
// its own, with a context that ends when the connection is closed. If dial fails,
// reads and writes fail with its error. The greeting of a Redis client (HELLO,
// CLIENT SETNAME and SETINFO, if it begins with them) is answered locally, as by a
// proxy that does not know HELLO; the connection speaks RESP2.
func DialEager(network, addr string, dial func(context.Context) (net.Conn, error)) *Eager {
	ctx, cancel := context.WithCancel(context.Background())
	e := &Eager{network: network, addr: addr, hangUp: cancel, ready: make(chan struct{}), over: make(chan struct{}), greets: true}
	go func() {
		conn, err := dial(ctx)
		e.connected(conn, err)
	}()
	return e
}

// connected notes how the attempt to connect has ended.
func (e *Eager) connected(conn net.Conn, err error) {
	e.mu.Lock()
	late := e.closed && err == nil
	if e.err = err; err == nil {
		e.conn = conn
		_ = conn.SetReadDeadline(e.readBy) // Read fails if it is closed
	}
	e.flush()
	e.mu.Unlock()
	close(e.ready)
	if late {
		_ = conn.Close() // no caller is left
	}
}

// flush starts writing queued data, with mu held.
func (e *Eager) flush() {
	if e.busy || e.conn == nil || len(e.queue) == 0 {
		return
	}
	e.busy = true
	go e.write()
}

// write writes queued data, and then closes the connection if Close was called.
func (e *Eager) write() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.queue) > 0 && e.err == nil {
		b := e.queue[0]
		e.queue = e.queue[1:]
		e.mu.Unlock()
		_, err := e.conn.Write(b)
		e.mu.Lock()
		e.err = err
	}
	if e.busy = false; e.closed {
		_ = e.conn.Close() // no caller is left
	}
}

// Write queues b, or returns the error of an earlier Write that has failed
// meanwhile.
func (e *Eager) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return 0, e.fail("write", net.ErrClosed)
	case e.err != nil:
		return 0, e.err
	case e.greets && e.greet(b):
		return len(b), nil
	}
	e.greets = false
	e.queue = append(e.queue, append([]byte(nil), b...))
	e.flush()
	return len(b), nil
}

// greet answers b if it is all greeting.
func (e *Eager) greet(b []byte) bool {
	var answers []byte
	for rest := b; len(rest) > 0; {
		words, after, err := parseCommand(rest)
		switch {
		case err != nil || len(words) == 0:
			return false
		case strings.EqualFold(words[0], "hello"):
			answers = append(answers, "-ERR unknown command 'HELLO'\r\n"...)
		case len(words) > 1 && strings.EqualFold(words[0], "client") &&
			(strings.EqualFold(words[1], "setname") || strings.EqualFold(words[1], "setinfo")):
			answers = append(answers, "+OK\r\n"...)
		default:
			return false
		}
		rest = after
	}
	e.answers = append(e.answers, answers...)
	return true
}

// Read reads data that has arrived, waiting for the connection and for data.
func (e *Eager) Read(b []byte) (int, error) {
	e.mu.Lock()
	if len(e.answers) > 0 && !e.closed {
		n := copy(b, e.answers)
		e.answers = e.answers[n:]
		e.mu.Unlock()
		return n, nil
	}
	until := e.readBy
	e.mu.Unlock()
	if err := e.await(until); err != nil {
		return 0, err
	}
	n, err := e.conn.Read(b)
	if err != nil && e.isOver() {
		err = e.fail("read", net.ErrClosed)
	}
	return n, err
}

// isOver reports whether Close was called.
func (e *Eager) isOver() bool {
	select {
	case <-e.over:
		return true
	default:
		return false
	}
}

// await waits for the connection. It checks first whether the Eager was closed, since a
// select would choose at random.
func (e *Eager) await(until time.Time) error {
	if e.isOver() {
		return e.fail("read", net.ErrClosed)
	}
	select {
	case <-e.ready:
	default:
		ctx, cancel := context.Background(), func() {}
		if !until.IsZero() {
			ctx, cancel = context.WithDeadline(ctx, until)
		}
		defer cancel()
		select {
		case <-e.over:
			return e.fail("read", net.ErrClosed)
		case <-ctx.Done():
			return e.fail("read", os.ErrDeadlineExceeded)
		case <-e.ready:
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conn == nil {
		return e.err
	}
	return nil
}

// Close closes the connection after the data written before.
func (e *Eager) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return e.fail("close", net.ErrClosed)
	}
	e.closed = true
	close(e.over)
	e.hangUp()
	switch {
	case e.conn == nil:
		return nil // the goroutine that connects closes it
	case e.busy:
		return e.conn.SetReadDeadline(time.Unix(0, 1)) // the goroutine that writes closes it; reads end now
	}
	return e.conn.Close()
}

func (e *Eager) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: e.RemoteAddr(), Err: err}
}

// LocalAddr returns the client's address, the zero one before there is a connection.
func (e *Eager) LocalAddr() net.Addr {
	select {
	case <-e.ready:
		if e.conn != nil {
			return e.conn.LocalAddr()
		}
	default:
	}
	return eagerAddr{e.network, ""}
}

// RemoteAddr returns the address that was dialed.
func (e *Eager) RemoteAddr() net.Addr {
	if e.addr == "" {
		return e.conn.RemoteAddr()
	}
	return eagerAddr{e.network, e.addr}
}

type eagerAddr struct{ network, addr string }

func (a eagerAddr) Network() string { return a.network }
func (a eagerAddr) String() string  { return a.addr }

// SetDeadline calls [Eager.SetReadDeadline]: writes do not block.
func (e *Eager) SetDeadline(t time.Time) error { return e.SetReadDeadline(t) }

// SetReadDeadline sets the time until which a Read waits; the zero time means no limit.
// Before the connection is made, it does not apply to a Read that waits already.
func (e *Eager) SetReadDeadline(t time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.readBy = t
	if e.conn != nil {
		return e.conn.SetReadDeadline(t)
	}
	return nil
}

// SetWriteDeadline does nothing: writes do not block.
func (e *Eager) SetWriteDeadline(time.Time) error { return nil }
