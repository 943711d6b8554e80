package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// most is how many lines of code an adapter may have.
const most = 60

// TestLines: every library has an adapter, which is short.
func TestLines(t *testing.T) {
	for _, l := range libraries {
		if n := lines(l.id()); n == 0 || n > most {
			t.Errorf("%s: its adapter has %d lines of code, want 1 to %d", l.id(), n, most)
		}
	}
}

// TestCode: comments and empty lines are no code, and a text of several lines is one.
func TestCode(t *testing.T) {
	for text, want := range map[string]int{
		"":                              0,
		"// a\n\n/* b\nc */\n":          0,
		"package p // a\n\nvar x = 1\n": 2,
		"package p\nvar x = f(\n1,\n)":  4,
	} {
		if got := code([]byte(text)); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}

// TestReasons: every library has its own expectations, with a reason.
func TestReasons(t *testing.T) {
	for _, l := range libraries {
		if l.expected.Lock != l.id() || l.expected.Reason == "" {
			t.Errorf("%s: its expectations are of %q, for the reason %q", l.id(), l.expected.Lock, l.expected.Reason)
		}
	}
}

// TestProgram builds the program as make adoption does. Nothing but the listed faults is found, every run finishes, nothing is
// refused, and runs do not differ.
func TestProgram(t *testing.T) {
	exe, runs := filepath.Join(t.TempDir(), "adoption"), "8"
	if testing.Short() {
		runs = "2"
	}
	command(t, "go", "build", "-ldflags=-X testing.testBinary=1", "-o", exe, ".")
	command(t, exe, "matrix", "--runs="+runs)
	command(t, exe, "doctor", "--runs=1", "--scenario=contention")
}

// command runs a command, which must succeed.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
}
