// Package mylock has the test of a lock that CI searches in shards. Put your own lock in its place.
package mylock

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

func newLock(c *locktest.Client) lock.Locker {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return redislocks.NewReentrant(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}

// TestMyLock searches every scenario. With -simrun.shard=I/N it searches its part of each and keeps it, and with -simrun.merge it judges what
// the shards have kept.
func TestMyLock(t *testing.T) { locktest.Check(t, newLock, locktest.On(redisstore.Store)) }
