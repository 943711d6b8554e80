package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSearch builds the program, which finds what is wrong with the lock, and replays it.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "simrun")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out := filepath.Join(dir, "out")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"list", 0, "mine"},
		{"run gc-pause --runs 200 --out " + out, 1, "owner-only-release   violated in"},
		{"replay " + filepath.Join(out, "gc-pause_mine_owner-only-release.json"), 1, "as recorded"},
		{"list", 0, "live-migration"},
		{"run live-migration --runs 200 --out " + out, 1, "owner-only-release   violated in"},
		{"replay " + filepath.Join(out, "live-migration_mine_owner-only-release.json"), 1, "is moved at"},
		{"run storm --param live-migrations=2 --runs 64 --no-shrink", 1, "live-migrations=2"},
		{"matrix --scenario contention,gc-pause --runs 64", 1, "result not as expected: 1 of 2 cells"},
		{"run gc-pause --lock setpx", 2, `there is no lock "setpx"; there are mine`},
	} {
		text, err := exec.Command(program, strings.Fields(test.args)...).CombinedOutput()
		code := 0
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		if code != test.code || !strings.Contains(string(text), test.want) {
			t.Errorf("simrun %s: exit code %d, want %d and %q\n%s", test.args, code, test.code, test.want, text)
		}
	}
}
