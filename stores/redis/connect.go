package redis

import (
	"context"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Connect returns a go-redis client of a client process, with [Options], or a [FailoverClient] if
// sentinels choose the primary. It is closed when the run has ended, and may be closed earlier.
func Connect(h cell.Host) *redis.Client {
	c := h.AsClient().Reach(Store.ID(), "redis.Store")
	if c.Setting(stage.Topology) == Sentinel {
		return FailoverClient(c, nil)
	}
	client := redis.NewClient(Options(c))
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// Options returns options for a go-redis client that connects to the primary at its stable
// address. Each call returns new options, which may be edited. Everything is go-redis's
// default except:
//
//   - Dialer, with DialTimeout, connects to the simulated network. It sends the
//     channels of a SUBSCRIBE in a fixed order. Writes and connects of the goroutines
//     behind PubSub.Channel do not block on it, because go-redis holds a mutex there
//     that its Close and Ping need.
//   - Addr is an IP literal, because there is no resolver.
//   - PoolSize is 10; the default depends on the machine. In scenarios that limit connections
//     (stage.PoolSize) it is their number, and PoolTimeout is 4 s. A request that waits for longer
//     fails with go-redis's "redis: connection pool timeout". Connections of Pub/Sub are not from
//     the pool.
//   - Limiter limits nothing. It orders requests of several goroutines that begin at the
//     same instant, since otherwise the scheduler would decide which of them gets
//     which connection of the pool. It also orders requests to several nodes that fail
//     at the same instant, by address.
//   - Protocol is 2, which keeps new versions from starting goroutines for maintenance
//     notifications that outlive a run.
//
// If there are several independent servers, the options are for the first. A client of
// cell.NewRealClient has neither the Limiter nor an order of channels.
//
// Options panics if the run has another store, or the primary has no stable address
// (topology=sentinel or cluster).
func Options(h cell.Host) *redis.Options {
	c := h.AsClient().Reach(Store.ID(), "redis.Store")
	return optionsAt(c, c.Addresses()[0])
}

// AllOptions returns options like those of [Options] for each independent server, for quorum
// locks. The scenario's parameters set their number; it is at least one.
func AllOptions(h cell.Host) []*redis.Options {
	c := h.AsClient().Reach(Store.ID(), "redis.Store")
	addresses := c.Addresses()
	list := make([]*redis.Options, len(addresses))
	for i, a := range addresses {
		list[i] = optionsAt(c, a)
	}
	return list
}

// optionsAt returns the options of a go-redis client for an address.
func optionsAt(c *cell.Client, address string) *redis.Options {
	if c.Setting(stage.Topology) != Replicas {
		panic("this lock connects to a stable address of the primary, and in the topology of the run there is none: connect with redis.Universal(c, nil)")
	}
	o := &redis.Options{Addr: address, Protocol: 2, Dialer: realDialer(c)}
	if c.Process() != nil {
		o = simulated(c.Process(), address)
	}
	o.PoolSize, o.PoolTimeout = pool(c.Setting(stage.PoolSize))
	return o
}

// realDialer connects to a real server in five seconds, as go-redis does by default.
func realDialer(c *cell.Client) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		return c.Dial(ctx, network, address)
	}
}
