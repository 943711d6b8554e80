package cell

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// NewLock makes the lock under test for one client process. It is called once per process
// and run.
type NewLock func(c *Client) lock.Locker

// Client is one client process as the lock under test sees it: the store's addresses, a
// clock and a random source. Locks reach the simulated world only through it. A client made
// by [NewRealClient] is part of this process and reaches real servers.
//
// Any goroutine of the process may call its methods, except Rand, Cleanup and the methods
// that return client options: call those in the constructor.
type Client struct {
	process   *sim.Process
	world     *sim.World
	store     stage.Store
	lockName  string
	ttl       time.Duration
	addresses []string
	own       stage.Own // settings that are specific to the store
	pause     time.Duration
	spec      model.Spec
	bounds    []record.Bound
	cluster   stage.Cluster // set if the world has several stores
	program   bool
	real      *realClient // instead of process and world
}

// Name returns the name of the process, unique in its run.
func (c *Client) Name() string {
	if c.real != nil {
		return c.real.name
	}
	return c.process.Name()
}

// LockName returns the name of the lock that all clients of the run compete for.
func (c *Client) LockName() string { return c.lockName }

// Spec returns the kind of the lock with all its parameters, such as the number of permits,
// parties or items.
func (c *Client) Spec() model.Spec { return c.spec }

// TTL returns the lease that the lock should ask for.
func (c *Client) TTL() time.Duration { return c.ttl }

// Pause returns the minimum pause between two tries of a polling lock; the maximum is twice
// that. It is 0 in scenarios: the lock then uses its own default.
func (c *Client) Pause() time.Duration { return c.pause }

// Clock returns the process's clock. A lease's Until ([lock.Expirer]) is a time of this clock, and of package time if nobody calls its Now, Since or Until.
func (c *Client) Clock() clockwork.Clock {
	if c.real != nil {
		return c.real.clock()
	}
	return c.process.ClockForCode()
}

// Monotonic returns a clock of the process's that runs as fast as Clock and does not jump. It is for measuring how long something lasts,
// as time.Since does; its readings cannot be compared with those of another process. Call it in the constructor. The ends of leases
// ([lock.Expirer]) are then readings of this clock, and no jump of a clock strikes the process.
func (c *Client) Monotonic() clockwork.Clock {
	if c.real != nil {
		return c.real.clock()
	}
	return c.process.Monotonic()
}

// Rand returns a random generator of the process. Each call returns a new one that yields the
// same numbers.
func (c *Client) Rand() *rand.Rand {
	if c.real != nil {
		return sim.NewRand(c.real.seed, c.real.name+"/lock")
	}
	return c.process.Rand("lock")
}

// Addresses returns the addresses (host:port) of the store: one for each independent server, or
// for each node where clients may choose the node.
func (c *Client) Addresses() []string { return slices.Clone(c.addresses) }

// Setting returns the value of a setting that is specific to the store, 0 if it is not set.
// Connectors of stores call it.
func (c *Client) Setting(name string) int { return c.own.Of(name) }

// Dial connects to an address of the simulated network, for clients that are not the
// store's own. It blocks until the connection is established or refused, or ctx is done.
// It has no time-out of its own.
func (c *Client) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.real != nil {
		return c.real.dial(ctx, network, addr)
	}
	return c.process.DialContext(ctx, network, addr, 0)
}

// Reach returns the client as one of the store with the given ID only: Addresses are those of its servers.
// If the run does not have that store, it panics with a message that says how to select it, by the given Go
// expression. Connectors of stores call it.
func (c *Client) Reach(id, store string) *Client {
	if c.store.ID() == id {
		return c
	}
	if servers := c.cluster.Of(id); len(servers) > 0 {
		one := *c
		one.store, one.addresses, one.cluster = servers[0].Of, servers.Addresses(), nil
		return &one
	}
	if c.program {
		panic(fmt.Sprintf("the program connects to %s, and its Stores are %s: add %s to them", id, c.store.ID(), store))
	}
	panic(fmt.Sprintf("this lock connects to %s, and the store of the run is %s: name the lock's store, by the option locktest.On(%s) or in cell.Lock", id, c.store.ID(), store))
}

// Host is a process that connects to stores: a [Client], or a [Process] of a program. Connectors of
// stores take one.
type Host interface {
	// AsClient returns the client through which it reaches the world.
	AsClient() *Client
}

// AsClient returns the client itself.
func (c *Client) AsClient() *Client { return c }

// Process returns the simulated process. Connectors of stores use it, to order goroutines of
// their client libraries; locks do not need it. It is nil for a client of [NewRealClient].
func (c *Client) Process() *sim.Process { return c.process }

// Cleanup registers a function to call when the run has ended, such as one that closes
// clients. A Locker that is an [io.Closer] needs none: it is closed anyway.
func (c *Client) Cleanup(f func()) {
	if c.real != nil {
		c.real.cleanups = append(c.real.cleanups, f)
		return
	}
	c.world.OnEnd(f)
}

// Bound promises a limit on what the lock keeps in its process, such as 10 connections or
// entries of a map, while none of its threads holds the lock or waits for it.
// Size counts them; the property bounded-size compares the count with the bound. Size is called
// after each Release, when all goroutines of the run are blocked, so it must not block, not even
// on a mutex that one of them holds. Call Bound in the constructor.
func (c *Client) Bound(what string, most int, size func() int) {
	c.bounds = append(c.bounds, record.Bound{What: what, Most: most, Size: size})
}

// closeAtEnd closes what the constructor made, if it is an io.Closer.
func (c *Client) closeAtEnd(object any) {
	if closer, ok := object.(io.Closer); ok {
		c.Cleanup(func() { _ = closer.Close() }) // the run is over: nobody would read the error
	}
}
