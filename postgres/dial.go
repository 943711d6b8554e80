package postgres

import (
	"context"
	"database/sql/driver"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"

	"github.com/lockpick-dev/lockpick/cell"
)

// When a statement is given up, the libraries dial once more, to ask the server to cancel it, and they do so in a
// goroutine of their own. The goroutines of several connections that fail at one instant are alike, so each takes
// a turn, in the order of their connections: which of them dials first would be up to Go's scheduler.

// dialFunc returns the function by which pgx connects in the simulated network.
func dialFunc(c *cell.Client) pgconn.DialFunc {
	p := c.Process()
	if p == nil {
		return c.Dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		address, of, cancels := strings.Cut(address, ofConnection)
		if cancels {
			p.AwaitTurn(of)
		}
		conn, err := c.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return named{&ordered{Conn: conn}}, nil
	}
}

// ofConnection separates the address of a server from the connection to it, in the address that pgx dials to
// cancel a statement.
const ofConnection = " of "

// named is a connection whose remote address names the connection as well.
type named struct{ net.Conn }

// RemoteAddr returns the address of the server and of the client.
func (n named) RemoteAddr() net.Addr { return remote{n.Conn.RemoteAddr(), n.LocalAddr()} }

type remote struct {
	net.Addr
	local net.Addr
}

func (r remote) String() string { return r.Addr.String() + ofConnection + r.local.String() }

// connector makes connections of lib/pq, each with a dialer of its own.
type connector struct {
	config pq.Config
	client *cell.Client
}

// Connect makes a connection.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	one, err := pq.NewConnectorConfig(c.config)
	if err != nil {
		return nil, err
	}
	one.Dialer(&dialer{client: c.client})
	return one.Connect(ctx)
}

// Driver returns that of lib/pq.
func (c *connector) Driver() driver.Driver { return &pq.Driver{} }

// dialer makes one connection, and later those that ask to cancel its statements.
type dialer struct {
	client *cell.Client

	mu    sync.Mutex
	local string // of the connection, once there is one
}

// DialContext connects to the server.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	local := d.local
	d.mu.Unlock()
	if p := d.client.Process(); p != nil && local != "" {
		p.AwaitTurn(local)
	}
	conn, err := d.client.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.local = conn.LocalAddr().String()
	d.mu.Unlock()
	return &ordered{Conn: conn}, nil
}

// Dial connects to the server.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialTimeout connects to the server within a time.
func (d *dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}
