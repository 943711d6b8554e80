package redigo_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/repeat"
	"github.com/lockpick-dev/lockpick/scenarios"
)

func TestMain(m *testing.M) { repeat.Main(m, newLock) }

// TestRedigo puts the lock into every scenario. Faults of the lock fail; what
// no lease can prevent does not.
func TestRedigo(t *testing.T) { scenarios.Check(t, newLock) }

// TestRunsRepeat shows that redigo is deterministic here: it is about Lockpick,
// and no test of a lock needs it.
func TestRunsRepeat(t *testing.T) { repeat.Test(t, newLock) }
