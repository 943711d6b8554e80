package simrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/traces"
)

// TestUsersTrace: a trace whose lock only a test knows can be looked at here, and
// is run in the module of the test.
func TestUsersTrace(t *testing.T) {
	tr, err := traces.ReadFile(find(t, "gc-pause", "setpx", "mutual-exclusion"))
	if err != nil {
		t.Fatal(err)
	}
	tr.Lock = "TestMyLock/redis"
	tr.Test = &traces.Test{Name: tr.Lock, Package: "example.com/my/locks", Call: 1}
	path := filepath.Join(t.TempDir(), "x.json")
	if err := traces.WriteFile(path, tr); err != nil {
		t.Fatal(err)
	}
	command := "go test -v -run '^TestMyLock$/^redis$/^gc-pause$' example.com/my/locks -simrun.replay=" + path
	for _, name := range []string{"replay", "shrink"} {
		code, out, errs := simrun(t, name, path)
		if code != exitUsage || !strings.Contains(errs, path+" is a trace of a test's lock, TestMyLock/redis in example.com/my/locks, and its test binary must be built: call simrun in the module of that package") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
		}
	}
	code, out, errs := simrun(t, "explain", path)
	if code != exitNone || !strings.Contains(out, "replay  "+command) {
		t.Errorf("explain: exit code %d\n%s%s", code, out, errs)
	}
	page := filepath.Join(t.TempDir(), "x.html")
	code, out, errs = simrun(t, "view", path, "-o", page)
	text, err := os.ReadFile(page)
	if code != exitNone || err != nil || !strings.Contains(string(text), "example.com/my/locks -simrun.replay=") {
		t.Errorf("view: exit code %d, %v\n%s%s", code, err, out, errs)
	}
}
