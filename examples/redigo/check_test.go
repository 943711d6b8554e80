package redigo_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, newLock, redisstore.Store) }

// TestRedigo searches every scenario. Faults of the lock fail the test; limits
// of leases do not.
func TestRedigo(t *testing.T) { locktest.Check(t, newLock, locktest.On(redisstore.Store)) }

// TestRunsRepeat shows that redigo is deterministic here. It tests Lockpick; tests of
// locks do not need it.
func TestRunsRepeat(t *testing.T) { storetest.Test(t, newLock, redisstore.Store) }
