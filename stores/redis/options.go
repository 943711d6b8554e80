package redis

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// dialTimeout is go-redis's default. Its own dialer applies it; a custom one
// has to do so itself.
const dialTimeout = 5 * time.Second

// simulated are new options of a go-redis client of a process that talks to an address.
func simulated(p *sim.Process, address string) *redis.Options {
	o := &redis.Options{Addr: address, Protocol: 2}
	o.PoolSize, o.PoolTimeout = pool(0)
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return dial(ctx, p, network, addr, o.DialTimeout)
	}
	o.Limiter = &turns{p, address}
	return o
}

// dial connects a process to an address of Redis. A timeout of 0 is go-redis's default.
func dial(ctx context.Context, p *sim.Process, network, addr string, timeout time.Duration) (net.Conn, error) {
	if timeout == 0 {
		timeout = dialTimeout
	}
	return dialFor(ctx, network, addr, func(ctx context.Context) (net.Conn, error) {
		conn, err := p.DialContext(ctx, network, addr, timeout)
		return simredis.Sorted(conn), err
	})
}

// turns is a limiter that lets requests over one client that begin at the same instant, and
// requests to one address that fail at the same instant, go on one after another.
type turns struct {
	process *sim.Process
	address string
}

// Allow is called before a connection is taken from the pool, and by newer versions before the
// greeting of one that a PubSub's goroutine has dialed: with a mutex locked, so that one does not
// wait. It allows everything.
func (t *turns) Allow() error {
	if !t.process.UsesAlone(t) && dialed() != forChannel {
		t.process.AwaitTurnFor(t.address, t)
	}
	return nil
}

// ReportResult is called with how a request went, or the attempt to get a connection
// for it. What the server answers is no failure.
func (t *turns) ReportResult(err error) {
	var answer redis.Error
	if err != nil && !errors.As(err, &answer) {
		t.process.AwaitTurn(t.address)
	}
}
