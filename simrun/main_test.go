package simrun

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// TestUsage is about what is asked wrongly: a clear message and exit code 2.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	blocked := filepath.Join(file("plain", "x"), "out")
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"unknown command", []string{"rum"}, `there is no command "rum"; did you mean run? There are list, run, check`},
		{"unknown flag", []string{"run", "contention", "--fast"}, `there is no flag "--fast"; there are --runs, `},
		{"a parameter as a flag", []string{"run", "contention", "--clients", "8"}, "there is no flag --clients; clients is a parameter of scenarios: -p clients=8"},
		{"a parameter misspelt, as a flag", []string{"check", "contention", "--clinets=8"}, "there is no flag --clinets; clients is a parameter of scenarios: -p clients=8"},
		{"a flag misspelt", []string{"run", "contention", "--jsno"}, `there is no flag "--jsno"; did you mean --json?`},
		{"help on no command", []string{"help", "rum"}, `there is no command "rum"; did you mean run?`},
		{"help on two commands", []string{"help", "run", "check"}, "unexpected argument check; it is simrun help [<command>]"},
		{"too much", []string{"list", "foo"}, "unexpected argument foo; it is simrun list"},
		{"a format misspelt", []string{"view", "none.json", "--format", "htlm"}, `there is no format "htlm"; did you mean html? There are html, svg`},
		{"a model misspelt", []string{"judge", "none", "--model", "mutx"}, `there is no model "mutx"; did you mean mutex? There are mutex, reentrant`},
		{"a store misspelt", []string{"matrix", "--store", "redsi"}, `there is no store "redsi"; did you mean redis? There are redis, file`},
		{"no trace", []string{"replay"}, "want a trace; simrun run writes them to simrun-out"},
		{"a parameter misspelt", []string{"run", "contention", "-p", "clinets=8"}, "did you mean clients?"},
		{"a lock misspelt", []string{"run", "contention", "--lock", "setxp"}, "did you mean setpx?"},
		{"no scenario", []string{"run"}, "want a scenario: contention, failover-loss"},
		{"unknown scenario", []string{"run", "contenton"}, `there is no scenario "contenton"; did you mean contention? There are contention, failover-loss`},
		{"unknown lock", []string{"run", "contention", "--lock", "mutex"}, `there is no lock "mutex"; there are setpx, `},
		{"no schedules", []string{"run", "contention", "--runs", "0"}, "--runs=0: want at least 1"},
		{"no jobs", []string{"run", "contention", "--jobs", "0"}, "--jobs=0: want 1 to 256"},
		{"too many jobs", []string{"check", "contention", "--jobs", "257"}, "--jobs=257: want 1 to 256"},
		{"unknown strategy", []string{"run", "contention", "--strategy", "luck"}, `there is no strategy "luck"; there are bounded, guided`},
		{"a strategy misspelt", []string{"run", "contention", "--strategy", "guidde"}, `there is no strategy "guidde"; did you mean guided?`},
		{"no shard", []string{"run", "contention", "--shard", "2"}, "--shard=2: want I/N"},
		{"shard 0", []string{"run", "contention", "--shard", "0/2"}, "--shard=0/2: want I/N with I from 1 to N"},
		{"shard behind the last", []string{"check", "contention", "--shard", "3/2"}, "--shard=3/2: want I/N with I from 1 to N"},
		{"more shards than blocks", []string{"run", "contention", "--shard", "1/9"}, "2,000 schedules are only 8 blocks of 256"},
		{"a bounded search in shards", []string{"run", "contention", "--strategy", "bounded", "--shard", "1/2"}, "the strategy bounded cannot be split; simrun check can"},
		{"shards that stop early", []string{"run", "contention", "--failfast", "--shard", "1/2"}, "leave out --failfast or --shard"},
		{"nothing to resume", []string{"run", "contention", "--resume", "--out", dir}, "nothing to resume: there is no " + dir},
		{"nothing to resume of a check", []string{"check", "contention", "--resume", "--out", dir}, "contention_setpx.check.json"},
		{"a bad state", []string{"run", "gc-pause", "--resume", "--out", filepath.Dir(file("gc-pause_setpx.search.json", "{"))}, "is not the state of a search"},
		{"an empty state", []string{"check", "gc-pause", "--resume", "--out", filepath.Dir(file("gc-pause_setpx.check.json", string(packed.Seal([]byte("{\"schema\":4}\n")))))}, "it does not name its search"},
		{"an older state", []string{"merge", file("old.search.json", `{"schema":1}`)}, "which did not distinguish faults from limits: search again from the beginning"},
		{"a state without a checksum", []string{"merge", file("bare.search.json", `{"schema":3}`)}, "whose states have no checksum: search again from the beginning"},
		{"a newer state", []string{"merge", file("new.search.json", `{"schema":9}`)}, "has schema 9, and this version knows 4"},
		{"a negative bound", []string{"check", "contention", "--bound=-1"}, "--bound=-1: want 0 to 20"},
		{"a certificate of a shard", []string{"check", "contention", "--shard=1/2", "--certificate=c.json"}, "--certificate: a shard has not searched everything"},
		{"a certificate without a directory", []string{"check", "contention", "--certificate", filepath.Join(dir, "none", "c.json")}, "there is no directory"},
		{"no limit", []string{"check", "contention", "--limit", "0"}, "--limit=0: want at least 1"},
		{"nothing to merge", []string{"merge"}, "want the state files of shards"},
		{"no states to merge", []string{"merge", t.TempDir()}, "there are no states of searches in "},
		{"no such state", []string{"merge", filepath.Join(dir, "none")}, "there is no file or directory " + filepath.Join(dir, "none") + ": merge joins the states of shards"},
		{"a directory for a trace", []string{"view", t.TempDir()}, "is a directory, and a trace is wanted: there is none in it"},
		{"a directory with a trace for one", []string{"view", filepath.Dir(file("other.json", "{}"))}, "is a directory, and a trace is wanted: it has "},
		{"a command of two letters", []string{"rn", "contention"}, `there is no command "rn"; did you mean run?`},
		{"no trace to shrink", []string{"shrink", filepath.Join(dir, "none.json")}, "there is no file"},
		{"a state for a trace", []string{"view", file("gc-pause_mine.search.json", `{"schema":2}`)}, "is the state of a search, and no trace"},
		{"nothing to shrink with", []string{"shrink", filepath.Join(dir, "none.json"), "--budget", "0"}, "--budget=0: want at least 1"},
		{"bad seed", []string{"run", "contention", "--seed", "x"}, `--seed: want a whole number from 0 to 18446744073709551615, got "x"`},
		{"a negative seed", []string{"run", "contention", "--seed", "-1"}, `--seed: want a whole number from 0 to 18446744073709551615, got "-1"`},
		{"a negative seed in one word", []string{"doctor", "--seed=-1"}, `--seed: want a whole number from 0 to 18446744073709551615, got "-1"`},
		{"negative schedules", []string{"run", "contention", "--runs", "-5"}, "--runs=-5: want at least 1, and no more than 1000000000"},
		{"negative jobs", []string{"merge", dir, "--jobs", "-1"}, "--jobs=-1: want 1 to 256"},
		{"a negative bound in two words", []string{"check", "contention", "--bound", "-1"}, "--bound=-1: want 0 to 20"},
		{"a negative limit", []string{"check", "contention", "--limit", "-3"}, "--limit=-3: want at least 1"},
		{"a negative budget", []string{"shrink", "x.json", "--budget", "-2"}, "--budget=-2: want at least 1"},
		{"a negative GOMAXPROCS", []string{"replay", "x.json", "--procs", "-2"}, "--procs=-2: want 1 to 64"},
		{"negative runs of doctor", []string{"doctor", "--runs", "-3"}, "--runs=-3: want at least 1"},
		{"a negative shard", []string{"check", "contention", "--shard", "-1/3"}, "--shard=-1/3: want I/N with I from 1 to N"},
		{"a negative parameter", []string{"run", "contention", "-p", "clients=-1"}, `parameter clients="-1": want a number from 1 to 16`},
		{"a flag in place of a number", []string{"run", "contention", "--runs", "--json"}, `--runs: want a whole number such as 2000, got "--json"`},
		{"no number", []string{"run", "contention", "--runs"}, "--runs: want a whole number such as 2000, got nothing"},
		{"a number beyond all bounds", []string{"check", "contention", "--limit", "99999999999999999999"}, `--limit: want a whole number such as 200000, got "99999999999999999999"`},
		{"parameter without value", []string{"run", "contention", "-p", "clients"}, "want name=value"},
		{"unknown parameter", []string{"run", "contention", "-p", "magnitude=3"}, `there is no parameter "magnitude"; there are ttl, lease, pause, rtt, clients`},
		{"parameter out of range", []string{"run", "contention", "-p", "clients=0"}, "want a number from 1 to 16"},
		{"failover without replica", []string{"run", "failover-loss", "-p", "replicas=0"}, "needs a replica"},
		{"bad TTL", []string{"run", "contention", "-p", "ttl=fast"}, "want a duration"},
		{"output directory", []string{"run", "contention", "--out", blocked}, "cannot be created"},
		{"no such trace", []string{"replay", filepath.Join(dir, "none.json")}, "none.json"},
		{"a directory", []string{"explain", dir}, "directory"},
		{"an empty trace", []string{"replay", file("empty.json", "")}, "empty.json"},
		{"not a trace", []string{"view", file("not.json", `{"a":1}`)}, "not.json"},
		{"a newer trace", []string{"explain", file("new.json", `{"schema":99}`)}, "newer"},
		{"unknown shell", []string{"completion", "csh"}, `there is no shell "csh"; did you mean zsh? There are bash, zsh, fish`},
		{"doctor's lock", []string{"doctor", "--lock", "none"}, "there is no lock"},
		{"doctor's runs", []string{"doctor", "--runs", "0"}, "at least 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := simrun(t, test.args...)
			if code != exitUsage || !strings.Contains(errs, test.says) {
				t.Errorf("exit code %d, want %d saying %q\nstdout: %s\nstderr: %s", code, exitUsage, test.says, out, errs)
			}
		})
	}
}

