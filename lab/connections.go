package lab

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// Dial connects to an address.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// connections are the connections of all clients of a real run.
type connections struct {
	dial Dial   // nil for that of package net
	sent func() // is called before each Write, if not nil
	got  atomic.Int64

	mu     sync.Mutex
	open   map[*connection]struct{}
	closed bool
}

// connect is a [Dial].
func (c *connections) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	dial := c.dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	one := &connection{Conn: conn, of: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	if c.open == nil {
		c.open = map[*connection]struct{}{}
	}
	c.open[one] = struct{}{}
	return one, nil
}

// received returns the number of segments that have arrived. Segments that arrive together before a read count as one.
func (c *connections) received() int { return int(c.got.Load()) }

// close closes the open connections. No other can be made.
func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for one := range c.open { // unordered: all are closed
		_ = one.Conn.Close()
	}
}

// connection is a connection of a client.
type connection struct {
	net.Conn
	of *connections
	// more is set if the last Read began a segment and was filled, as when a client reads a length first: the next Read
	// continues it.
	more atomic.Bool
}

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && !c.more.CompareAndSwap(true, false) {
		c.of.got.Add(1)
		c.more.Store(n == len(b))
	}
	return n, err
}

func (c *connection) Write(b []byte) (int, error) {
	if c.of.sent != nil {
		c.of.sent()
	}
	return c.Conn.Write(b)
}

func (c *connection) Close() error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	delete(c.of.open, c)
	return c.Conn.Close()
}
