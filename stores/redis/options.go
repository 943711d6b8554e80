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

// dialTimeout is go-redis's default. go-redis's own dialer applies it; a custom one
// must apply it itself.
const dialTimeout = 5 * time.Second

// simulated returns new options of a process's go-redis client for an address.
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

// turns is a limiter that serializes requests of one client that begin at the same instant,
// and requests to one address that fail at the same instant.
type turns struct {
	process *sim.Process
	address string
}

// Allow allows everything, but may block until it is the caller's turn. It is called before a
// connection is taken from the pool. Newer versions also call it, with a mutex locked, before the
// greeting of a connection that a PubSub's goroutine has dialed; it then does not block.
func (t *turns) Allow() error {
	if !t.process.UsesAlone(t) && dialed() != forChannel {
		t.process.AwaitTurnFor(t.address, t)
	}
	return nil
}

// ReportResult is called with the result of a request, or of the attempt to get a
// connection for it. An error that the server answered is not a failure.
func (t *turns) ReportResult(err error) {
	var answer redis.Error
	if err != nil && !errors.As(err, &answer) {
		t.process.AwaitTurn(t.address)
	}
}
