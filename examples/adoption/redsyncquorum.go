package main

import (
	"context"
	"net"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/redigo"
	redigoredis "github.com/gomodule/redigo/redis"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var redsyncQuorum = library{
	module: "github.com/go-redsync/redsync/v4",
	lock: cell.Lock{ID: "redsync-quorum", Summary: "go-redsync/redsync over five servers, by redigo", Flawed: true,
		Store: redisstore.Store, Subject: cell.Mutex(newRedsyncQuorum), Needs: cell.Needs{Servers: 5}},
	expected: violates("redsync-quorum", redsyncLibrary.expected.Reason),
}

func newRedsyncQuorum(c *cell.Client) lock.Locker {
	var pools []redsyncredis.Pool
	for _, o := range redisstore.AllOptions(c) {
		pools = append(pools, redigo.NewPool(redigoPool(c, o.Addr)))
	}
	return redsyncer{rs: redsync.New(pools...), c: c}
}

// redigoPool is a pool of redigo's with time-outs of five seconds, which are none by default.
func redigoPool(c *cell.Client, address string) *redigoredis.Pool {
	const patience = 5 * time.Second
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return c.Dial(ctx, network, address)
	}
	pool := &redigoredis.Pool{MaxIdle: 3, DialContext: func(ctx context.Context) (redigoredis.Conn, error) {
		return redigoredis.DialContext(ctx, "tcp", address, redigoredis.DialContextFunc(dial),
			redigoredis.DialReadTimeout(patience), redigoredis.DialWriteTimeout(patience))
	}}
	c.Cleanup(func() { _ = pool.Close() })
	return pool
}
