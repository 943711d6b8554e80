package scenarios_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestDeaths: of a worker that dies, or is given up, what was seen is reported.
func TestDeaths(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range []struct {
		lock  string
		kind  explore.TroubleKind
		cause explore.Cause
		says  string
	}{
		{"test-overflows", explore.Crashed, explore.StackOverflow, "died of a stack overflow"},
		{"test-localhost", explore.Inconclusive, explore.RealNetwork, "uses real networking"},
		{"test-exhausts", explore.Inconclusive, explore.Allocating, "MB of memory"},
	} {
		t.Run(test.lock, func(t *testing.T) {
			t.Parallel()
			if cells.RaceEnabled() && test.cause != explore.Allocating {
				t.Skip("stacks grow more slowly in a race build")
			}
			sum := search(t, "contention", test.lock, 1)
			if len(sum.Troubles) != 1 {
				t.Fatalf("%d troubles: %s", len(sum.Troubles), sum.Result())
			}
			got := sum.Troubles[0]
			if got.Kind != test.kind || got.Cause != test.cause || !strings.Contains(got.Reason, test.says) || strings.Contains(got.Reason, "code that spins") {
				t.Errorf("%s of %q: %s\n%s", got.Kind, got.Cause, got.Reason, got.Stack)
			}
		})
	}
}
