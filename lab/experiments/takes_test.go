package experiments

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lab"
)

// Runs that end at a time are repeated until they have taken long enough; those without an end
// take as long as they take, and those that are too long are not run.
func TestRealTakes(t *testing.T) {
	for _, test := range []struct {
		until, want time.Duration
	}{
		{0, 0}, {time.Second, 5 * time.Second}, {2 * time.Second, 6 * time.Second}, {500 * time.Millisecond, 2500 * time.Millisecond},
		{21 * time.Second, 21 * time.Second}, {patience + 1, 0},
	} {
		if got := RealTakes([]Variant{{Plan: lab.Plan{Until: test.until}}}); got != test.want {
			t.Errorf("a run of %v takes %v, want %v", test.until, got, test.want)
		}
	}
}
