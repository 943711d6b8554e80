package simrun

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/traces"
)

// copied is a copy of a trace of the corpus, and what it has.
func copied(t *testing.T, name string) (path string, tr *traces.Trace) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../traces/corpus", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	if tr, err = traces.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, tr
}

// TestConfirmReal: the whole command, with real servers and processes. The trace's file then has the result, and nothing else has changed
// there; the real run is a trace that is shown and compared, and not run again.
func TestConfirmReal(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	path, before := copied(t, "failover-loss_setpx-fenced_fencing")
	real := filepath.Join(filepath.Dir(path), "real.json")
	for range 2 { // the second time replaces the result of the first
		code, out, errs := simrun(t, "confirm", "--tries", "5", "--write", "-o", real, path)
		if code != exitViolation || errs != "" || !strings.HasPrefix(out, "confirmed ") || !strings.Contains(out, " of 5 tries") || !strings.Contains(out, "the real run is in "+real) {
			t.Fatalf("%d %s%s", code, out, errs)
		}
	}
	after, err := traces.ReadFile(path)
	if err != nil || len(after.Confirmations) != 1 {
		t.Fatalf("%v %+v", err, after)
	}
	c := after.Confirmations[0]
	if c.Of != 5 || c.Confirmed < 1 || c.Mean <= 0 || !strings.HasPrefix(c.Server, "redis-server ") || c.Client != "go-redis "+after.Made["go-redis"] {
		t.Errorf("%+v", c)
	}
	after.Confirmations = before.Confirmations
	if !reflect.DeepEqual(before, after) {
		t.Error("the trace has changed beside its result")
	}
	run, err := traces.ReadFile(real)
	if err != nil || run.Real == nil || run.Real.Simulated != before.Hash || run.Real.Diverged != "" || run.Property != before.Property || !run.Limit || len(run.Tape) > 0 {
		t.Fatalf("%v %+v", err, run)
	}
	for _, c := range []struct {
		args  []string
		code  int
		words string
	}{
		{[]string{"explain", path}, exitNone, "\n  Confirmed on " + c.Server},
		{[]string{"explain", real}, exitNone, "real run on " + c.Server},
		{[]string{"view", real, "-o", "-"}, exitNone, "real run on " + c.Server},
		{[]string{"diff", path, real}, exitViolation, "setpx-fenced under failover-loss, real run on " + c.Server},
		{[]string{"replay", real}, exitUsage, "which has no tape"},
		{[]string{"shrink", real}, exitUsage, "which has no tape"},
		{[]string{"confirm", real}, exitUsage, "which has no tape"},
	} {
		if code, out, errs := simrun(t, c.args...); code != c.code || !strings.Contains(out+errs, c.words) {
			t.Errorf("%v: %d, without %q: %.300s %s", c.args, code, c.words, out, errs)
		}
	}
}
