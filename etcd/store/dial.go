package etcd

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/sim"
)

// KeepAliveMethod is the method of the streams that keep leases alive.
const KeepAliveMethod = "/etcdserverpb.Lease/LeaseKeepAlive"

// Dialer returns a dial function that connects a client of grpc-go to the simulated network, for
// grpc.WithContextDialer. Addresses are host:port with IP literals. Arrange wraps
// each connection so that the bytes sent do not depend on the order of the client's goroutines: pass
// [Frames].
//
// The goroutines of a connection send for all threads of the process, and any call may make
// gRPC connect.
func Dialer(p *sim.Process, arrange func(*sim.Conn) net.Conn) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		p.WorkForAll()
		conn, err := p.DialContext(ctx, "tcp", address, 0)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			// The time to connect was over in a pause. gRPC would close the connection in one
			// goroutine while another begins to use it.
			_ = conn.Close()
			return nil, err
		}
		if simulated, ok := conn.(*sim.Conn); ok {
			simulated.WritesFreely() // gRPC has a goroutine for that, with nothing locked
			conn = arrange(simulated)
		}
		return &connection{Conn: conn, process: p}, nil
	}
}

// Frames arranges the frames of a connection. The library iterates over a map when it
// keeps several leases alive, so these messages have no order.
func Frames(c *sim.Conn) net.Conn {
	return simh2.Client(c, simh2.ClientOptions{Unordered: func(method string) bool { return method == KeepAliveMethod }})
}

// connection orders what the goroutines of a client do when a connection has ended.
//
//   - A read that fails in the step in which data were read before it, as after a pause,
//     waits for an event of its own. Who gets the data may make a call, and the scheduler
//     would decide whether that is made on the broken connection.
//   - Answers to calls that have come at once are read by an event of their own each, however
//     many reads they take. Two goroutines of one lock would otherwise go on at once, and the
//     scheduler would decide which of them changes what the other sees. So are the messages of
//     a stream, and its end. The event is the same one: the client may close the connection
//     before it, as it does after a GOAWAY, and the read then fails.
//   - A write succeeds though the connection has ended, as one does in reality until the news
//     has come. The read that fails then ends all calls alike. If a write failed, the scheduler
//     would decide which calls had been part of it, and these fail, while the client makes the
//     others again: at once and without end, until the read fails, for which the end of a run
//     has to let time pass.
type connection struct {
	net.Conn
	process *sim.Process
	heard   time.Time   // when data were handed out last, by the process's clock
	failed  bool        // a read has failed
	closed  atomic.Bool // by the client
	answers answers
}

// Close hangs up.
func (c *connection) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// Read reads what has arrived, one piece at a time.
func (c *connection) Read(b []byte) (int, error) {
	if len(c.answers.rest) > 0 {
		return c.handOut(b, true)
	}
	n, err := c.Conn.Read(b)
	if err != nil {
		if !c.failed && c.heard.Equal(c.process.Clock().Now()) {
			c.wait()
		}
		c.failed = true
		return n, err
	}
	// It may have come together with what was read before, if that filled the reader's buffer: then
	// it waits for an event of its own, unless it goes on within a frame.
	waits := c.answers.body == 0 && c.heard.Equal(c.process.Clock().Now())
	c.answers.rest = append(c.answers.rest[:0], b[:n]...)
	return c.handOut(b, waits)
}

// handOut hands out the next piece of what has arrived, after an event of its own if it waits,
// unless the client has closed the connection before that.
func (c *connection) handOut(b []byte, waits bool) (int, error) {
	if waits {
		c.wait()
		if c.closed.Load() {
			c.failed = true
			return c.Conn.Read(b) // which fails
		}
	}
	c.heard = c.process.Clock().Now()
	return c.answers.take(b), nil
}

// wait waits for an event of its own. It may come after a pause.
func (c *connection) wait() { c.process.Step("reads on from "+c.LocalAddr().String(), 0) }

// Write writes. What is written to a connection that has ended is lost.
func (c *connection) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) {
		return len(b), nil
	}
	return n, err
}
