package locktest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestConfirmFlags: a lock of one's own is tried on a real server by its test, whose binary is its own client processes. The result is
// in the trace if that is asked for, and else in another file alone.
func TestConfirmFlags(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	u, dir := newUser(t), t.TempDir()
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(u.dir, "testdata", "simrun")) })
	if out, passed := u.test(t, "^TestNaive$", "-simrun.out="+dir); passed {
		t.Fatal(out)
	}
	path, told := filepath.Join(dir, "TestNaive", "gc-pause_owner-only-release.json"), filepath.Join(dir, "told.json")
	kept := func() []traces.Confirmation {
		tr, err := traces.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return tr.Confirmations
	}
	const tries = "-simrun.confirm.tries=2"
	out, _ := u.test(t, "^TestNaive$", "-simrun.confirm="+path, tries, "-simrun.confirm.json="+told)
	var r confirm.Statement
	if raw, err := os.ReadFile(told); err != nil || json.Unmarshal(raw, &r) != nil || r.Of != 2 || r.Property != "owner-only-release" || r.Lock != "TestNaive" {
		t.Fatalf("%v %s\n%s", err, raw, out)
	}
	if list := kept(); len(list) > 0 {
		t.Errorf("the trace has %+v, and was not to be written", list)
	}
	out, passed := u.test(t, "^TestNaive$", "-simrun.confirm="+path, tries, "-simrun.confirm.write", "-simrun.confirm.json="+told)
	raw, err := os.ReadFile(told)
	if err != nil || json.Unmarshal(raw, &r) != nil {
		t.Fatal(err)
	}
	if list := kept(); len(list) != 1 || list[0].Of != 2 || list[0].Confirmed != r.Confirmed || list[0].Server != r.Server || list[0].Client != r.Client {
		t.Errorf("the trace has %+v, want that of %s\n%s", list, raw, out)
	}
	if passed == (r.Result == confirm.Confirmed) {
		t.Errorf("it passes: %v, and is %s\n%s", passed, r.Result, out)
	}
	v := *u
	v.more = []string{"SIMRUN_CONFIRM_WRITE=perhaps"}
	out, passed = v.test(t, "^TestNaive$", "-simrun.confirm="+path)
	if passed {
		t.Error("it passes")
	}
	says(t, out, "SIMRUN_CONFIRM_WRITE=perhaps: want true or false")
}
