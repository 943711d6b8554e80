package zookeeper

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim"
)

// Connect opens a session with the ensemble for a client process, with the time-out of
// cell.Client.TTL. It returns the connection, and the events of its session: as with zk.Connect,
// events that nobody reads are lost. The connection is closed when the run has ended; the lock
// must not close it.
//
// Everything is go-zookeeper's default except:
//
//   - The dialer connects to the simulated network. A read that fails takes its turn, so
//     that goroutines of one process whose connections fail at one instant go on in a fixed
//     order.
//   - The host provider does not resolve addresses, since there is no resolver. It tries them in
//     the order in which zk.Connect has shuffled them.
//   - After a reconnect the client sets its watches again in the order of their paths, not in
//     that of a map.
//   - Before the client looks for another server, the goroutines of the process settle. Requests
//     that they make at that instant are queued by then, and fail with the others if the library
//     fails its queue.
//   - Messages that have arrived together, as in a pause, are read one at a time: the goroutines
//     that one wakes settle before the next is read.
//   - The buffer for answers has 64 KiB, and nothing is logged.
//
// A client of cell.NewRealClient has go-zookeeper's own defaults, except its log.
//
// In three cases Go's scheduler decides the order, and runs may differ:
//
//   - Several threads use one connection: after a reset, their requests fail in the order of a
//     map, and an event of a node that several watch wakes them all at once, as the end of the
//     session does. Such a difference is reported with its remedy, a connection for each thread.
//     Runs repeat if threads make one request at a time, watch nodes of their own, and pause by
//     the client's clock when the session has ended.
//   - A request is made at the moment at which another failed with zk.ErrNoServer, since the
//     library then fails its queue. Wait a little before the next request.
//   - A timer of package time makes a request during a pause of the process: the library picks
//     at random between it and a ping. Use the client's clock, which a pause stops.
func Connect(h cell.Host) (*zk.Conn, <-chan zk.Event) {
	c := h.AsClient().Reach(Store.ID(), "zookeeper.Store")
	conn, events, err := open(c)
	if err != nil {
		panic("zookeeper: " + err.Error()) // there are no addresses
	}
	c.Cleanup(conn.Close)
	return conn, events
}

// open opens a session with the simulated ensemble, or with real servers.
func open(c *cell.Client) (*zk.Conn, <-chan zk.Event, error) {
	if c.Process() == nil {
		return zk.Connect(c.Addresses(), c.TTL(), zk.WithDialer(dialer(c)), zk.WithHostProvider(route(c.Addresses())), zk.WithLogger(silent{}), zk.WithLogInfo(false))
	}
	w := new(watched)
	return zk.Connect(c.Addresses(), c.TTL(), zk.WithDialer(w.dialer(c)),
		zk.WithHostProvider(new(hosts)), zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithMaxBufferSize(bufferSize), zk.WithEventCallback(settle(c.Process(), w)))
}

// dialer connects a client of cell.NewRealClient, which has no process.
func dialer(c *cell.Client) zk.Dialer {
	return func(network, address string, timeout time.Duration) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		return c.Dial(ctx, network, address)
	}
}

const bufferSize = 64 << 10

// settle lets the goroutines of the process finish before the client looks for another server,
// which may fail its queue: a request that one of them makes at that instant, because the
// session has ended, is queued by then.
func settle(p *sim.Process, w *watched) zk.EventCallback {
	began := false
	return func(e zk.Event) {
		if e.Type == zk.EventSession && e.State == zk.StateExpired && w.end() > 1 {
			p.NoteNondeterminism(expired)
		}
		if e.Type != zk.EventSession || e.State != zk.StateConnecting {
			return
		}
		if began {
			p.AwaitTurn("connecting")
		}
		began = true
	}
}

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Dialer returns a dial function that connects a client process to the simulated network, for a client
// library that [Connect] does not serve, such as an older go-zookeeper. The client must hold no mutex
// while it writes to a connection. After a reconnect its watches are set in a fixed order if it writes
// whole frames, one at a time.
func Dialer(c *cell.Client) func(network, address string, timeout time.Duration) (net.Conn, error) {
	return new(watched).dialer(c)
}

// dialer is [Dialer] for a client with these watches.
func (w *watched) dialer(c *cell.Client) zk.Dialer {
	p := c.Process()
	if p == nil {
		return dialer(c)
	}
	return func(network, address string, timeout time.Duration) (net.Conn, error) {
		conn, err := p.DialContext(context.Background(), network, address, timeout)
		if err != nil {
			return nil, err
		}
		conn.(*sim.Conn).WritesFreely()
		return &connection{Conn: conn, process: p, watched: w, requests: requests{onEvent: w.onEvent}}, nil
	}
}

// connection lets a goroutine whose read fails take its turn, once. After that writes fail,
// so that the client's sender, which would choose at random between its queue and the end
// of the connection, finds the end.
type connection struct {
	net.Conn
	process *sim.Process
	failed  atomic.Bool // a read has failed
	ended   atomic.Bool // and has had its turn
	watched *watched

	requests requests
}

// Read reads data for the library. If several messages have arrived together, as in a pause,
// it reads the next, or the end of the connection, only when the goroutines woken by the one
// before are at rest.
func (c *connection) Read(b []byte) (int, error) {
	if c.requests.between() && c.readable() {
		c.process.AwaitTurn(c.LocalAddr().String())
	}
	n, err := c.Conn.Read(b)
	c.requests.answered(b[:n])
	if err != nil && !c.failed.Swap(true) {
		c.process.AwaitTurn(c.LocalAddr().String())
		c.ended.Store(true)
	}
	return n, err
}

// readable reports whether a Read would not wait.
func (c *connection) readable() bool {
	raw, err := c.Conn.(*sim.Conn).SyscallConn()
	return err != nil || raw.Read(nil) != nil
}

func (c *connection) Write(b []byte) (int, error) {
	underWay, first := c.requests.sent(b)
	if underWay > 1 {
		c.process.NoteNondeterminism(manyAtOnce)
	}
	if !first {
		if c.watched.ask(b) {
			c.process.NoteNondeterminism(twins)
		}
		b = ordered(b)
	}
	n, err := c.Conn.Write(b)
	if err == nil && c.ended.Load() {
		err = &net.OpError{Op: "write", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: syscall.EPIPE}
	}
	return n, err
}
