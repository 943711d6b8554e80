package rueidis_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/repeat"
	"github.com/lockpick-dev/lockpick/scenarios"
)

func TestMain(m *testing.M) { repeat.Main(m, newLock) }

// TestRueidis puts the lock into every scenario. Faults of the lock fail; what
// no lease can prevent does not.
func TestRueidis(t *testing.T) {
	for _, s := range scenarios.All() {
		t.Run(s.ID, func(t *testing.T) { rapid.Check(t, scenarios.Property(s.ID, newLock)) })
	}
}

// TestRunsRepeat shows that rueidis is deterministic here: it is about Lockpick,
// and no test of a lock needs it.
func TestRunsRepeat(t *testing.T) { repeat.Test(t, newLock) }
