package scenarios_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/claims"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// lockTypes are the types of packages redislocks and flawed with the locks that are made of
// them. Those without an id of their own are described in another's comment.
var lockTypes = map[string][]string{
	"SetNX": {"setnx"}, "SetNXTimestampDel": {"setnx-timestamp-del"}, "SetNXGetSet": {"setnx-getset", "setnx-getset-nil"},
	"SetNXGetSetPrinted": {"setnx-getset-as-printed"},
	"SetPX":              {"setpx"}, "SetPXCAD": {"setpx-cad"}, "SetPXDelEx": {"setpx-delex"}, "SetPXWatch": {"setpx-watch"}, "SetPXWait": {"setpx-wait", "setpx-wait-one-of-two", "setpx-wait-min-replicas"},
	"SetPXFenced": {"setpx-fenced"}, "SetPXFencedElsewhere": {"setpx-fenced-elsewhere"},
	"SetPXReplicaCheck": {"setpx-replica-check"}, "SetPXDel": {"setpx-del"}, "SetPXTwoStep": {"setpx-twostep"}, "SetPXVoidPrinted": {"setpx-void-as-printed"},
	"SetPXWaitAsTTLPrinted": {"setpx-d-as-printed"}, "SetPXSpinReleasePrinted": {"setpx-spin-release-as-printed"},
	"CheckSubscribe": {"check-subscribe"}, "SetPXQuietReleasePrinted": {"setpx-quiet-release-as-printed"},
	"LeasedWatchdog": {"watchdog-leased"}, "Reentrant": {"reentrant"}, "Watchdog": {"watchdog"}, "Fair": {"fair"}, "ReadWrite": {"readwrite"},
	"Semaphore": {"semaphore"}, "PermitSemaphore": {"permit-semaphore"}, "Latch": {"latch"}, "Barrier": {"barrier"},
	"Segmented": {"segmented"}, "Multi": {"multi"},
	"Redlock": {"redlock", "redlock-replicated", "redlock-unchecked"}, "RedlockMulti": {"redlock-multi"},
	"SetPXRing": {"setpx-ring"}, "EarlyHotspots": {"pull-hotspot-early"}, "HotspotsOfAll": {"pull-hotspot-of-all"},
	"RedlockOneCluster": {"redlock-one-cluster"}, "Untagged": {"redisson-untagged"},
}

// TestComments: what a lock's comment says in parentheses of scenarios and
// properties is what is expected there; it has its guarantee, what breaks it and
// its defaults; and there is an example.
func TestComments(t *testing.T) {
	const dir = "../lock/redislocks"
	comments, examples := claims.Comments(t, dir)
	flawed, more := claims.Comments(t, dir+"/flawed")
	maps.Copy(comments, flawed)
	examples = append(examples, more...)
	covered := []string{"pull", "pull-renew", "pull-hotspot", "pull-hotspot-names", "setpx-sharded"} // of package pull, which has its own manual, and SetPX with ShardOf
	for name, ids := range lockTypes {
		covered = append(covered, ids...)
		comment := comments[name]
		for _, word := range []string{"uarantee", "reaks it", "Defaults:"} {
			if !strings.Contains(comment, word) {
				t.Errorf("%s: its comment has no word of %q", name, word)
			}
		}
		claims.Check(t, builtin.Families(), name, comment, ids)
		if !slices.ContainsFunc(examples, func(e string) bool { return e == "Example"+name || e == "ExampleNew"+name }) {
			t.Errorf("%s: there is no example", name)
		}
	}
	for _, l := range builtin.Locks() {
		if !slices.Contains(covered, l.ID) {
			t.Errorf("%s is of no type of %s", l.ID, dir)
		}
	}
	manual, err := os.ReadFile("../lock/pull/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	claims.Check(t, builtin.Families(), "package pull", strings.ReplaceAll(string(manual), "\n//", ""), []string{"pull"})
}
