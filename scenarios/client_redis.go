package scenarios

import (
	"github.com/redis/go-redis/v9"

	redisstore "github.com/lockpick-dev/lockpick/scenarios/redis"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file is where this package knows of Redis: locks live there unless they say
// otherwise, and have its clients at hand.

// defaultStore is where locks live that do not say where.
var defaultStore stage.Store = redisstore.Store

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
