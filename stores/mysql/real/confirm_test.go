package real_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/test/realmysql"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/mysql/builtin"
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

// of is a counterexample in testdata, with a lock in place of its own if one is named.
func of(t *testing.T, name, lock string) confirm.Confirmation {
	t.Helper()
	realmysql.Need(t)
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
	store, ok := confirm.On(c.Lock.Store)
	if !ok {
		t.Fatalf("%s has no real servers", c.Lock.Store.ID())
	}
	return confirm.Confirmation{Cell: c, Trace: tr, Store: store, Client: confirm.Program{Command: []string{os.Args[0]}, Env: []string{role + "=1"}}}
}

// TestTry: a fault that needs nothing, and a lock that a restart forgets, happen on a real server, in one of some tries: a
// busy machine is late.
func TestTry(t *testing.T) {
	slowtest.SkipIfShort(t)
	const most = 10
	for _, name := range []string{"lost-reply_db-row-autocommit_no-lost-update", "node-restart_db-row_no-lost-update"} {
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

// TestSound: a lock that a restart does not lose in place of one that it does is never confirmed.
func TestSound(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := of(t, "node-restart_db-row_no-lost-update", "db-unique")
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
