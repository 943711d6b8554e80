package goredis_test

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// newLock is a sound lock over a client with go-redis's own limits.
func newLock(c *cell.Client) lock.Locker {
	rdb := redisstore.FailoverClient(c, nil)
	return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}