// TestHelp is what a newcomer sees first.
func TestHelp(t *testing.T) {
	code, out, _ := simrun(t)
	if code != exitNone {
		t.Errorf("exit code %d", code)
	}
	golden.File(t, "testdata/help.golden", out)
	_, out, _ = simrun(t, "list", "-v")
	golden.File(t, "testdata/list.golden", withoutTestLocks(out))
	if code, again, _ := simrun(t, "help"); code != exitNone || !strings.HasPrefix(again, "Usage: simrun <command>") {
		t.Errorf("help: exit code %d\n%s", code, again)
	}
	_, one, _ := simrun(t, "run", "--help")
	if code, other, _ := simrun(t, "help", "run"); code != exitNone || one != other {
		t.Errorf("help run: exit code %d\n%s", code, other)
	}
}

// TestList: the list is short, says more with -v, and has what applies to one store.
func TestList(t *testing.T) {
	simrun := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		a := &app{name: "simrun", out: &out, err: &errs, locks: locks(), families: families()}
		code := a.main(t.Context(), args)
		return code, out.String(), errs.String()
	}
	code, out, _ := simrun("list")
	golden.File(t, "testdata/list_compact.golden", out)
	if code != exitNone || strings.Count(out, "\n") > 100 {
		t.Errorf("exit code %d, %d lines", code, strings.Count(out, "\n"))
	}
	for store, has := range map[string][2]string{
		"redis": {"pool-exhausted", "session-expiry"},
		"file":  {"session-expiry", "pool-exhausted"},
	} {
		for _, how := range []string{"", "-v", "--json"} {
			args := []string{"list", "--store", store}
			if how != "" {
				args = append(args, how)
			}
			code, out, errs := simrun(args...)
			if code != exitNone || !strings.Contains(out, has[0]) || strings.Contains(out, has[1]) || strings.Contains(out, "file-flock") != (store == "file") {
				t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
			}
		}
	}
	if code, _, errs := simrun("list", "--store", "redsi"); code != exitUsage || !strings.Contains(errs, "did you mean redis?") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	t.Setenv("COLUMNS", "70")
	for _, args := range [][]string{{"list"}, {"list", "-v"}} {
		_, out, _ := simrun(args...)
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(line); n > 71 {
				t.Errorf("%q: a line of %d characters: %s", args, n, line)
			}
		}
	}
}

