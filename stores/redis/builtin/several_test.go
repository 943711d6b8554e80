package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// TestServersApart: where clients move a lock from a server that hangs, two hold it, which is the lock's fault: that server
// has forgotten nothing. Where they do not, none do.
func TestServersApart(t *testing.T) {
	slowtest.SkipIfShort(t)
	for lock, faulty := range map[string]bool{"setpx-sharded": false, "setpx-ring": true} {
		c, err := scenarios.Registry(builtin.Locks()).Cell("hung-node", lock, nil)
		if err != nil {
			t.Fatal(err)
		}
		causes := map[string]int{}
		for n := range 60 {
			run := c.Run(explore.Run{Tape: explore.Random(1, n)})
			if run.Failure != nil {
				t.Fatal(run.Failure)
			}
			for _, v := range run.Verdicts {
				if v.Property == checker.MutualExclusion && v.Status == model.Violated {
					causes[v.Cause]++
				}
			}
		}
		if (causes[model.GrantedToBoth] > 0) != faulty || len(causes) > 1 {
			t.Errorf("%s: %v", lock, causes)
		}
	}
}
