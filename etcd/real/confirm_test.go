package real_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/etcd/real"
	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/traces"
)

// role is set in client processes, which are this test binary again.
const role = "LOCKPICK_TEST_CLIENT"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	if err := confirm.Serve(func(raw json.RawMessage) (cell.Cell, error) { return scenarios.Registry(builtin.Locks()).Decode(raw) }); err != nil {
		panic(err)
	}
}

// double is a double grant of concurrency.Election: a lease ends while its client is stopped in Campaign.
func double(t *testing.T, lock string) confirm.Confirmation {
	t.Helper()
	return confirmation(t, "gc-pause_etcd-election_mutual-exclusion", lock)
}

// confirmation is that of a trace, with a lock in place of the trace's.
func confirmation(t *testing.T, name, lock string) confirm.Confirmation {
	t.Helper()
	realetcd.Need(t)
	tr, err := traces.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	of := *tr
	of.Lock = lock
	c, err := scenarios.Registry(builtin.Locks()).Of(&of)
	if err != nil {
		t.Fatal(err)
	}
	return confirm.Confirmation{Cell: c, Trace: tr, Store: real.Store, Client: confirm.Program{Command: []string{os.Args[0]}, Env: []string{role + "=1"}}}
}

// TestTry: the double grant happens on real members, in one of some tries: a busy machine is late.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	happens(t, double(t, "etcd-election"))
}

// TestMemberDies: the leader crashes with a release that it has told nobody of. Another member leads, the holder's session lives on
// with it, and nobody gets the lock.
func TestMemberDies(t *testing.T) {
	slowtest.SkipIfShort(t)
	happens(t, confirmation(t, "failover-loss_etcd-mutex_progress", "etcd-mutex"))
}

// happens tries until the trace's violation happens.
func happens(t *testing.T, c confirm.Confirmation) {
	t.Helper()
	const most = 10
	for n := range most {
		try, err := c.Try(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if try.Confirmed {
			if v, want := try.Verdict, c.Trace.Verdict(); v.Property != want.Property || v.Limit != want.Limit || v.Cause != want.Cause {
				t.Errorf("%+v was taken for %+v", v, want)
			}
			return
		}
		t.Logf("try %d: %v %s", n+1, try.Diverged, try.Other)
	}
	t.Errorf("not in %d tries", most)
}

// TestSound: a sound lock in place of the flawed one is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := double(t, "etcd")
	for range 2 {
		try, err := c.Try(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if try.Confirmed {
			t.Errorf("it is confirmed: %+v", try.Verdict)
		}
	}
}
