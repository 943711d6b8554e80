package real_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/etcd/real"
	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/confirmtest"
)

func TestMain(m *testing.M) { confirmtest.Main(m, builtin.Locks()) }

// of is a counterexample in testdata, with a lock in place of its own if one is named.
func of(t *testing.T, name, lock string) confirm.Confirmation {
	t.Helper()
	realetcd.Need(t)
	return confirmtest.Of(t, real.New, builtin.Locks(), confirmtest.Read(t, name), lock)
}

// double is a double grant of concurrency.Election: a lease ends while its client is stopped in Campaign.
const double = "gc-pause_etcd-election_mutual-exclusion"

// TestTry: the double grant happens on real members.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	confirmtest.Happens(t, of(t, double, ""))
}

// TestMemberDies: the leader crashes with a release that it has told nobody of. Another member leads, the holder's session lives on
// with it, and nobody gets the lock.
func TestMemberDies(t *testing.T) {
	slowtest.SkipIfShort(t)
	confirmtest.Happens(t, of(t, "failover-loss_etcd-mutex_progress", ""))
}

// TestSound: a sound lock in place of the flawed one is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	confirmtest.Never(t, of(t, double, "etcd"))
}
