// Package golden compares results of tests with files, which the flag -update rewrites.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Update is the flag of a test that rewrites files instead of comparing them.
var Update = flag.Bool("update", false, "rewrite the golden files")

// File compares got with a file. A test fails with the first line that differs.
func File(t testing.TB, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to make it)", err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	n := 0
	for n < min(len(g), len(w)) && g[n] == w[n] {
		n++
	}
	t.Errorf("%s differs from line %d:\n got: %s\nwant: %s\nIf that is meant to be, run with -update, and look at it.", path, n+1, at(g, n), at(w, n))
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return wording.Fit(lines[i], 300)
	}
	return "(the end)"
}

// Part compares got with the part of a file between two marks, the first of their kind.
func Part(t testing.TB, path, begins, ends, got string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), begins)
	_, after, ended := strings.Cut(rest, ends)
	if !begun || !ended {
		t.Fatalf("%s has no %q with %q behind it", path, begins, ends)
	}
	File(t, path, before+begins+got+ends+after)
}
