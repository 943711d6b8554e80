package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/repeat"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

func TestMain(m *testing.M) { repeat.Main(m, newLock, redisstore.Store) }

// TestRunsRepeat shows that the lock and its client are deterministic here. It tests
// Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { repeat.Test(t, newLock, redisstore.Store) }
