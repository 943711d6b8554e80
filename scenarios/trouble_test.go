package scenarios_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// search runs a small search in a worker.
func search(t *testing.T, scenario, lock string, schedules int) *explore.Summary {
	t.Helper()
	c := cells.Of(t, scenario, lock)
	sum, err := explore.Search{
		Worker: cells.Worker(t, 1), Cell: c.Encode(), Seed: 1, Schedules: schedules, Happenings: len(c.Scenario.Happenings),
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestProgress shows that progress can be violated, by noise and in silence.
func TestProgress(t *testing.T) {
	for _, lock := range []string{"test-never-released", "test-never-woken"} {
		sum := search(t, "contention", lock, 5)
		if sum.Violated(checker.Progress) != 5 {
			t.Errorf("%s: progress was violated in %d of 5 schedules; %s", lock, sum.Violated(checker.Progress), sum.Result())
		}
	}
}

// TestMisbehaviour shows that what a lock does to its own run is a result.
func TestMisbehaviour(t *testing.T) {
	for _, test := range []struct {
		scenario, lock string
		want           explore.TroubleKind
		says           string
	}{
		{"gc-pause", "test-own-random", explore.Nondeterministic, "event "},
		{"contention", "test-panics", explore.Crashed, "a panic on purpose"},
		{"contention", "test-stalls", explore.Stalled, "sync.Mutex.Lock"},
	} {
		t.Run(test.lock, func(t *testing.T) {
			if test.want == explore.Stalled {
				slowtest.SkipIfShort(t)
			}
			t.Parallel()
			sum := search(t, test.scenario, test.lock, 200)
			if len(sum.Troubles) == 0 {
				t.Fatalf("no trouble: %s", sum.Result())
			}
			trouble := sum.Troubles[0]
			if trouble.Kind != test.want || !strings.Contains(trouble.Reason, test.says) {
				t.Errorf("got %s: %s\n%s\nwant %s saying %q", trouble.Kind, trouble.Reason, trouble.Stack, test.want, test.says)
			}
		})
	}
}
