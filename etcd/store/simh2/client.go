package simh2

import (
	"net"

	"github.com/lockpick-dev/lockpick/sim"
)

// ClientOptions say what of a client's traffic has no order.
type ClientOptions struct {
	// Unordered reports whether the messages that a client sends in a stream of the
	// method ("/package.Service/Method") have no order among themselves, for instance
	// because it sends them while it iterates over a map. Those that it sends in one step
	// are then sorted. Nil means that all messages have an order.
	Unordered func(method string) bool
}

// Client wraps a connection for an HTTP/2 client library, so that the bytes sent do not
// depend on the order in which the library's goroutines ran. What the library writes in
// one step leaves as one segment, in an order that depends on the content alone; see the
// package's comment. Call it before anything is written.
//
// The connection is safe for concurrent use, with at most one reader at a time. If the
// client sends what is no HTTP/2, or a server what cannot be translated back, the run
// fails, or Read returns an error.
func Client(c *sim.Conn, o ClientOptions) net.Conn {
	n := new(numbers)
	c.Gather(newArrangement(n, o.Unordered).arrange)
	return &clientEnd{Conn: c, in: translation{numbers: n}}
}

// clientEnd is the client's end of a connection.
type clientEnd struct {
	net.Conn
	in translation
}

// Read reads what the server has sent, with the client's own numbers of streams.
func (c *clientEnd) Read(b []byte) (int, error) {
	for {
		if n := c.in.take(b); n > 0 {
			return n, nil
		}
		n, err := c.Conn.Read(c.in.room())
		if bad := c.in.add(n); bad != nil {
			return 0, bad
		}
		if err != nil || len(b) == 0 {
			return c.in.take(b), err
		}
	}
}