func withoutTestLocks(s string) string {
	return regexp.MustCompile(`(?m)^  test-.*\n`).ReplaceAllString(s, "")
}

// printed is a command and the golden file with what it prints.
type printed struct {
	golden string
	code   int
	args   []string
}

// TestRun is the search's output, for people and for machines.
func TestRun(t *testing.T) {
	testPrinted(t, []printed{
		{"run_none.golden", exitNone, []string{"run", "contention", "--runs", "50"}},
		{"run_violation.golden", exitViolation, []string{"run", "gc-pause", "--runs", "200"}},
		{"run_vacuous.golden", exitInconclusive, []string{"run", "failover-loss", "--runs", "1"}},
		{"check_exhausted.golden", exitNone, []string{"check", "failover-loss", "--lock", "setpx-wait", "--bound", "1"}},
		{"check_plain.golden", exitNone, []string{"check", "contention", "--bound", "1", "--plain"}},
		{"check_calm.golden", exitNone, []string{"check", "contention", "--bound", "0"}},
		{"check_vacuous.golden", exitInconclusive, []string{"check", "gc-pause", "--bound", "0"}},
	})
}

// TestRunLong is the same of the searches of the README, and of others that shrink for long.
func TestRunLong(t *testing.T) {
	slowtest.SkipIfShort(t)
	testPrinted(t, []printed{
		{"run_fault.golden", exitViolation, []string{"run", "lost-reply", "--lock", "setpx-twostep"}},
		{"run_repaired.golden", exitNone, []string{"run", "lost-reply", "--lock", "setpx"}},
		{"run_failfast.golden", exitViolation, []string{"run", "two-step-release", "--lock", "setpx-twostep", "--failfast"}},
		{"check_violation.golden", exitViolation, []string{"check", "gc-pause", "--lock", "setpx-twostep", "--bound", "1"}},
		{"check_json.golden", exitViolation, []string{"check", "two-step-release", "--lock", "setpx-twostep", "--bound", "1", "--json"}},
		{"run_json.golden", exitViolation, []string{"run", "failover-loss", "--lock", "setpx-fenced", "--runs", "200", "--json"}},
	})
}

