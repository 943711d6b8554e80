package scenarios

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// This file makes clients for whoever builds a world that no scenario has, or none at all.

// Outfit is what a [Client] has of the store.
type Outfit struct {
	Store     stage.Store
	Addresses []string
	LockName  string
	// TTL is the lease that the lock should ask for.
	TTL time.Duration
	// Connections is how many connections it may have at once, 0 for any number.
	Connections int
	// Dial, if not nil, connects a client of [NewRealClient]. Without it connections are
	// those of package net.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Pause is the least pause between two tries of a lock that asks again and again, 0 for
	// what the lock takes by itself.
	Pause time.Duration
}

// NewClient makes the client that a process of a world is.
func NewClient(w *sim.World, p *sim.Process, o Outfit) *Client {
	c := o.client()
	c.world, c.process = w, p
	return c
}

// NewRealClient makes a client that is a part of this process: its clock is the real one,
// and Dial reaches real servers. The name and the seed determine what Rand yields. The
// connectors of the stores' packages take it as they take a simulated one. Close calls what
// Cleanup has registered, the last first.
func NewRealClient(name string, seed uint64, o Outfit) (_ *Client, closeAll func()) {
	c := o.client()
	c.real = &realClient{name: name, seed: seed, dial: o.Dial}
	if c.real.dial == nil {
		c.real.dial = new(net.Dialer).DialContext
	}
	return c, func() {
		for _, f := range slices.Backward(c.real.cleanups) {
			f()
		}
		c.real.cleanups = nil
	}
}

func (o Outfit) client() *Client {
	return &Client{store: o.Store, lockName: o.LockName, ttl: o.TTL, addresses: o.Addresses, most: o.Connections, pause: o.Pause}
}

// realClient is what a real client has instead of a process.
type realClient struct {
	name     string
	seed     uint64
	dial     func(ctx context.Context, network, addr string) (net.Conn, error)
	cleanups []func()
}

// Construct makes the lock for a client process: a Locker for a mutex, the kind's own
// type for another. What it makes is closed at the end, if it is an io.Closer.
func (l Lock) Construct(c *Client) any {
	object := l.make(c)
	c.closeAtEnd(object)
	return object
}
