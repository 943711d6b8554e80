package confirmtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/traces"
)

// role is set in client processes, which are the test binary again.
const role = "LOCKPICK_TEST_CLIENT"

// Main is the TestMain of a package whose tests confirm counterexamples of the locks.
func Main(m *testing.M, locks []cell.Lock) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	r := scenarios.Registry(locks)
	if err := realclient.Serve(realclient.Locks{Of: r.Of, Decode: r.Decode}); err != nil {
		panic(err)
	}
}

// Read reads the trace testdata/NAME.json.
func Read(t *testing.T, name string) *traces.Trace {
	t.Helper()
	tr, err := traces.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Of returns the confirmation of a trace on real servers, with a lock in place of the trace's if one is named.
func Of(t *testing.T, servers func(confirm.Setup) confirm.Store, locks []cell.Lock, tr *traces.Trace, lock string) confirm.Confirmation {
	t.Helper()
	of := *tr
	if lock != "" {
		of.Lock = lock
	}
	c, err := scenarios.Registry(locks).Of(&of)
	if err != nil {
		t.Fatal(err)
	}
	subject := realclient.Here(c)
	return confirm.Confirmation{Subject: subject, Trace: tr, Store: servers(confirm.SetupOf(subject.Facts())), Client: realclient.Program{Command: []string{os.Args[0]}, Env: []string{role + "=1"}}}
}

// most is the maximum number of tries: on a busy machine some are late.
const most = 10

// Happens makes tries until the trace's violation happens, and returns that try; nil, with the test failed, if it does not.
func Happens(t *testing.T, c confirm.Confirmation) *confirm.Try {
	t.Helper()
	for n := range most {
		try, err := c.Try(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if try.Confirmed {
			if v, want := try.Verdict, c.Trace.Verdict(); v.Property != want.Property || v.Limit != want.Limit || v.Cause != want.Cause {
				t.Errorf("%+v was taken for %+v", v, want)
			}
			return try
		}
		t.Logf("try %d: %v %s", n+1, try.Diverged, try.Other)
	}
	t.Errorf("not in %d tries", most)
	return nil
}

// Never makes two tries, and fails the test if the trace's violation happens.
func Never(t *testing.T, c confirm.Confirmation) {
	t.Helper()
	for range 2 {
		try, err := c.Try(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if try.Confirmed {
			t.Errorf("%s is confirmed: %+v", c.Subject.Facts().Lock, try.Verdict)
		}
	}
}
