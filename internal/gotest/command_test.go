package gotest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestCommand asks a shell for the words of a command.
func TestCommand(t *testing.T) {
	c := gotest.Command{Pattern: gotest.Pattern("TestLock/it's (one)"), Package: "example.com/locks", Flags: []string{gotest.ReplayFlag("a b.json"), "-simrun.seed=1"}}
	const want = `go test -run '^TestLock$/^it'\''s \(one\)$' example.com/locks -simrun.replay='a b.json' -simrun.seed=1`
	if c.String() != want {
		t.Errorf("it is %s, want %s", c, want)
	}
	out, err := exec.Command("sh", "-c", `go() { printf '%s\n' "$@"; }; `+c.String()).Output()
	words := []string{"test", "-run", `^TestLock$/^it's \(one\)$`, "example.com/locks", "-simrun.replay=a b.json", "-simrun.seed=1"}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || !slices.Equal(got, words) {
		t.Errorf("a shell reads %q, %v", got, err)
	}
	c = gotest.Command{Verbose: true, Pattern: "^TestLock$"}
	if got, want := c.String(), `go test -v -run '^TestLock$'`; got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}

// FuzzCommand: whatever the test of a trace and its package are called, a shell reads one command without other flags.
func FuzzCommand(f *testing.F) {
	for _, text := range []string{"x", "-exec=sh", "; touch x", "$(touch x)", "`touch x`", "a b\n::error::c", "'", "\x1b[2J", "\xff", "../x", "(a|b)*", "-toolexec=x"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, name, pkg string) {
		trace := &traces.Trace{Test: &traces.Test{Name: name, Package: pkg, Call: 1}, Scenario: name}
		for _, line := range []string{gotest.Replay(trace, "/x.json")} {
			out, err := exec.Command("sh", "-c", `go() { printf '%s\0' "$@"; }; `+line).Output()
			words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
			if err != nil || len(words) < 5 || !slices.Equal(words[:3], []string{"test", "-v", "-run"}) {
				t.Fatalf("%s is read as %q, %v", line, words, err)
			}
			if pattern, err := regexp.Compile(strings.ReplaceAll(words[3], "$/^", "/")); err == nil && !pattern.MatchString(strings.ReplaceAll(name+"/"+name, "\x00", "\ufffd")) {
				t.Errorf("the pattern %q is not for %q", words[3], name)
			}
			if pkg == "" {
				continue
			}
			if want := strings.ReplaceAll(pkg, "\x00", "\ufffd"); strings.TrimPrefix(words[4], "./") != strings.TrimPrefix(want, "./") || words[4][0] == '-' {
				t.Errorf("the package %q is read as %q", pkg, words[4])
			}
			for _, flag := range words[5:] {
				if !strings.HasPrefix(flag, "-simrun.") {
					t.Errorf("there is the flag %q", flag)
				}
			}
		}
	})
}

// TestKept: simrun finds what a test has kept by the package and the path, and takes nothing else for that.
func TestKept(t *testing.T) {
	const path = "testdata/simrun/TestLock/x.json"
	name := gotest.Kept("example.com/locks", path)
	if pkg, in, is := gotest.IsKept(name); !is || pkg != "example.com/locks" || in != path {
		t.Errorf("%s is %q in %q, %v", name, in, pkg, is)
	}
	for _, other := range []string{"simrun-out/x.json", path} {
		if _, _, is := gotest.IsKept(other); is {
			t.Errorf("%s is taken for a kept one", other)
		}
	}
	for _, test := range []struct{ pkg, path, want string }{{"", path, path}, {"example.com/locks", "/tmp/x.json", "/tmp/x.json"}} {
		if got := gotest.Kept(test.pkg, test.path); got != test.want {
			t.Errorf("of %s it is %s", test.pkg, got)
		}
	}
}

// TestSimrun: simrun is called by the version that a program was built with, or as a tool of the module.
func TestSimrun(t *testing.T) {
	dir := t.TempDir()
	with := func(m *debug.Module) *debug.BuildInfo { return &debug.BuildInfo{Deps: []*debug.Module{m}} }
	for _, test := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "go run " + gotest.Program},
		{with(&debug.Module{Path: gotest.Lockpick, Version: "v0.2.0"}), "go run " + gotest.Program + "@v0.2.0"},
		{with(&debug.Module{Path: gotest.Lockpick, Version: "v0.2.0", Replace: &debug.Module{Path: "../lockpick"}}), "go run " + gotest.Program},
		{with(&debug.Module{Path: gotest.Lockpick, Version: "(devel)"}), "go run " + gotest.Program},
		{with(&debug.Module{Path: "example.com/other", Version: "v0.2.0"}), "go run " + gotest.Program},
	} {
		if got := gotest.Simrun(dir, test.info); got != test.want {
			t.Errorf("it is %s, want %s", got, test.want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\ntool "+gotest.Program+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := gotest.Simrun(dir, nil); got != "go tool simrun" {
		t.Errorf("as a tool it is %s", got)
	}
}
