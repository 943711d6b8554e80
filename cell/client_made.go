package cell

import (
	"context"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// This file makes clients for worlds without a scenario, and for use without a world.

// Outfit configures a [Client].
type Outfit struct {
	Store     stage.Store
	Addresses []string
	LockName  string
	// Spec is the kind of object, with its parameters ([Client.Spec]).
	Spec model.Spec
	// TTL is the lease that the lock should ask for.
	TTL time.Duration
	// Own are the settings that are specific to the store.
	Own stage.Own
	// Dial, if not nil, connects a client of [NewRealClient]. Without it package net
	// connects.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Clock, if not nil, returns the clock of a client of [NewRealClient]. Without it the clock
	// is package time's.
	Clock func() clockwork.Clock
	// Pause is the minimum pause between two tries of a polling lock, 0 for the lock's own
	// default.
	Pause time.Duration
}

// NewClient makes the client for a process of a simulated world.
func NewClient(w *sim.World, p *sim.Process, o Outfit) *Client {
	c := o.client()
	c.world, c.process = w, p
	return c
}

// NewRealClient makes a client that is part of this process: its clock is the real one unless the outfit has
// another, and Dial reaches real servers. The name and the seed determine the numbers of Rand. The stores'
// connectors accept it like a simulated client. CloseAll calls the functions registered by Cleanup, the last
// one first.
func NewRealClient(name string, seed uint64, o Outfit) (_ *Client, closeAll func()) {
	c := o.client()
	c.real = &realClient{name: name, seed: seed, dial: o.Dial, clock: o.Clock}
	if c.real.dial == nil {
		c.real.dial = new(net.Dialer).DialContext
	}
	if c.real.clock == nil {
		c.real.clock = clockwork.NewRealClock
	}
	return c, func() {
		for _, f := range slices.Backward(c.real.cleanups) {
			f()
		}
		c.real.cleanups = nil
	}
}

func (o Outfit) client() *Client {
	return &Client{store: o.Store, lockName: o.LockName, ttl: o.TTL, spec: o.Spec, addresses: o.Addresses, own: o.Own, pause: o.Pause}
}

// realClient replaces the simulated process in a real client.
type realClient struct {
	name     string
	seed     uint64
	dial     func(ctx context.Context, network, addr string) (net.Conn, error)
	clock    func() clockwork.Clock
	cleanups []func()
}

// hostOf returns the host of the i-th client process, from 0.
func hostOf(i int) string { return "10.0.0." + strconv.Itoa(i+1) }
