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
			// The time to connect ended in a pause. gRPC would close the connection in one
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

// connection makes the reactions of a client's goroutines to answers, and to the end of a
// connection, deterministic.
//
//   - A read that fails in the step in which data was read before, as after a pause, waits for
//     an event of its own. The receiver of the data may make a call, and the scheduler would
//     decide whether it uses the broken connection.
//   - Answers to calls that have arrived at once are each read by an event of their own,
//     however many reads they take; so are the messages of a stream, and its end. Otherwise two
//     goroutines of one lock would go on at once, and the scheduler would decide which of them
//     first changes their common state. The client may close the connection before such an
//     event, as it does after a GOAWAY; the read then fails.
//   - A write to a connection that has ended succeeds, as it does in reality until the end is
//     known. The failing read then ends all calls alike. If the write failed, the scheduler
//     would decide which calls were part of it: these would fail, while the client would retry
//     the others, at once and without end, until the read fails, for which virtual time must
//     pass.
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
	// The data may have arrived together with data read before that filled the reader's buffer:
	// then it waits for an event of its own, unless it is the rest of a frame.
	waits := c.answers.body == 0 && c.heard.Equal(c.process.Clock().Now())
	c.answers.rest = append(c.answers.rest[:0], b[:n]...)
	return c.handOut(b, waits)
}

// handOut hands out the next piece of data, after an event of its own if waits is set, unless
// the client has closed the connection by then.
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

// Write writes data, which is lost if the connection has ended.
func (c *connection) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) {
		return len(b), nil
	}
	return n, err
}
