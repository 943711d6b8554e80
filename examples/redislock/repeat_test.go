package redislock_test

import (
	"testing"

	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, newLock, redisstore.Store) }

// TestRunsRepeat shows that the lock and its client are deterministic here. It tests
// Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { storetest.Test(t, newLock, redisstore.Store) }
