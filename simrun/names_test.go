package simrun

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestRunAndCheckOfOneCell search the same in one directory, whole and in
// shards: each keeps its traces.
func TestRunAndCheckOfOneCell(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run", "--runs", "100"}, {"check", "--bound", "1"},
		{"run", "--runs", "300", "--shard", "1/2"}, {"check", "--bound", "1", "--shard", "2/2"},
	} {
		search := append([]string{args[0], "gc-pause", "--no-shrink", "--out", dir}, args[1:]...)
		if code, out, errs := simrun(t, search...); code != exitViolation {
			t.Fatalf("%q: exit code %d\n%s%s", search, code, out, errs)
		}
	}
	for name, strategy := range map[string]string{
		"gc-pause_setpx_mutual-exclusion_limit.json":            "portfolio",
		"gc-pause_setpx_mutual-exclusion_limit_check.json":      "",
		"gc-pause_setpx_1of2_mutual-exclusion_limit.json":       "portfolio",
		"gc-pause_setpx_2of2_mutual-exclusion_limit_check.json": "",
	} {
		trace, err := traces.ReadFile(filepath.Join(dir, name))
		if err != nil || trace.Strategy != strategy || trace.Property != "mutual-exclusion" {
			t.Errorf("%s: %+v", name, err)
		}
	}
	// None of the traces is taken for the state of a search.
	files, err := stateFiles([]string{dir})
	if list, _ := os.ReadDir(dir); err != nil || len(files) != 4 || len(list) < 16 {
		t.Errorf("states %q, of %d files, %v", slices.Sorted(slices.Values(files)), len(list), err)
	}
}
