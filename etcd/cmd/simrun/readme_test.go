package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

// TestREADME: its table is what the expectations say.
func TestREADME(t *testing.T) {
	const path, begins, ends = "../../README.md", "<!-- simrun matrix --expected --store etcd -->\n", "<!-- end -->\n"
	table, err := exec.Command(built(t), "matrix", "--expected", "--store", "etcd").Output()
	if err != nil {
		t.Fatal(err)
	}
	golden.Part(t, path, begins, ends, string(table))
}

// built is the path of the program.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "simrun")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
