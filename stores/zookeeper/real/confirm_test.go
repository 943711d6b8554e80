package real_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/test/realzk"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/zookeeper/builtin"
	"github.com/lockpick-dev/lockpick/stores/zookeeper/real"
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

// Counterexamples in testdata: a session that expires while its client stands still, and a lock that needs no fault.
const (
	expires   = "gc-pause_curator_mutual-exclusion_limit"
	contended = "contention_zookeeper-as-printed_no-lost-update"
)

// of is a counterexample, with a lock in place of its own if one is named.
func of(t *testing.T, name, lock string) confirm.Confirmation {
	t.Helper()
	realzk.Need(t)
	tr, err := traces.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	other := *tr
	if lock != "" {
		other.Lock = lock
	}
	c, err := scenarios.Registry(builtin.Locks()).Of(&other)
	if err != nil {
		t.Fatal(err)
	}
	return confirm.Confirmation{Cell: c, Trace: tr, Store: real.Store, Client: confirm.Program{Command: []string{os.Args[0]}, Env: []string{role + "=1"}}}
}

// TestTry: both happen on a real server, in one of some tries: a busy machine is late.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	const most = 10
	for _, name := range []string{expires, contended} {
		t.Run(name, func(t *testing.T) {
			c := of(t, name, "")
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
		})
	}
}

// TestSound: a lock without the fault in place of the flawed one is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, name := range []string{expires, contended} {
		c := of(t, name, "zookeeper")
		for range 2 {
			try, err := c.Try(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if try.Confirmed {
				t.Errorf("%s is confirmed: %+v", name, try.Verdict)
			}
		}
	}
}
