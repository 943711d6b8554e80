package scenarios_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// TestNotSearched: a value that is made of the time alone is reported, whether it shows
// or seeds a random number, and nothing else is: neither a value that has the name of
// the process or something random beside the time, nor a constant, nor what a Clock
// shows, which two processes of a search do see together. So is an end that is sent by package
// time's clock, which no scenario skews, and not one by a Clock.
func TestNotSearched(t *testing.T) {
	const unique, skewed = "made of package time's nanoseconds alone", "the end of lock that the lock sends to the store is package time"
	for lock, want := range map[string]string{
		"test-token-nanoseconds":   unique,
		"test-token-seeded":        unique,
		"test-token-named":         "",
		"test-token-random":        "",
		"test-leased":              "",
		"test-timestamped":         "",
		"test-quorum-retries":      "",
		"test-end-by-package-time": skewed,
		"test-end-by-clock":        "",
	} {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			got := cell.NotSearched(t.Context(), cells.Worker(t, 1), cells.Of(t, "gc-pause", lock))
			if (len(got) == 1) != (want != "") || want != "" && !strings.Contains(got[0], want) {
				t.Errorf("reported %q, want %q", got, want)
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
