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
// refused, and runs do not differ. Libraries whose runs differ without the overlay are searched in a build that has it.
func TestProgram(t *testing.T) {
	exe, runs := filepath.Join(t.TempDir(), "adoption"), "--runs=8"
	var repeat, differ []string
	for _, l := range libraries {
		if l.differs {
			differ = append(differ, "--lock="+l.id())
		} else {
			repeat = append(repeat, "--lock="+l.id())
		}
	}
	if testing.Short() {
		runs = "--runs=2"
	}
	command(t, "go", "build", "-ldflags=-X testing.testBinary=1", "-o", exe, ".")
	command(t, exe, append([]string{"matrix", runs}, repeat...)...)
	for _, l := range repeat {
		command(t, exe, "doctor", "--runs=1", "--scenario=contention", l)
	}
	t.Run("overlay", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it compiles Go's library anew, which takes minutes")
		}
		overlay := strings.TrimSpace(command(t, exe, "overlay"))
		command(t, "go", "build", "-ldflags=-X testing.testBinary=1", "-overlay="+overlay, "-o", exe, ".")
		command(t, exe, append([]string{"matrix", runs}, differ...)...)
		for _, l := range differ {
			command(t, exe, "doctor", "--runs=1", l)
		}
	})
}

// command runs a command, which must succeed, and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}
