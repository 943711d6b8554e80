package scenarios_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// TestNotSearched: a value that is made of the time alone is told, whether it shows
// or seeds a random number, and nothing else is: neither a value that has the name of
// the process or something random beside the time, nor a constant, nor what a Clock
// shows, which two processes of a search do see together.
func TestNotSearched(t *testing.T) {
	for lock, want := range map[string]bool{
		"test-token-nanoseconds": true,
		"test-token-seeded":      true,
		"test-token-named":       false,
		"test-token-random":      false,
		"test-leased":            false,
		"test-timestamped":       false,
		"test-quorum-retries":    false,
	} {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			got := cell.NotSearched(t.Context(), cells.Worker(t, 1), cells.Of(t, "gc-pause", lock))
			if (len(got) == 1) != want || want && !strings.Contains(got[0], "made of package time's nanoseconds alone") {
				t.Errorf("told %q, want it: %v", got, want)
			}
		})
	}
}

// TestNothingUnsearched: none of the locks that come with Lockpick makes its values of the
// time alone.
func TestNothingUnsearched(t *testing.T) {
	w := cells.Worker(t, 1)
	for _, l := range builtin.Locks() {
		if got := cell.NotSearched(t.Context(), w, cells.Of(t, "contention", l.ID)); len(got) > 0 {
			t.Errorf("%s: %q", l.ID, got)
		}
	}
}
