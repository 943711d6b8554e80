package realcommand

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// foreign builds the client of package attach's tests.
func foreign(t *testing.T) string {
	t.Helper()
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", client, "../attach/testdata/client").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return client
}

// TestAttachUsage: command lines that mean nothing, clients that cannot be started and clients of another version are refused, and
// what went wrong otherwise has its own code.
func TestAttachUsage(t *testing.T) {
	client := foreign(t)
	for _, c := range []struct {
		args  string
		code  int
		words string
	}{
		{"attach --store redis", recorded.ExitUsage, "command"},
		{"attach -- no-such-program", recorded.ExitUsage, "the command no-such-program cannot be started"},
		{"attach --store nothing -- x", recorded.ExitUsage, "it has redis"},
		{"attach --store redis --scenario gc -- x", recorded.ExitUsage, "there is no such scenario; there are contention, lost-request"},
		{"attach --store redis --scenario failover-loss -- x", recorded.ExitUsage, "add --followers 1"},
		{"attach --store redis --property nothing -- x", recorded.ExitUsage, "it is none that is judged here; those are mutual-exclusion"},
		{"attach --store redis --property fencing -- x", recorded.ExitUsage, "it is none that is judged here"},
		{"attach --store redis --runs 0 -- x", recorded.ExitUsage, "--runs=0"},
		{"attach --store redis --lease 1ms -- x", recorded.ExitUsage, "--lease=1ms: want 100ms to 1m0s"},
		{"attach --store redis --clients 1 -- x", recorded.ExitUsage, "--clients=1"},
		{"attach --store redis -- /no/such/program", recorded.ExitUsage, "the command /no/such/program cannot be started"},
		{"attach --store redis -- CLIENT version", recorded.ExitUsage, "speaks version 2 of the protocol, and this simrun speaks version 1"},
		{"attach --store redis -- CLIENT refuses", recorded.ExitUsage, "cannot work: there is no library"},
		{"attach --store redis -- CLIENT dies", recorded.ExitTrouble, "has ended (exit status 7)"},
		{"attach --store redis --check -- CLIENT garbage", recorded.ExitTrouble, ""},
	} {
		if strings.Contains(c.args, "CLIENT") {
			realredis.Need(t)
		}
		code, out, errs := simrun(t, strings.Fields(strings.ReplaceAll(c.args, "CLIENT", client))...)
		if code != c.code || !strings.Contains(errs, c.words) {
			t.Errorf("%s: %d, want %d and %q: %.300s %s", c.args, code, c.code, c.words, out, errs)
		}
	}
	t.Setenv("PATH", "")
	if code, _, errs := simrun(t, "attach", "--store", "redis", "--", client); code != recorded.ExitInconclusive || !strings.Contains(errs, "apt install redis-server") {
		t.Errorf("without a server: %d: %s", code, errs)
	}
}

// TestAttach: a search finds a lock that keeps its key when an answer is lost, its trace is shown like others, and is replayed
// only with a command of the command line: with that of a repaired lock it does not replay.
func TestAttach(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	client, dir := foreign(t), t.TempDir()
	code, out, errs := simrun(t, "attach", "--store", "redis", "--scenario", "lost-reply", "--runs", "6", "-o", dir, "--", client, "no-lease")
	if code != recorded.ExitViolation || !strings.Contains(out, "progress (not-served) under lost-reply") || !strings.Contains(out, ", SET lock changing: lose answer") || !strings.Contains(out, "by the same faults: no-orphan (left-behind)") {
		t.Fatalf("%d: %s %s", code, out, errs)
	}
	silent, _, errs := simrun(t, "attach", "--store", "redis", "--scenario", "lost-reply", "--runs", "2", "--property", "owner-only-release", "-o", dir, "--", client, "no-lease")
	if silent != 0 {
		t.Errorf("a search for another property: %d: %s", silent, errs)
	}
	code, out, errs = simrun(t, "attach", "--json", "--store", "redis", "--scenario", "lost-reply", "--runs", "6", "-o", dir, "--", client, "no-lease")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, line := range lines {
		var v struct{ Type string }
		if err := json.Unmarshal([]byte(line), &v); err != nil || (v.Type == "summary") != (i == len(lines)-1) {
			t.Errorf("the line %d of %d, %q: %v", i, len(lines), line, err)
		}
	}
	if code != recorded.ExitViolation || !strings.Contains(out, `"type":"finding"`) || !strings.Contains(out, `"property":"progress"`) {
		t.Errorf("in JSON: %d: %s %s", code, out, errs)
	}
	list, _ := filepath.Glob(filepath.Join(dir, "*acquire_progress*.json")) // the pattern is well-formed
	if len(list) != 1 {
		t.Fatalf("traces: %v, %s", list, out)
	}
	for _, c := range []struct {
		args  []string
		code  int
		words string
	}{
		{[]string{"explain", list[0]}, 0, "tries of these faults:"},
		{[]string{"view", list[0], "-o", "-"}, 0, "progress"},
		{[]string{"report", dir, "-o", "-"}, 0, "progress"},
		{[]string{"replay", list[0]}, recorded.ExitUsage, "-- " + client + " no-lease"},
		{[]string{"shrink", list[0]}, recorded.ExitUsage, "simrun replay repeats it"},
		{[]string{"replay", list[0], "--", client, "no-lease"}, recorded.ExitViolation, "replayed progress (not-served)"},
		{[]string{"replay", list[0], "--json", "--", client}, recorded.ExitTrouble, `"result":"not replayed"`},
		{[]string{"replay", corpus + "gc-pause_setpx_no-lost-update.json", "--", client}, recorded.ExitUsage, "is no trace of simrun attach"},
	} {
		if code, out, errs := simrun(t, c.args...); code != c.code || !strings.Contains(strings.Join(strings.Fields(out+errs), " "), c.words) {
			t.Errorf("%v: %d, want %d and %q: %.2000s %s", c.args, code, c.code, c.words, out, errs)
		}
	}
}

// TestAttachInterrupted: a search that is interrupted ends with a summary of what it has found so far.
func TestAttachInterrupted(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "attach", "--json", "--scenario", "lost-reply", "--runs", "10000", "-o", t.TempDir(), "--", foreign(t), "no-lease")
	cmd.Env = append(os.Environ(), mark+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	type line struct {
		Type, Result string
		Findings     int
	}
	var last line
	for lines := json.NewDecoder(out); lines.More(); {
		last = line{}
		if err := lines.Decode(&last); err != nil {
			t.Fatal(err)
		}
		if last.Type == "finding" {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // its exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code != recorded.ExitInterrupted || last.Type != "summary" || last.Result != "interrupted" || last.Findings == 0 {
		t.Errorf("exit code %d, and the last line is %+v", code, last)
	}
}
