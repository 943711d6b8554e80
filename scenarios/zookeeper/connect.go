package zookeeper

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
)

// Connect opens a session with the ensemble for a client process, with the time-out of
// scenarios.Client.TTL. It returns the connection, and the events of its session: as with
// zk.Connect, those that nobody reads are lost. The connection is closed when the run has
// ended; nobody else may close it.
//
// Everything is go-zookeeper's default except:
//
//   - The dialer connects to the simulated network. A read that fails takes its turn, so
//     that goroutines of one process whose connections fail at one instant go on in a fixed
//     order.
//   - The host provider takes addresses as they are, since there is no resolver. It tries
//     them in the order in which zk.Connect has shuffled them.
//   - The buffers have 64 KiB, and nothing is logged.
//
// A run is deterministic if each connection is used by one thread. After a reset the
// requests of several threads fail in the order of a map.
func Connect(c *scenarios.Client) (*zk.Conn, <-chan zk.Event) {
	return ConnectFor(c, c.TTL())
}

// ConnectFor is [Connect] with another time-out of the session, which the ensemble accepts
// from a fifth of the lease to twice the lease.
func ConnectFor(c *scenarios.Client, session time.Duration) (*zk.Conn, <-chan zk.Event) {
	conn, events, err := zk.Connect(c.Addresses(), session, zk.WithDialer(dialer(c.Process())),
		zk.WithHostProvider(new(hosts)), zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithMaxBufferSize(bufferSize), zk.WithMaxConnBufferSize(bufferSize))
	if err != nil {
		panic("zookeeper: " + err.Error()) // there are no addresses: the store is another one
	}
	c.Cleanup(conn.Close)
	return conn, events
}

const bufferSize = 64 << 10

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Printf(string, ...any) {}

// hosts are the servers' addresses, in turn, as zk.DNSHostProvider goes through them.
type hosts struct {
	list []string
	at   int // the present one
	last int // the one of the last success; -1 before the first round
}

// Init takes the addresses.
func (h *hosts) Init(servers []string) error {
	h.list, h.at, h.last = servers, -1, -1
	return nil
}

// Len is how many there are.
func (h *hosts) Len() int { return len(h.list) }

// Next is the next server, and whether all were tried since the last success.
func (h *hosts) Next() (server string, retryStart bool) {
	h.at = (h.at + 1) % len(h.list)
	retryStart = h.at == h.last
	if h.last == -1 {
		h.last = 0
	}
	return h.list[h.at], retryStart
}

// Connected begins a new round.
func (h *hosts) Connected() { h.last = h.at }

// dialer connects from a process to the simulated network.
func dialer(p *sim.Process) zk.Dialer {
	return func(network, address string, timeout time.Duration) (net.Conn, error) {
		conn, err := p.DialContext(context.Background(), network, address, timeout)
		if err != nil {
			return nil, err
		}
		return &connection{Conn: conn, process: p}, nil
	}
}

// connection lets a goroutine whose read fails take its turn, once.
type connection struct {
	net.Conn
	process *sim.Process
	failed  atomic.Bool
}

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && !c.failed.Swap(true) {
		c.process.Turn(c.LocalAddr().String())
	}
	return n, err
}
