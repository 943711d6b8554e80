package redislock_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/repeat"
)

func TestMain(m *testing.M) { repeat.Main(m, newLock) }

// TestRunsRepeat shows that the lock and its client are deterministic here: it
// is about Lockpick, and no test of a lock needs it.
func TestRunsRepeat(t *testing.T) { repeat.Test(t, newLock) }
