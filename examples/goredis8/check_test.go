package goredis8_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, newLock, redisstore.Store) }

// TestGoRedis8 searches every scenario. Faults of the lock fail the test; limits
// of leases do not.
func TestGoRedis8(t *testing.T) { locktest.Check(t, newLock, locktest.On(redisstore.Store)) }

// TestRunsRepeat shows that go-redis v8 is deterministic here: its own random source, from which it draws how long it waits
// before it asks again, is seeded with each run. It tests Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { storetest.Test(t, newLock, redisstore.Store) }
