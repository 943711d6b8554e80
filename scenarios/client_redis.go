package scenarios

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	redisstore "github.com/lockpick-dev/lockpick/scenarios/redis"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file is the only one of the package that names Redis, the default store.

// defaultStore is the store of locks that name none.
var defaultStore stage.Store = redisstore.Store

// Redis returns options for a go-redis client that connects to the primary at its stable
// address. Each call returns new options, which may be edited. Everything is go-redis's
// default except:
//
//   - Dialer, with DialTimeout, connects to the simulated network. It sends the
//     channels of a SUBSCRIBE in a fixed order. Writes and connects of the goroutines
//     behind PubSub.Channel do not block on it, because go-redis holds a mutex there
//     that its Close and Ping need.
//   - Addr is an IP literal, because there is no resolver.
//   - PoolSize is 10; the default depends on the machine.
//   - Limiter limits nothing. It orders requests of several threads that begin at the
//     same instant, since otherwise the scheduler would decide which of them gets
//     which connection of the pool. It also orders requests to several nodes that fail
//     at the same instant, by address.
//   - Protocol is 2, which keeps new versions from starting goroutines for maintenance
//     notifications that outlive a run.
//
// With several independent servers it is the first.
func (c *Client) Redis() *redis.Options { return c.redisAt(c.addresses[0]) }

// RedisNodes returns options like those of [Client.Redis] for each independent Redis
// server, for quorum locks. The scenario's parameters set their number; it is at least
// one.
func (c *Client) RedisNodes() []*redis.Options {
	list := make([]*redis.Options, len(c.addresses))
	for i, a := range c.addresses {
		list[i] = c.redisAt(a)
	}
	return list
}

// dialInTime connects to a real server in five seconds, as go-redis does by default.
func (c *Client) dialInTime(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return c.Dial(ctx, network, addr)
}

// redisAt are the options of a go-redis client for an address.
func (c *Client) redisAt(address string) *redis.Options {
	if c.store.ID() != redisstore.Store.ID() {
		panic("scenarios: Client.Redis connects to Redis, and the store of this lock is " + c.store.Terms().Store + ": use Client.Dial")
	}
	if c.real != nil {
		return &redis.Options{Addr: address, PoolSize: 10, Protocol: 2, Dialer: c.dialInTime}
	}
	return redisstore.Options(c.process, address)
}
