package sim

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// SyscallConn lets a client check that the connection is still good before it uses
// it again: see [rawConn.Read].
func (c *Conn) SyscallConn() (syscall.RawConn, error) { return rawConn{c}, nil }

type rawConn struct{ c *Conn }

var errNoDescriptor = errors.New("sim: a simulated connection has no file descriptor")

// Control is not supported.
func (r rawConn) Control(func(uintptr)) error { return errNoDescriptor }

// Write is not supported.
func (r rawConn) Write(func(uintptr) bool) error { return errNoDescriptor }

// Read stands for a read that does not block. There is no descriptor to hand
// to f, so it is not called; an error tells that the connection has ended or
// that there is something to read, and nil that it is idle and good. It does
// not wait at the gate of a paused process, since nothing of it reaches the outside.
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