func testPrinted(t *testing.T, list []printed) {
	t.Helper()
	dir := t.TempDir()
	plain := func(s string) string { return strings.ReplaceAll(s, dir, "DIR") }
	for _, test := range list {
		t.Run(test.golden, func(t *testing.T) {
			code, out, errs := simrun(t, append(test.args, "--stable", "--out", dir)...)
			if code != test.code || errs != "" {
				t.Errorf("exit code %d, want %d; stderr: %s", code, test.code, errs)
			}
			most := map[string]int{"run": 60, "check": 80}[test.args[0]] // as docs/simrun.md says
			if n := strings.Count(out, "\n"); n >= most && !slices.Contains(test.args, "--json") {
				t.Errorf("it prints %d lines, want less than %d\n%s", n, most, out)
			}
			if comparable(t) {
				golden.File(t, filepath.Join("testdata", test.golden), plain(out))
			}
		})
	}
}

// comparable reports whether golden files of runs apply: they were made with
// the go-redis of go.mod.
func comparable(t *testing.T) bool {
	t.Helper()
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if v := cell.Versions(redis.Store)["go-redis"]; !strings.Contains(string(mod), "github.com/redis/go-redis/v9 "+v) || v != goldenGoRedis {
		t.Logf("go-redis %s: golden files of runs are not compared", v)
		return false
	}
	return true
}

// goldenGoRedis is what the golden files were made with.
const goldenGoRedis = "v9.0.5"

// TestJSON checks the fields that other programs rely on.
func TestJSON(t *testing.T) {
	_, out, _ := simrun(t, "run", "gc-pause", "--runs", "100", "--json", "--out", t.TempDir())
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, line := range lines {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		fields := []string{"type", "scenario", "lock", "property", "limit", "seed", "schedule", "trace", "strategy", "deviations", "shrunk", "attribution"}
		if i == len(lines)-1 {
			fields = []string{"type", "result", "schedules", "events", "simulated_ns", "happened", "strategy", "classes", "elapsed_ns"}
		}
		for _, f := range fields {
			if _, ok := object[f]; !ok {
				t.Errorf("line %d has no %q: %s", i+1, f, line)
			}
		}
	}
}

