package scenarios

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/scenarios/redis"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// NewLock makes the lock under test for one client process. It is called once
// per process and run.
type NewLock func(c *Client) lock.Locker

// Client is one client process as the lock under test sees it: how to reach
// Redis, what time it is, where randomness comes from. Locks reach the
// simulated world through it and through nothing else.
//
// Any goroutine of the process may call its methods, but for Redis, RedisNodes,
// Rand and Cleanup, which are for the constructor.
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

// Redis are options for a go-redis client that talks to the primary, at its
// stable address. They are fresh at each call and may be edited: everything is
// go-redis's own default but for
//
//   - Dialer, which leads into the simulated network, with DialTimeout, and
//     sends the channels of a SUBSCRIBE in order; what Pub/Sub writes, or connects
//     for in the goroutines of PubSub.Channel, it does not wait for, since go-redis
//     has a mutex locked there that its Close and Ping want, too;
//   - Addr, an IP literal, since there is no resolver;
//   - PoolSize, fixed at 10, where the default depends on the machine;
//   - Limiter, which limits nothing: of requests of several threads to one node that
//     begin at the same instant, as when one message has woken them, it lets one after another
//     go on, since which of them gets which connection of the pool would depend on
//     the scheduler; and likewise of requests to several nodes that fail at the same
//     instant, in the order of the addresses, since of what they do next, such as
//     drawing how long to back off, the same is true;
//   - Protocol 2, which keeps the newest versions from starting machinery for
//     maintenance notifications that outlives a run.
//
// Of several independent servers it is the first.
func (c *Client) Redis() *redis.Options { return c.redisAt(c.addresses[0]) }

// RedisNodes are options like those of [Client.Redis] for each of the
// independent Redis servers, for locks that need a quorum of them. How many
// there are is a parameter of the scenario; one at least.
func (c *Client) RedisNodes() []*redis.Options {
	list := make([]*redis.Options, len(c.addresses))
	for i, a := range c.addresses {
		list[i] = c.redisAt(a)
	}
	return list
}

// redisAt are the options of a go-redis client for an address.
func (c *Client) redisAt(address string) *redis.Options {
	if c.store.ID() != redisstore.Store.ID() {
		panic("scenarios: Client.Redis: the store of this lock is " + c.store.Terms().Store)
	}
	return redisstore.Options(c.process, address)
}

// Addresses are where the independent servers of the store are found, host:port:
// for constructors of clients.
func (c *Client) Addresses() []string { return slices.Clone(c.addresses) }

// Dial connects to an address of the simulated network, such as that of the
// options that Redis returns, for clients other than go-redis. It blocks until
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
