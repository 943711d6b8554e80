package testbinary

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestLevels: this release of Go has the fields that are read. What a subtest logs, and the failure of a test, are seen.
func TestLevels(t *testing.T) {
	t.Run("sub", func(sub *testing.T) {
		if testing.Verbose() {
			sub.Skip("with -v go test prints at once what is logged, and keeps nothing")
		}
		before := levels(sub)
		if len(before) < 2 {
			t.Fatalf("%d levels, want those of both tests", len(before))
		}
		sub.Log("seen")
		after := levels(sub)
		if said := string(after[0].output[len(before[0].output):]); !strings.Contains(said, "failed_test.go:") || !strings.Contains(said, ": seen") {
			t.Errorf("it logged %q", said)
		}
	})
	for i, one := range levels(t) {
		if one.failed != t.Failed() {
			t.Errorf("level %d: failed is %v", i, one.failed)
		}
	}
}

// TestNoticing: a run that logs has not failed.
func TestNoticing(t *testing.T) {
	run := noticing(t, func(explore.Run) explore.Outcome {
		t.Log("no failure")
		return explore.Outcome{Hash: 7}
	})
	if o := run(explore.Run{}); o.FailedTest != nil || o.Hash != 7 {
		t.Errorf("%+v", o)
	}
}
