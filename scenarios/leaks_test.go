package scenarios_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestDrained: goroutines that dial until they succeed, and clients that nobody
// closes, end with their run.
func TestDrained(t *testing.T) {
	for _, lock := range []string{"test-dials-on", "test-unclosed"} {
		if sum := search(t, "contention", lock, 20); len(sum.Troubles) > 0 || sum.Schedules != 20 {
			t.Errorf("%s: %d schedules, %+v", lock, sum.Schedules, sum.Troubles)
		}
	}
}

// TestTidied: work in the background that ends after some leases is no leak, however long the
// leases are, and hides nothing.
func TestTidied(t *testing.T) {
	for _, scenario := range []string{"contention", "lost-wakeup"} {
		sum := search(t, scenario, "test-tidies", 10)
		if len(sum.Troubles) > 0 || sum.Violations[model.Violation{Property: checker.Progress}] == 0 {
			t.Errorf("%s: violations %v, %+v", scenario, sum.Violations, sum.Troubles)
		}
	}
}

// TestLeaksHideNothing: a lock that leaves a goroutine behind in every run is
// searched all the same, by a strategy that learns, too.
func TestLeaksHideNothing(t *testing.T) {
	slowtest.SkipIfShort(t)
	c, schedules := cells.Of(t, "gc-pause", "test-leaks"), 60
	if testing.Short() {
		schedules = 16 // a worker is started for each
	}
	sum, err := explore.Search{Worker: cells.Worker(t, 1), Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Schedules: schedules}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Violations) == 0 || sum.Schedules != schedules || len(sum.Leaked) != schedules || len(sum.Troubles) != 1 {
		t.Errorf("violations %v in %d schedules, %d leaks\n%+v", sum.Violations, sum.Schedules, len(sum.Leaked), sum.Troubles)
	}
}
