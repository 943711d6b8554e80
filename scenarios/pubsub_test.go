package scenarios_test

import (
	"testing"
)

// TestPubSub: a subscription as go-redis's documentation has it, with Channel and a
// deferred Close, stalls no run: neither in a dead or paused process nor while
// go-redis connects anew.
func TestPubSub(t *testing.T) {
	for _, scenario := range []string{"gc-pause", "holder-crash", "late-request", "hung-node", "partition", "cancel"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			sum := search(t, scenario, "test-pubsub", 60)
			for i := range sum.Troubles {
				trouble := &sum.Troubles[i]
				t.Errorf("%s in schedule %d: %s\n%s", trouble.Kind, trouble.Schedule, trouble.Reason, trouble.Stack)
			}
			if sum.Schedules != 60 {
				t.Errorf("%d of 60 schedules", sum.Schedules)
			}
		})
	}
}
