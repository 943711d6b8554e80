package real_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/confirmtest"
	"github.com/lockpick-dev/lockpick/internal/test/realzk"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/stores/zookeeper/builtin"
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

// TestSound: a lock without the fault in place of the flawed one is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	realzk.Need(t)
	for _, name := range counterexamples {
		confirmtest.Never(t, confirmtest.Of(t, builtin.Locks(), confirmtest.Read(t, name), "zookeeper"))
	}
}
