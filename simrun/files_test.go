package simrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestNoRoom: an output for which there is no room is no mistake of the command line, whatever was to be written. The limit on the size of files
// stands for a full disk: each command runs in a process that may not write a byte to one.
func TestNoRoom(t *testing.T) {
	slowtest.SkipIfShort(t)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to set a limit on the size of files: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	trace := corpus("gc-pause_setpx_no-lost-update")
	text, err := os.ReadFile(trace)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "trace.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	to, made := filepath.Join(dir, "out"), filepath.Join(dir, "made")
	for _, test := range []struct {
		slow bool
		args []string
	}{
		{false, []string{"view", trace, "-o", to + ".html"}},
		{false, []string{"view", trace, "--format", "perfetto", "-o", to}},
		{false, []string{"report", dir}},
		{false, []string{"judge", "testdata/judge/two_holders.ndjson", "--model", "mutex", "-o", to + ".html"}},
		{false, []string{"judge", "testdata/judge/two_holders.ndjson", "--model", "mutex", "--porcupine", "-o", to + ".html"}},
		{true, []string{"diff", trace, "-o", to + ".html"}},
		{false, []string{"replay", trace, "-o", to}},
		{true, []string{"shrink", trace, "-o", to, "--budget", "1"}},
		{true, []string{"run", "gc-pause", "--runs", "10", "--out", made}},
		{true, []string{"check", "gc-pause", "--bound", "0", "--out", made}},
		{true, []string{"matrix", "--lock", "setpx-twostep", "--scenario", "contention", "--runs", "24", "--out", made}},
		{true, []string{"matrix", "--lock", "setpx", "--scenario", "contention", "--runs", "1", "--out", made, "-o", to + ".html"}},
	} {
		t.Run(strings.Join(test.args[:2], " "), func(t *testing.T) {
			if test.slow {
				slowtest.SkipIfShort(t)
			}
			c := exec.CommandContext(t.Context(), shell, append([]string{"-c", `ulimit -f 0 && exec "$0" "$@"`, self}, test.args...)...)
			c.Env = append(os.Environ(), mark+"=1")
			said, _ := c.CombinedOutput()
			if code := c.ProcessState.ExitCode(); code != exitInternal || !strings.Contains(string(said), "file too large") {
				t.Errorf("%q: exit code %d, want %d\n%s", test.args, code, exitInternal, said)
			}
		})
	}
}

// TestGivenTwice: a flag with one value is refused if it is given twice, and one that adds up is not, nor a switch.
func TestGivenTwice(t *testing.T) {
	for _, test := range []struct {
		args, says string
	}{
		{"run gc-pause --lock setpx --lock setpx-del", "--lock is given twice, and takes one value: run the command once for each"},
		{"run gc-pause --lock=setpx --lock=setpx", "--lock is given twice"},
		{"check gc-pause --bound 1 --bound 2", "--bound is given twice"},
		{"matrix -o a.html -o b.html", "--page is given twice"},
		{"run gc-pause --seed 1 --runs 2 --seed 2", "--seed is given twice"},
		{"run gc-pause -p clients=3 -p crashes=1 --lock nothing", "nothing"},
		{"matrix --lock setpx --lock nothing", "nothing"},
		{"list --json --json --store nothing", "nothing"},
	} {
		code, out, errs := simrun(t, strings.Fields(test.args)...)
		if code != exitUsage || !strings.Contains(errs, test.says) || strings.Contains(errs, "is given twice") != strings.Contains(test.says, "is given twice") {
			t.Errorf("%s: exit code %d\n%s%s", test.args, code, out, errs)
		}
	}
}
