package goredis_test

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// newLock is a sound lock over a client whose dialer has a limit of its own, half a second, which is less than
// go-redis's five.
func newLock(c *cell.Client) lock.Locker {
	rdb := redisstore.FailoverClient(c, func(o *redis.FailoverOptions) {
		dial := o.Dialer
		o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Second/2)
			defer cancel()
			return dial(ctx, network, addr)
		}
	})
	return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}
