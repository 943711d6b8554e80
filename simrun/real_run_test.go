package simrun

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestRealRun: a run on real servers is shown and compared, and not run again.
func TestRealRun(t *testing.T) {
	dir := t.TempDir()
	real, simulated := filepath.Join(dir, "real.json"), filepath.Join(dir, "simulated.json")
	for path, tr := range map[string]*traces.Trace{real: sampletraces.Real(), simulated: sampletraces.Confirmed()} { // unordered: each by itself
		if err := traces.WriteFile(path, tr); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args  []string
		code  int
		words string
	}{
		{[]string{"explain", real}, exitNone, "real run on redis-server 7.0.15"},
		{[]string{"explain", simulated}, exitNone, "  Confirmed on redis-server 7.0.15 (19 of 20 tries).\n  Not confirmed on redis-server 8.0.0 in 20 tries.\n"},
		{[]string{"view", real, "-o", "-"}, exitNone, `<strong class="result real">real run on redis-server 7.0.15</strong>`},
		{[]string{"view", simulated, "-o", "-"}, exitNone, `<span class="result soft">not confirmed on redis-server 8.0.0 in 20 tries</span>`},
		{[]string{"diff", simulated, real}, exitNone, "setpx under gc-pause, real run on redis-server 7.0.15"},
		{[]string{"replay", real}, exitUsage, "it is a run on real servers (redis-server 7.0.15), which has no tape"},
		{[]string{"shrink", real}, exitUsage, "which has no tape"},
		{[]string{"diff", real}, exitUsage, "which has no tape"},
	} {
		if code, out, errs := simrun(t, c.args...); code != c.code || !strings.Contains(out+errs, c.words) {
			t.Errorf("%v: %d, without %q: %.300s %s", c.args, code, c.words, out, errs)
		}
	}
}
