package scenarios

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// NewLock makes the lock under test for one client process. It is called once
// per process and run.
type NewLock func(c *Client) lock.Locker

// Client is one client process as the lock under test sees it: how to reach
// the store, what time it is, where randomness comes from. Locks reach the
// simulated world through it and through nothing else.
//
// Any goroutine of the process may call its methods, but for Rand and
// Cleanup, and those that make options of clients, which are for the constructor.
type Client struct {
	process   *sim.Process
	world     *sim.World
	store     stage.Store
	lockName  string
	ttl       time.Duration
	addresses []string // of the independent servers
	spec      model.Spec
}

// Name is the name of the process, unique in its run.
func (c *Client) Name() string { return c.process.Name() }

// LockName is the name of the lock that all clients of the run want.
func (c *Client) LockName() string { return c.lockName }

// Spec is what kind of object the lock is, with all its parameters: how many
// permits, parties or items there are.
func (c *Client) Spec() model.Spec { return c.spec }

// TTL is the lease that the lock should ask for.
func (c *Client) TTL() time.Duration { return c.ttl }

// Clock is the process's clock.
func (c *Client) Clock() clockwork.Clock { return c.process.Clock() }

// Rand is a random generator of the process's own. Each call returns a new
// one with the same numbers.
func (c *Client) Rand() *rand.Rand { return c.process.Rand("lock") }

// Addresses are where the independent servers of the store are found, host:port:
// for constructors of clients.
func (c *Client) Addresses() []string { return slices.Clone(c.addresses) }

// Dial connects to an address of the simulated network, such as that of the
// options of a client, for others than the stores' own. It blocks until
// the connection stands, was refused, or ctx is done; it has no timeout of its
// own.
func (c *Client) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return c.process.DialContext(ctx, network, addr, 0)
}

// Cleanup registers a function that is called when the run has ended: close
// clients here. A Locker that is an [io.Closer] is closed anyway.
func (c *Client) Cleanup(f func()) { c.world.OnEnd(f) }

// closeAtEnd closes what the constructor made, if it can be closed.
func (c *Client) closeAtEnd(object any) {
	if closer, ok := object.(io.Closer); ok {
		c.world.OnEnd(func() { _ = closer.Close() }) // nobody is left to tell
	}
}
