// Package peers lets the processes of a simulated world accept connections of each other, so that
// unmodified servers such as those of net/http run in them.
//
// # What makes runs repeat
//
// Servers and clients have goroutines that go on at one instant, and Go's scheduler must not decide
// between them. So a listener accepts its next connection when the process has finished its reaction
// to the one before. And a Read that finds the end of a connection between processes returns only
// when all other goroutines are blocked: net/http's client reads and writes a connection
// concurrently, and closes it when the reader sees the end, which may arrive before the first Write.
package peers

import (
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"

	"github.com/lockpick-dev/lockpick/sim"
)

// Listen makes a process accept connections at a port of its host. Others dial the listener's
// address. The listener's connections behave like dialed ones: Reads and Writes wait while the
// process is paused, and deadlines are events of the run. A connection is established when its dial
// arrives, even in a pause, and waits to be accepted. A crash closes the listener and its
// connections; the restarted process may listen again.
//
// The error is that of package net if the port is taken or out of range. Any goroutine of the process
// may call Listen, and Close of the listener; one at a time calls Accept. The port is free once the
// goroutines that run at the instant of Close are blocked again.
func Listen(p *sim.Process, port int) (net.Listener, error) {
	at := net.JoinHostPort(p.Host(), strconv.Itoa(port))
	l := &listener{process: p, address: at, changed: make(chan struct{}, 1), gone: make(chan struct{})}
	if port < 1 || port > 65535 {
		return nil, l.fail("listen", &net.AddrError{Err: "want a port from 1 to 65535", Addr: at})
	}
	err := net.ErrClosed // the run is over
	p.Mark(0, "listens at "+at, func(sim.Event) { err = l.open() })
	if err != nil {
		return nil, l.fail("listen", err)
	}
	return l, nil
}

// listener is the listener of a process.
type listener struct {
	process *sim.Process
	address string
	once    sync.Once
	gone    chan struct{} // closed by Close
	changed chan struct{} // holds a token when there is something to accept

	mu      sync.Mutex
	waiting []*sim.Conn // to be accepted
}

// address is a net.Addr.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

func (l *listener) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: address(l.address), Err: err}
}

func (l *listener) network() *sim.Network { return l.process.World().Network() }

// open takes the address. It is for the conductor.
func (l *listener) open() error {
	if l.network().Listens(l.address) {
		return os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	l.network().Listen(l.address, l.process.Actor, l.connected)
	return nil
}

// connected returns the end of a new connection at the process.
func (l *listener) connected(s *sim.ServerConn) sim.Handler {
	c := s.Accept(l.process)
	l.mu.Lock()
	l.waiting = append(l.waiting, c)
	l.mu.Unlock()
	select {
	case l.changed <- struct{}{}:
	default:
	}
	return c
}

// Accept waits for a connection. Several connections may wait: the next is accepted when
// the process has finished its reaction to the one before.
func (l *listener) Accept() (net.Conn, error) {
	for {
		l.process.AwaitTurn(l.address)
		if c := l.next(); c != nil {
			return c, nil
		}
		select {
		case <-l.changed:
		case <-l.gone:
			return nil, l.fail("accept", net.ErrClosed)
		case <-l.process.Ended():
			return nil, l.fail("accept", net.ErrClosed)
		}
	}
}

// next returns the connection that has waited longest, nil if there is none.
func (l *listener) next() (c *sim.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 {
		c, l.waiting = l.waiting[0], l.waiting[1:]
	}
	return c
}

// Close refuses further connections. Accepted connections stay open, and waiting ones are closed. It
// does not block: servers call it while they hold a mutex.
func (l *listener) Close() error {
	err := errors.New("closed before")
	l.once.Do(func() {
		err = nil
		close(l.gone)
		go l.process.Mark(0, "closes "+l.address, func(sim.Event) { l.network().Close(l.address) })
		for c := l.next(); c != nil; c = l.next() {
			_ = c.Close() // nobody has used it
		}
	})
	if err != nil {
		return l.fail("close", net.ErrClosed)
	}
	return nil
}

// Addr returns the address.
func (l *listener) Addr() net.Addr { return address(l.address) }
