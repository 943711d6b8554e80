package parts

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// LockName is the name of the lock.
const LockName = "lock"

// Client is who uses the lock: its servers, and what the lock asks it for.
type Client struct {
	t         testing.TB
	name      string
	addresses []string
	ttl       time.Duration
}

// NewClient returns a client of servers.
func NewClient(t testing.TB, name string, ttl time.Duration, addresses ...string) *Client {
	return &Client{t, name, addresses, ttl}
}

// Name is its name.
func (c *Client) Name() string { return c.name }

// LockName is the name of the lock.
func (c *Client) LockName() string { return LockName }

// TTL is how long a lease lasts.
func (c *Client) TTL() time.Duration { return c.ttl }

// Pause is between two tries: 0 for the lock's default.
func (c *Client) Pause() time.Duration { return 0 }

// Clock is the machine's.
func (c *Client) Clock() clockwork.Clock { return clockwork.NewRealClock() }

// Rand is a source of random numbers.
func (c *Client) Rand() *rand.Rand { return rand.New(rand.NewPCG(rand.Uint64(), 0)) }

// Addresses are those of its servers.
func (c *Client) Addresses() []string { return c.addresses }

// Cleanup registers what ends the client's connections.
func (c *Client) Cleanup(f func()) {
	if c.t != nil { // else it ends with its process
		c.t.Cleanup(f)
	}
}

// Dial connects it to a server.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

// Call is one that is under way.
type Call struct{ done chan error }

// Begin begins a call, and does not wait for it.
func Begin(f func() error) *Call {
	c := &Call{make(chan error, 1)}
	go func() { c.done <- f() }()
	return c
}

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// Within waits for its end for a while. A call that does not end has the error ErrWaits.
func (c *Call) Within(long time.Duration) error {
	select {
	case err := <-c.done:
		return err
	case <-time.After(long):
		return ErrWaits
	}
}

// ErrWaits is the error of a call that has not ended.
var ErrWaits = errors.New("it still waits")

// Wait waits for its end.
func (c *Call) Wait(t testing.TB) error {
	t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(patience):
		t.Fatal("the call does not return")
		return nil
	}
}
