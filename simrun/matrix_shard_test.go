package simrun

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestMatrixShards: the cells of all shards together are those of the whole matrix, with the same findings, each in one shard, and
// a report of their directories has all of them.
func TestMatrixShards(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	search := func(name string, more ...string) (cells []string) {
		t.Helper()
		out := filepath.Join(dir, name)
		args := append([]string{"matrix", "--lock", "setpx", "--lock", "latch", "--scenario", "contention", "--scenario", "gc-pause", "--scenario", "clock-skew", "--runs", "16", "--stable", "--out", out}, more...)
		code, said, errs := simrun(t, args...)
		if code != exitNone || errs != "" {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, said, errs)
		}
		if (len(more) > 0) != strings.Contains(said, ", shard "+strings.Join(more[min(len(more), 1):], "")+" of the cells") {
			t.Errorf("%q: the head says another shard:\n%s", args, said)
		}
		raw, err := os.ReadFile(filepath.Join(out, cellsFile))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			if bytes.HasPrefix(line, []byte(`{"type":"cell"`)) {
				cells = append(cells, strings.ReplaceAll(string(line), out, ""))
			}
		}
		return cells
	}
	whole := search("whole")
	var parts []string
	for _, shard := range []string{"1/2", "2/2"} {
		parts = append(parts, search(filepath.Join("parts", shard[:1]), "--shard", shard)...)
	}
	slices.Sort(whole)
	slices.Sort(parts)
	if !slices.Equal(whole, parts) {
		t.Errorf("the shards have\n%s\nand the whole has\n%s", strings.Join(parts, ""), strings.Join(whole, ""))
	}
	page := filepath.Join(dir, "report.html")
	if _, out, said := simrun(t, "report", filepath.Join(dir, "parts"), "-o", page); !strings.Contains(out+said, "6 searches") {
		t.Errorf("the report of the shards says %q", out+said)
	}
}

// TestMatrixShardErrors: a shard that has no cell, and one that nobody names.
func TestMatrixShardErrors(t *testing.T) {
	for _, test := range []struct{ shard, want string }{
		{"2/2", "--shard=2/2: there is one cell, and a shard needs one: want fewer shards"},
		{"3/2", "--shard=3/2: want I/N with I from 1 to N"},
		{"x", "--shard=x: want I/N"},
	} {
		code, _, errs := simrun(t, "matrix", "--lock", "setpx", "--scenario", "contention", "--shard", test.shard)
		if code != exitUsage || !strings.Contains(errs, test.want) {
			t.Errorf("%s: exit code %d, %q; want %q", test.shard, code, errs, test.want)
		}
	}
}
