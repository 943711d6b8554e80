package simrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/shards"
)

// TestShardAuto: a job of an engine leaves what a job that names its shard does; and repeated, it goes on where its machine was
// taken away.
func TestShardAuto(t *testing.T) {
	for _, name := range shards.Variables() { // the machine of this test may be one of an engine
		t.Setenv(name, "") // restored at the end
		_ = os.Unsetenv(name)
	}
	search := []string{"run", "two-step-release", "--lock", "setpx-twostep", "--runs", "1024", "--no-shrink", "--stable"}
	named, auto := t.TempDir(), t.TempDir()
	_, want, _ := simrun(t, append(search, "--shard", "2/3", "--out", named)...)
	if code, _, errs := simrun(t, append(search, "--shard", "auto", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "no engine says") {
		t.Errorf("without an engine: exit code %d\n%s", code, errs)
	}
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	t.Setenv("SIMRUN_SHARDS", "3")
	here := append(slices.Clone(search), "--shard=auto", "--resume=auto", "--out", auto)
	for _, when := range []string{"anew", "resumed"} {
		_, got, errs := simrun(t, here...)
		if got = strings.ReplaceAll(got, auto, named); got != want || errs != "" {
			t.Errorf("%s: %s\n%s\nwant\n%s", when, errs, got, want)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(auto, "*_2of3"+runState)); len(files) != 1 {
		t.Errorf("states %v", files)
	}
	if code, _, errs := simrun(t, append(search, "--shard=3/3", "--resume", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "nothing to resume") {
		t.Errorf("--resume without a state: exit code %d\n%s", code, errs)
	}
	if code, _, errs := simrun(t, append(search, "--resume=perhaps", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "--resume=auto") {
		t.Errorf("--resume=perhaps: exit code %d\n%s", code, errs)
	}
}
