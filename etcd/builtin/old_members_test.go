package builtin_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestOldMembers: of the versions before 3.4.31 and 3.5.13, a leader that comes to from a hang
// revokes leases that were kept alive at the next one. Two clients then have a lock that is sound
// with members of later versions.
func TestOldMembers(t *testing.T) {
	for _, e := range []struct {
		old  string
		runs int // enough with each version of the client
		want bool
	}{{"0", 150, false}, {"1", 1500, true}} {
		c, err := scenarios.Registry(builtin.Locks()).Cell("election", "etcd", []traces.Parameter{{Name: "old-members", Value: e.old}})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for n := 0; n < e.runs && !found; n++ {
			out := c.Run(explore.Run{Tape: explore.Random(1, n)})
			if out.Failure != nil {
				t.Fatal(out.Failure)
			}
			found = slices.ContainsFunc(out.Verdicts, func(v model.Verdict) bool {
				return v.Property == checker.MutualExclusion && v.Status == model.Violated
			})
		}
		if found != e.want {
			t.Errorf("old-members=%s: two holders %t, want %t", e.old, found, e.want)
		}
	}
}