// TestTrouble is about locks that misbehave: results, not a hung or vanished
// command.
func TestTrouble(t *testing.T) {
	for _, test := range []struct {
		lock, says string
		code       int
	}{
		{"test-panics", "CRASHED in schedule 0: the worker died: panic: testlocks: a panic on purpose", exitTrouble},
		{"test-refused", "REFUSED in schedule 0: the simulated Redis does not support OBJECT: sent by c", exitTrouble},
		{"test-stalls", "STALLED in schedule 0: virtual time stands still: a goroutine is blocked in sync.Mutex.Lock", exitTrouble},
		{"test-own-random", "NONDETERMINISTIC in schedule ", exitViolation}, // what both runs show is a finding
	} {
		t.Run(test.lock, func(t *testing.T) {
			if test.lock == "test-stalls" || test.lock == "test-own-random" {
				slowtest.SkipIfShort(t)
			}
			t.Parallel()
			dir := t.TempDir()
			code, out, errs := simrun(t, "run", "gc-pause", "--lock", test.lock, "--runs", "300", "--out", dir)
			if code != test.code || strings.Count(out, test.says) != 1 || strings.Contains(out, "VIOLATED") != (test.code == exitViolation) {
				t.Errorf("exit code %d, want %d saying %q once\n%s%s", code, test.code, test.says, out, errs)
			}
			if test.code == exitViolation && strings.Index(out, test.says) < strings.Index(out, " is violated: ") {
				t.Errorf("it begins with what hides no finding\n%s", out)
			}
			kind, _, _ := strings.Cut(strings.ToLower(test.says), " ")
			path := filepath.Join(dir, "gc-pause_"+test.lock+"_"+kind+".json")
			if _, err := os.Stat(path); err != nil || !strings.Contains(out, "replay "+path) {
				t.Errorf("its tape: %v\n%s", err, out)
			}
			if code, out, errs := simrun(t, "view", path, "-o", filepath.Join(dir, "x.html")); code != exitNone {
				t.Errorf("view: exit code %d\n%s%s", code, out, errs)
			}
			if test.lock == "test-own-random" {
				return // a check would have to be lucky to notice
			}
			code, out, errs = simrun(t, "replay", path)
			if test.lock == "test-refused" && !strings.Contains(out, ", in release, at internal/test/testlocks/testlocks.go:") {
				t.Errorf("the line is missing\n%s", out)
			}
			if code != exitTrouble || !strings.Contains(out, kind+" again: ") {
				t.Errorf("replay: exit code %d\n%s%s", code, out, errs)
			}
			code, out, errs = simrun(t, "check", "gc-pause", "--lock", test.lock, "--out", t.TempDir())
			if code != exitTrouble || !strings.Contains(out, test.says) || !strings.Contains(out, "No bound was searched completely.") {
				t.Errorf("exit code %d, want %d saying %q\n%s%s", code, exitTrouble, test.says, out, errs)
			}
		})
	}
}

// TestDoctor finds the lock whose runs differ, and nothing else.
func TestDoctor(t *testing.T) {
	slowtest.SkipIfShort(t)
	code, out, errs := simrun(t, "doctor", "--scenario", "gc-pause", "--lock", "setpx", "--runs", "10")
	if code != exitNone || !strings.Contains(out, "OK ") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	for lock, says := range map[string]string{
		"test-own-random": "nondeterministic\n      schedule 9 of seed 1: event ",
		"test-stalls":     "stalled virtual time stands still",
		"test-panics":     "crashed the worker died: panic: testlocks: a panic on purpose",
	} {
		code, out, errs = simrun(t, "doctor", "--scenario", "contention", "--lock", lock, "--runs", "10")
		if code != exitTrouble || !strings.Contains(out, says) || !strings.Contains(out, "NOT DETERMINISTIC") {
			t.Errorf("%s: exit code %d, want %d saying %q\n%s%s", lock, code, exitTrouble, says, out, errs)
		}
	}
}

