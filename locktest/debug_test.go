package locktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// TestReplayHere: a replay also runs in the test's own process. What code does there alone is seen: what it prints at once, another run with
// its first difference, a panic, and a run that stands still. What is reported does not depend on it.
func TestReplayHere(t *testing.T) {
	slowtest.SkipIfShort(t)
	u, dir := newUser(t), t.TempDir()
	const differs = "lockpick: the run in this process, in which a debugger can stop, is not the one that is reported: "
	for _, test := range []struct {
		name          string
		says, saysNot string
		reports       bool
	}{
		{"prints", "\nhere I am\n", differs, true},
		{"asks", differs + "event ", "here I am", true},
		{"panics", "panic: user: a panic here", "nothing of it is said", false},
		{"stalls", differs + "virtual time stands still: a goroutine is blocked in sync.Mutex.Lock", "here I am", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			u.test(t, "^TestHere$/^"+test.name+"$", "-simrun.seed=1", "-simrun.runs=60", "-simrun.out="+dir)
			out, _ := u.test(t, "^TestHere$/^"+test.name+"$", "-test.v", "-simrun.replay="+filepath.Join(dir, "TestHere", test.name, "gc-pause_owner-only-release.json"))
			if !strings.Contains(out, test.says) || strings.Contains(out, test.saysNot) {
				t.Errorf("it does not say %q, or says %q\n%s", test.says, test.saysNot, out)
			}
			if strings.Contains(out, "owner-only-release is violated: TestHere/"+test.name+" under gc-pause") != test.reports || strings.Contains(out, "from the recorded one") {
				t.Errorf("the report is not as before\n%s", out)
			}
		})
	}
}

// session is what is typed in the session of docs/debugging.md, behind the command that begins it.
var session = []string{"break mylock_test.go:28", "continue", "locals", "stack 3", "frame 3 print c.Process.name", "frame 3 print c.Process.Actor.world.now", "clear 1", "continue", "exit"}

// debugged are the arguments of the test there.
var debugged = []string{"-test.v", "-test.run", "^TestMyLock$/^gc-pause$", "-simrun.replay=testdata/simrun/TestMyLock/gc-pause_owner-only-release.json"}

// unsteady is what differs between two such sessions, with what is kept in its place.
var unsteady = map[*regexp.Regexp]string{
	regexp.MustCompile(`0x[0-9a-f]+`):                      "0x123456",
	regexp.MustCompile(`(/src/lockpick\S+\.go):\d+`):       "$1:122",
	regexp.MustCompile(`goroutine\(\d+\)`):                 "goroutine(36)",
	regexp.MustCompile(`Process \d+`):                      "Process 4711",
	regexp.MustCompile(`\(\d+\.\d\ds\)`):                   "(0.02s)",
	regexp.MustCompile(`(?m) +$`):                          "",
	regexp.MustCompile(`(?s)What it needs\n.*?( +note  )`): "...\n$1",
}

// TestDebugger is the session of docs/debugging.md: a breakpoint stops in the lock, its variables can be read, and the replay ends as ever.
func TestDebugger(t *testing.T) {
	slowtest.SkipIfShort(t)
	dlv := delve(t)
	u := &user{dir: t.TempDir()}
	if err := u.module("example.com/mylock"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(u.dir, "mylock_test.go"), []byte(readPrinted(t, byol, "TestMyLock").code), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := u.run("test", "-short", "-run", "^TestMyLock$/^gc-pause$"); err == nil {
		t.Fatal("the example passes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // all is compiled without optimizations
	defer cancel()
	cmd := exec.CommandContext(ctx, dlv, append([]string{"test", "--allow-non-terminal-interactive", "--"}, debugged...)...)
	cmd.Dir, cmd.Env = u.dir, append(u.env(), "TERM=dumb", "XDG_CONFIG_HOME="+ownConfig(t), "GOENV="+goEnv(t))
	cmd.Stdin = strings.NewReader(strings.Join(session, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "operation not permitted") {
		t.Skipf("no debugger may stop a process here: %s", out)
	}
	if err != nil {
		t.Errorf("dlv ends with %v", err)
	}
	parts := strings.SplitAfter(string(out), "(dlv) ")
	for i, line := range session[:min(len(session), len(parts)-1)] {
		parts[i] += line + "\n"
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.Join(parts, ""), root, "/src/lockpick")
	for pattern, by := range unsteady { // unordered: each is about another thing
		text = pattern.ReplaceAllString(text, by)
	}
	command := "$ dlv test --"
	for _, arg := range debugged {
		command += " " + wording.Shell(arg)
	}
	golden.File(t, "testdata/debug_session.golden", command+"\n"+text)
}

// TestDebugging: docs/debugging.md shows that session, and its launch.json has the same arguments.
func TestDebugging(t *testing.T) {
	const page = "../docs/debugging.md"
	golden.Quotes(t, page, 1)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```json\n")
	block, _, _ := strings.Cut(after, "```")
	var launch struct {
		Configurations []struct {
			Type, Mode string
			Args       []string
		}
	}
	if err := json.Unmarshal([]byte(block), &launch); err != nil || len(launch.Configurations) != 1 {
		t.Fatalf("launch.json: %v\n%s", err, block)
	}
	if c := launch.Configurations[0]; c.Type != "go" || c.Mode != "test" || !slices.Equal(c.Args, debugged) {
		t.Errorf("launch.json has %+v, want the arguments %q", c, debugged)
	}
}

// ownConfig is a directory without anybody's settings of Delve, in which it counts nothing either.
func ownConfig(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	mode := filepath.Join(dir, "go", "telemetry", "mode")
	if err := errors.Join(os.MkdirAll(filepath.Dir(mode), 0o777), os.WriteFile(mode, []byte("off"), 0o666)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// goEnv is the file with the settings of the go command, which are among all others.
func goEnv(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOENV").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// delve is the program dlv, built from the release that the session was made with.
func delve(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module throwaway\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const command = "github.com/go-delve/delve/cmd/dlv"
	for _, args := range [][]string{{"get", command + "@v1.27.2"}, {"build", "-o", "dlv", command}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("there is no debugger: go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return filepath.Join(dir, "dlv")
}
