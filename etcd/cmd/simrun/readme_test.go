package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table")

// TestREADME: its table is what the expectations say.
func TestREADME(t *testing.T) {
	const path, begins, ends = "../../README.md", "<!-- simrun matrix --expected --store etcd -->\n", "<!-- end -->\n"
	program := filepath.Join(t.TempDir(), "simrun")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := exec.Command(program, "matrix", "--expected", "--store", "etcd").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begins)
	table, after, found := strings.Cut(rest, ends)
	switch {
	case !found:
		t.Fatalf("%s has no %q with %q behind it", path, begins, ends)
	case table == string(want):
	case *update:
		if err := os.WriteFile(path, []byte(before+begins+string(want)+ends+after), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table is not what the expectations say; if they are right, run with -update. It should be:\n%s", want)
	}
}
