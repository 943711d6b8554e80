package causes

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestAdviceOnOutside: a goroutine that is not the run's is named where it ended the process, and a panic of the lock is one nevertheless.
func TestAdviceOnOutside(t *testing.T) {
	for reason, want := range map[string]string{
		"the worker died: fatal error: select on synctest channel from outside bubble": "a finalizer",
		"the worker died: panic: on purpose":                                           "panicked or ended its process",
	} {
		if got := Advice(&explore.Trouble{Kind: explore.Crashed, Reason: reason, Stack: "goroutine 7 [running]:"}); !strings.Contains(got, want) {
			t.Errorf("%s: %q", reason, got)
		}
	}
}
