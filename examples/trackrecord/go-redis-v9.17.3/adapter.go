// Package adapter has a sound lock over a failover client of redis/go-redis. The modules of v9.17.3 and v9.18.0 share it.
package adapter

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// NewLock is a sound lock over a client whose dialer has a limit of its own, half a second, which is less than
// go-redis's five, and answers with the context's error when that has passed, as one through a tunnel does
// (ssh.Client.DialContext of golang.org/x/crypto). net.Dialer answers with that in one of four cases, and else with
// os.ErrDeadlineExceeded, since two timers end at the same time: then go-redis asks another sentinel.
func NewLock(c *cell.Client) lock.Locker {
	rdb := redisstore.FailoverClient(c, func(o *redis.FailoverOptions) {
		dial := o.Dialer
		o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Second/2)
			defer cancel()
			conn, err := dial(ctx, network, addr)
			if slow := net.Error(nil); errors.As(err, &slow) && slow.Timeout() {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return conn, err
		}
	})
	return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}