// TestFiles is about files that cannot be what is asked of them.
func TestFiles(t *testing.T) {
	path := find(t, "gc-pause", "setpx", "mutual-exclusion")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"view", path, "-o", path},
		{"view", path, "-o", filepath.Join(t.TempDir(), "none", "x.html")},
		{"replay", path, "-o", path},
		{"replay", path, "-o", filepath.Join(t.TempDir(), "none", "x.json")},
	} {
		if code, out, errs := simrun(t, args...); code != exitUsage {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the trace is no longer what it was: %v", err)
	}
	// A violation outranks a trace that cannot be written.
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "gc-pause_setpx_mutual-exclusion_limit.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	code, out, errs := simrun(t, "run", "gc-pause", "--runs", "100", "--no-shrink", "--out", dir)
	if code != exitViolation || !strings.Contains(errs, "a trace cannot be written") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestOutputGoesNowhere shows that a full disk is no success.
func TestOutputGoesNowhere(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full: ", err)
	}
	defer full.Close()
	a := &app{name: "simrun", out: full, err: io.Discard, locks: allLocks()}
	if code := a.main(t.Context(), []string{"list"}); code != exitInternal {
		t.Errorf("exit code %d, want %d", code, exitInternal)
	}
}

// TestInterrupt ends a search from outside: what was found is kept.
func TestInterrupt(t *testing.T) {
	slowtest.SkipIfShort(t)
	ctx, cancel := context.WithCancel(t.Context())
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	out := &cancelling{cancel: cancel}
	dir := t.TempDir()
	a := &app{name: "simrun", out: out, err: out, locks: allLocks(), worker: worker}
	code := a.main(ctx, []string{"run", "gc-pause", "--runs", "1000000", "--out", dir})
	if code != exitInterrupted || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		t.Errorf("no trace was kept: %v", err)
	}
}

// cancelling interrupts when the first finding is printed.
type cancelling struct {
	bytes.Buffer
	cancel func()
}

func (c *cancelling) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("VIOLATED")) {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

// TestHostileText shows that what a lock says is text in the picture.
func TestHostileText(t *testing.T) {
	slowtest.SkipIfShort(t)
	path := find(t, "gc-pause", "test-hostile", "mutual-exclusion")
	code, out, errs := simrun(t, "view", path, "-o", "-")
	if code != exitNone {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	if strings.Contains(out, "<img src=x") || strings.Contains(out, "<script>alert") {
		t.Error("the lock's text is HTML in the picture")
	}
	if !strings.Contains(out, "&lt;img src=x") {
		t.Error("the lock's text is not in the picture at all")
	}
	if !strings.Contains(out, "Content-Security-Policy") {
		t.Error("the picture has no content security policy")
	}
}

// TestCompletion asks what may come next.
func TestCompletion(t *testing.T) {
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"re"}, "replay\nreport\n"},
		{[]string{"run", "fail"}, "failover-loss\n"},
		{[]string{"run", "gc-pause", "--lock", "setpx-fe"}, "setpx-fenced\nsetpx-fenced-elsewhere\n"},
		{[]string{"run", "gc-pause", "--fail"}, "--failfast\n"},
		{[]string{"check", "gc-pause", "--bo"}, "--bound\n"},
		{[]string{"check", "two"}, "two-step-release\ntwo-masters\n"},
		{[]string{"run", "gc-pause", "--strategy", "po"}, "portfolio\npos\n"},
		{[]string{"completion", ""}, "bash\nzsh\nfish\n"},
		{[]string{"run", "gc-pause", "-p", "cl"}, "clients=\nclean-restarts=\nclock-jumps=\n"},
		{[]string{"matrix", "--store", "fi"}, "file\n"},
		{[]string{"view", "x", "--format", "mer"}, "mermaid\n"},
		{[]string{"help", "ma"}, "matrix\n"},
		{[]string{"replay", "x"}, ""},
		{[]string{"nonsense", ""}, ""},
	} {
		code, out, errs := simrun(t, append([]string{"complete", "--"}, test.words...)...)
		if code != exitNone || out != test.want {
			t.Errorf("%q: exit code %d, got %q, want %q %s", test.words, code, out, test.want, errs)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, out, _ := simrun(t, "completion", shell); code != exitNone || !strings.Contains(out, "complete -- ") {
			t.Errorf("%s: exit code %d\n%s", shell, code, out)
		}
	}
}
