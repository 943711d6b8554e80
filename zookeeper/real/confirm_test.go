package real_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/confirmtest"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/zookeeper/builtin"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

func TestMain(m *testing.M) { confirmtest.Main(m, builtin.Locks()) }

// counterexamples are those in testdata: an answer that is late, so that a session expires and its client is not told; a late
// request; and a lock that needs no fault.
var counterexamples = []string{
	"late-reply_zookeeper-as-printed_timely-loss", "late-request_zookeeper-as-printed_truthful-release", "contention_zookeeper-as-printed_no-lost-update",
}

// TestTry: they happen on a real server.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	realzk.Need(t)
	for _, name := range counterexamples {
		t.Run(name, func(t *testing.T) {
			confirmtest.Happens(t, confirmtest.Of(t, builtin.Locks(), confirmtest.Read(t, name), ""))
		})
	}
}

// ofMembers are those in which the leader hangs, and in which it crashes and starts again.
var ofMembers = []string{"hung-node_zookeeper-as-printed_timely-loss", "node-restart_zookeeper-as-printed_truthful-release"}

// TestMembersFail: they happen on three real servers.
func TestMembersFail(t *testing.T) {
	slowtest.SkipIfShort(t)
	realzk.Need(t)
	for _, name := range ofMembers {
		t.Run(name, func(t *testing.T) {
			try := confirmtest.Happens(t, confirmtest.Of(t, builtin.Locks(), confirmtest.Read(t, name), ""))
			if try != nil && !strings.HasSuffix(try.Server, " (3 members)") {
				t.Errorf("on %s", try.Server)
			}
		})
	}
}

// TestPlan: a run goes on until its property can be judged, which may be later than the violation: here until an Acquire has
// created a znode.
func TestPlan(t *testing.T) {
	tr := confirmtest.Read(t, ofMembers[1])
	takes, err := confirmtest.Of(t, builtin.Locks(), tr, "").Plan()
	if err != nil || takes <= tr.Verdict().To.At {
		t.Errorf("%v %v, and the violation is at %v", takes, err, tr.Verdict().To.At)
	}
}

// TestSound: a lock without the fault in place of the flawed one is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	realzk.Need(t)
	for _, name := range append(slices.Clone(counterexamples), ofMembers[0]) {
		confirmtest.Never(t, confirmtest.Of(t, builtin.Locks(), confirmtest.Read(t, name), "zookeeper"))
	}
}
