package realcommand

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick"
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/redis"
	simrunprogram "github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/file/builtin"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	redisbuiltin "github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// mark makes this test binary simrun.
const mark = "LOCKPICK_TEST_SIMRUN"

func TestMain(m *testing.M) {
	if os.Getenv(mark) == "" || os.Getenv(gotest.WorkerVariable) != "" { // the test binary of TestOwn, or a worker of it
		os.Exit(m.Run())
	}
	simrunprogram.Main(
		simrunprogram.Locks(redisbuiltin.Locks()...), simrunprogram.Locks(builtin.Locks()...),
		simrunprogram.Commands(Commands(confirm.Stores{"redis": redis.New}, map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources})...),
	)
}

// simrun runs one command.
func simrun(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	return simrunIn(t, ".", args...)
}

// simrunIn runs one command in a directory.
func simrunIn(t *testing.T, dir string, args ...string) (code int, out, errs string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0], cmd.Dir, cmd.Env = "simrun", dir, append(os.Environ(), mark+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

const corpus = "../../traces/corpus/"

// TestUsage: command lines that mean nothing are refused.
func TestUsage(t *testing.T) {
	real := filepath.Join(t.TempDir(), "real.json")
	if err := traces.WriteFile(real, sampletraces.Real()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		args  []string
		words string
	}{
		{"no tries", []string{"confirm", "x.json", "--tries", "0"}, "--tries=0: want 1 to 1000"},
		{"more than the tries", []string{"confirm", "x.json", "--tries", "3", "--need", "4"}, "--need=4: want 1 to 3, the number of tries"},
		{"a result of another lock", []string{"confirm", "x.json", "--write", "--lock", "setpx"}, "--write and --lock exclude each other"},
		{"one file for two runs", []string{"confirm", "x.json", "y.json", "-o", "z.json"}, "name a directory for their real runs"},
		{"no time", []string{"confirm", "x.json", "--limit", "0s"}, "--limit=0s: want a duration above 0, such as 60s"},
		{"no trace to confirm", []string{"confirm", "none.json"}, "none.json"},
		{"no argument", []string{"confirm"}, "want a trace; "},
		{"a real run", []string{"confirm", real}, "which has no tape"},
		{"a lock of another store", []string{"confirm", "--lock", "file-flock", corpus + "gc-pause_setpx_no-lost-update.json"}, "a lock over file"},
		{"an unknown lock", []string{"confirm", "--lock", "nobodys", corpus + "gc-pause_setpx_no-lost-update.json"}, "nobodys"},
		{"no runs", []string{"export", "--go-test", "--runs", "0", "x.json"}, "--runs=0: want 1 to 1000"},
		{"no version", []string{"export", "--go-test", "--repaired", "x", "x.json"}, "want MODULE@VERSION"},
		{"an export of a real run", []string{"export", "--go-test", real}, "which has no tape"},
	} {
		if code, out, errs := simrun(t, c.args...); code != recorded.ExitUsage || out != "" || !strings.Contains(errs, c.words) {
			t.Errorf("%s: %d, without %q: %.300s %s", c.name, code, c.words, out, errs)
		}
	}
}

// TestConfirm: what cannot be forced, and a server that is not there, make no statement, and say why.
func TestConfirm(t *testing.T) {
	code, out, _ := simrun(t, "confirm", "--json", "--limit", "1s", corpus+"gc-pause_setpx_no-lost-update.json")
	var r confirm.Statement
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != recorded.ExitInconclusive || r.Result != confirm.NotForced || r.Of != 0 || !strings.Contains(r.Reason, "the violation comes after 3.38s, and the limit is 1s") {
		t.Errorf("%d %s %v", code, out, err)
	}
	var errs string
	if server, err := exec.LookPath("redis-server"); err == nil { // else the next case has it
		dir := t.TempDir()
		if err := os.Symlink(server, filepath.Join(dir, "redis-server")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		code, out, errs = simrun(t, "confirm", corpus+"server-clock-jump_setpx-fenced_mutual-exclusion.json")
		if code != recorded.ExitInconclusive || !strings.HasPrefix(out, "cannot be forced") || !strings.Contains(out, "cc is not on the PATH") {
			t.Errorf("%d %s %s", code, out, errs)
		}
	}
	t.Setenv("PATH", t.TempDir())
	code, out, errs = simrun(t, "confirm", corpus+"gc-pause_setpx_no-lost-update.json")
	if code != recorded.ExitInconclusive || out != "" || !strings.Contains(errs, "redis-server is not on the PATH; install it (Debian: apt install redis-server)") {
		t.Errorf("%d %s %s", code, out, errs)
	}
}

// copied is a copy of a trace of the corpus, and what it has.
func copied(t *testing.T, name string) (path string, tr *traces.Trace) {
	t.Helper()
	raw, err := os.ReadFile(corpus + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	if tr, err = traces.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, tr
}

// TestConfirmReal: the whole command, with real servers and processes. The trace's file then has the result, and nothing else has changed
// there; the real run is a trace that is shown and compared, and not run again.
func TestConfirmReal(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	path, before := copied(t, "failover-loss_setpx-fenced_fencing")
	real := filepath.Join(filepath.Dir(path), "real.json")
	for range 2 { // the second time replaces the result of the first
		code, out, errs := simrun(t, "confirm", "--tries", "5", "--write", "-o", real, path)
		if code != recorded.ExitViolation || errs != "" || !strings.HasPrefix(out, "confirmed ") || !strings.Contains(out, " of 5 tries") || !strings.Contains(out, "the real run is in "+real) {
			t.Fatalf("%d %s%s", code, out, errs)
		}
	}
	after, err := traces.ReadFile(path)
	if err != nil || len(after.Confirmations) != 1 {
		t.Fatalf("%v %+v", err, after)
	}
	c := after.Confirmations[0]
	if c.Of != 5 || c.Confirmed < 1 || c.Mean <= 0 || !strings.HasPrefix(c.Server, "redis-server ") || c.Client != "go-redis "+after.Made["go-redis"] {
		t.Errorf("%+v", c)
	}
	after.Confirmations = before.Confirmations
	if !reflect.DeepEqual(before, after) {
		t.Error("the trace has changed beside its result")
	}
	run, err := traces.ReadFile(real)
	if err != nil || run.Real == nil || run.Real.Simulated != before.Hash || run.Real.Diverged != "" || run.Property != before.Property || !run.Limit || len(run.Tape) > 0 {
		t.Fatalf("%v %+v", err, run)
	}
	for _, c := range []struct {
		args  []string
		code  int
		words string
	}{
		{[]string{"explain", path}, 0, "\n  Confirmed on " + c.Server},
		{[]string{"explain", real}, 0, "real run on " + c.Server},
		{[]string{"view", real, "-o", "-"}, 0, "real run on " + c.Server},
		{[]string{"diff", path, real}, recorded.ExitViolation, "setpx-fenced under failover-loss, real run on " + c.Server},
		{[]string{"replay", real}, recorded.ExitUsage, "which has no tape"},
		{[]string{"shrink", real}, recorded.ExitUsage, "which has no tape"},
		{[]string{"confirm", real}, recorded.ExitUsage, "which has no tape"},
	} {
		if code, out, errs := simrun(t, c.args...); code != c.code || !strings.Contains(out+errs, c.words) {
			t.Errorf("%v: %d, without %q: %.300s %s", c.args, code, c.words, out, errs)
		}
	}
}

// TestExportHostile: a trace in which a client's name is code is refused when it is read: nothing runs, and nothing is written.
func TestExportHostile(t *testing.T) {
	raw, err := os.ReadFile(corpus + "lost-reply_setpx-twostep_owner-only-release.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ran, path, out := filepath.Join(dir, "ran"), filepath.Join(dir, "hostile.json"), filepath.Join(dir, "out")
	text := strings.ReplaceAll(string(raw), `"c2"`, `"exec.Command(`+"`touch`,`"+ran+"`"+`).CombinedOutput() //"`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, said, errs := simrun(t, "export", "--go-test", "-o", out, path)
	if code != recorded.ExitUsage || said != "" || !strings.Contains(errs, "actors[1].name: ") || !strings.Contains(errs, "is no name") {
		t.Errorf("exit code %d\n%s%s", code, said, errs)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("there is more than the trace: %v, %v", left, err)
	}
}

// own is set in a process that searches by [TestOwn].
const own = "LOCKPICK_TEST_OWN"

// newOwn makes a lock whose release deletes whatever is there.
func newOwn(c *cell.Client) lock.Locker {
	return flawed.NewSetPXDel(redisstore.Connect(c), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock()})
}

// TestOwn finds a counterexample of a lock that only this test has.
func TestOwn(t *testing.T) {
	if os.Getenv(own) == "" && os.Getenv(gotest.WorkerVariable) == "" {
		t.Skip("TestConfirmOwn runs this test in a program of its own")
	}
	locktest.Check(t, newOwn, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Properties("owner-only-release"))
}

// TestConfirmOwn: the trace of a test is confirmed with the lock of the test binary, and exported with its code.
func TestConfirmOwn(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	dir := t.TempDir()
	search := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOwn$", "-simrun.out="+dir)
	search.Env = append(os.Environ(), own+"=1")
	t.Cleanup(func() { _ = os.RemoveAll("testdata") }) // where it keeps what it finds
	output, _ := search.CombinedOutput()               // it fails
	found, err := filepath.Glob(filepath.Join(dir, "TestOwn", "*.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("nothing was found: %v\n%s", err, output)
	}
	code, out, errs := simrun(t, "confirm", "--tries", "3", found[0])
	if code != recorded.ExitViolation && code != recorded.ExitInconclusive || errs != "" || !strings.Contains(out, "of TestOwn under gc-pause on redis-server ") || !strings.Contains(out, " of 3 tries") {
		t.Errorf("confirm: %d %s%s", code, out, errs)
	}
	to := filepath.Join(dir, "exported")
	code, out, errs = simrun(t, "export", "--go-test", "--runs", "1", "-o", to, found[0])
	if code != 0 && code != recorded.ExitInconclusive {
		t.Errorf("export: %d %s%s", code, out, errs)
	}
}
