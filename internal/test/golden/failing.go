package golden

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// inside names the test that a process runs for its output.
const inside = "LOCKPICK_GOLDEN_TEST"

// took matches the duration of a test in go test's output.
var took = regexp.MustCompile(`\([0-9.]+s\)`)

// Failing compares the output of a failing test with a file, without durations. The body runs in a process of its own, in
// an empty directory: this test, run again with -short. The output must have fewer than most lines.
func Failing(t *testing.T, path string, most int, body func(*testing.T)) {
	t.Helper()
	if os.Getenv(inside) == t.Name() {
		body(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(self, "-test.short", "-test.run=^"+t.Name()+"$")
	run.Dir = t.TempDir()
	run.Env = append(os.Environ(), inside+"="+t.Name(), "GITHUB_ACTIONS=")
	raw, err := run.CombinedOutput()
	out := took.ReplaceAllString(string(raw), "(0.00s)")
	if err == nil {
		t.Fatalf("it passes\n%s", out)
	}
	if n := strings.Count(out, "\n"); n >= most {
		t.Errorf("it prints %d lines, want less than %d\n%s", n, most, out)
	}
	File(t, path, out)
}
