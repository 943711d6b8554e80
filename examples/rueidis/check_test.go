package rueidis_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/repeat"
	"github.com/lockpick-dev/lockpick/scenarios"
)

func TestMain(m *testing.M) { repeat.Main(m, newLock, nil) }

// TestRueidis searches every scenario. Faults of the lock fail the test; limits
// of leases do not.
func TestRueidis(t *testing.T) { scenarios.Check(t, newLock) }

// TestRunsRepeat shows that rueidis is deterministic here. It tests Lockpick; tests of
// locks do not need it.
func TestRunsRepeat(t *testing.T) { repeat.Test(t, newLock, nil) }
