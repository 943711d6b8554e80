package labcommand

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	simrunprogram "github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// mark makes this test binary simrun, with the locks that come with Lockpick or with one of them.
const (
	mark  = "LOCKPICK_TEST_SIMRUN"
	whole = "all"
	few   = "one"
)

func TestMain(m *testing.M) {
	experiments.All = append(experiments.All, misbehavingExperiments()...)
	locks := builtin.Locks()
	switch os.Getenv(mark) {
	case "":
		os.Exit(m.Run())
	case few:
		locks = locks[:1]
	}
	simrunprogram.Main(simrunprogram.Locks(locks...), simrunprogram.Families(builtin.Families()...), simrunprogram.Commands(Experiment(), Envelope()))
}

// simrun runs one command.
func simrun(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	return started(t.Context(), t, whole, args...)
}

// started runs one command, which is interrupted when the context ends.
func started(ctx context.Context, t *testing.T, locks string, args ...string) (code int, out, errs string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Args[0], cmd.Env = "simrun", append(os.Environ(), mark+"="+locks)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// small are the arguments of an experiment that takes a moment.
var small = []string{"experiment", "hotspot", "-p", "tries=60", "-p", "wait=500ms"}

func withArgs(more ...string) []string { return append(slices.Clone(small), more...) }

// misbehaving is an experiment whose second variant does the given thing. Workers
// know it by its name.
func misbehaving(id string, do func()) *experiments.Experiment {
	variant := func(name string, bad bool) experiments.Variant {
		return experiments.Variant{Name: name, Plan: lab.Plan{
			Store: redis.Store, Params: cell.Params{TTL: time.Second}, Processes: 1, Threads: 1, Limit: time.Minute,
			Latency: lab.Latency{Median: time.Millisecond}, Costs: lab.Costs{"": time.Microsecond},
			Client: func(*cell.Client) func(*lab.Thread) {
				return func(t *lab.Thread) {
					t.Sleep(time.Millisecond)
					if bad {
						do()
					}
				}
			},
		}}
	}
	return &experiments.Experiment{
		ID: id, Summary: "misbehaves", Seeds: 2,
		Variants: func(experiments.Values, []cell.Lock) ([]experiments.Variant, error) {
			return []experiments.Variant{variant("good", false), variant("bad", true)}, nil
		},
		Report: func(experiments.Results) labreport.Report { return labreport.Report{} },
	}
}

// misbehavingExperiments are known to tests and to their workers.
func misbehavingExperiments() []*experiments.Experiment {
	return []*experiments.Experiment{
		misbehaving("test-panic", func() { panic("out of coffee") }),
		misbehaving("test-exit", func() { os.Exit(7) }),
		misbehaving("test-print", func() { _, _ = os.NewFile(1, "stdout").WriteString("hello\n") }),
		misbehaving("test-fatal", func() { fmt.Fprintln(os.Stderr, "fatal error: no more of anything"); os.Exit(2) }),
	}
}

// TestExperimentText: the report as text is the same each time, whatever the number of
// workers, and progress does not show in a pipe.
func TestExperimentText(t *testing.T) {
	code, out, errs := simrun(t, withArgs("--seeds", "3", "--jobs", "1")...)
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	golden.File(t, "testdata/experiment.txt", out)
	if _, other, _ := simrun(t, withArgs("--seeds", "3", "--jobs", "3")...); other != out {
		t.Errorf("with three workers:\n%s\nwith one:\n%s", other, out)
	}
}

// TestExperimentFiles: JSON on standard output, and the files beside it.
func TestExperimentFiles(t *testing.T) {
	dir := t.TempDir()
	page, table := filepath.Join(dir, "page.html"), filepath.Join(dir, "table.csv")
	code, out, errs := simrun(t, withArgs("--seeds", "2", "--seed", "5", "--json", "-o", page, "--csv", table)...)
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	var report labreport.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if report.Experiment != "hotspot" || report.Seed != 5 || report.Seeds != 2 || len(report.Tables) == 0 || len(report.Plots) == 0 {
		t.Errorf("%+v", report)
	}
	if want := "simrun experiment hotspot -p tries=60 -p wait=500ms --seed 5 --seeds 2"; report.Command != want {
		t.Errorf("the command is %s, not %s", report.Command, want)
	}
	html, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(html, []byte("<svg")) || !bytes.Contains(html, []byte("Content-Security-Policy")) {
		t.Errorf("%v\n%s", err, html)
	}
	data, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll(); err != nil || len(lines) < 3 {
		t.Errorf("%v\n%s", err, data)
	}
}

// TestExperimentUsage is about what is asked wrongly: a message that says what there is, and
// exit code 2.
func TestExperimentUsage(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{nil, "want an experiment, or list: hotspot"},
		{[]string{"hotspott"}, `there is no experiment "hotspott"`},
		{[]string{"hotspot", "-p", "thread=3"}, `"thread"; did you mean threads? There are instances, threads`},
		{[]string{"hotspot", "-p", "threads"}, "want name=value, such as instances=3"},
		{[]string{"hotspot", "-p", "threads=0"}, "threads is 0; it must be between 1 and 100"},
		{[]string{"hotspot", "-p", "threads=many"}, `threads is "many"; it is a whole number`},
		{[]string{"hotspot", "-p", "wait=0s"}, "wait is 0s; it must be between 1ms and 1h"},
		{[]string{"hotspot", "-p", "wait=3"}, `wait is "3"; it is a time such as 3s`},
		{[]string{"hotspot", "-p", "wait=1.5us"}, "it must be a multiple of 1ms"},
		{[]string{"hotspot", "-p", "distance=-5ms"}, "distance is -5ms; it must be between 0s and 1s"},
		{[]string{"hotspot", "-p", "tries=5"}, "less tries than threads"},
		{[]string{"hotspot", "--seeds", "0"}, "--seeds=0: want 1 to 10000"},
		{[]string{"hotspot", "--seeds", "-1"}, "--seeds=-1: want 1 to 10000"},
		{[]string{"hotspot", "--seeds", "10001"}, "--seeds=10001: want 1 to 10000"},
		{[]string{"hotspot", "--seed", "-1"}, "--seed: want a whole number"},
		{[]string{"hotspot", "--jobs", "0"}, "--jobs=0: want 1 to 256"},
		{[]string{"hotspot", "-o", filepath.Dir(blocked)}, "is a directory"},
		{[]string{"hotspot", "--csv", filepath.Join(blocked, "x.csv")}, "cannot be written: there is no directory " + blocked},
		{[]string{"hotspot", "-o", "h.txt"}, "-o h.txt: the page is HTML: want a name that ends with .html"},
		{[]string{"hotspot", "--draw", "h.svg", "--variant", "without"}, "--draw h.svg: the page is HTML"},
		{[]string{"hotspot", "--draw", filepath.Join(blocked, "x", "h.html"), "--variant", "without"}, "there is no directory"},
		{[]string{"hotspot", "--draw", "x.html"}, "--draw and --trace show one run: name its variant by --variant"},
		{[]string{"hotspot", "--draw", "x.html", "--variant", "without", "--json"}, "leave out --seeds, --real, --json"},
		{[]string{"hotspot", "--variant", "without"}, "select the run that --draw or --trace shows"},
		{[]string{"hotspot", "--draw", "x.html", "--from=-1s"}, "--from=-1s: want a time that is not negative"},
		{[]string{"hotspot", "--draw", "x.html", "--from", "2s", "--to", "1s"}, "--to=1s: want a time after --from=2s"},
		{[]string{"hotspot", "--draw", "x.html", "--from", "soon"}, "--from"},
		{[]string{"hotspot", "-p", "tries=24", "--draw", filepath.Join(t.TempDir(), "x.html"), "--variant", "without", "--from", "1h"}, "the run ends before"},
	} {
		code, out, errs := simrun(t, append([]string{"experiment"}, test.args...)...)
		if code != 2 || !strings.Contains(errs, test.says) {
			t.Errorf("%q: exit code %d, want %q\n%s%s", test.args, code, test.says, out, errs)
		}
	}
}

// TestExperimentTrouble: a run that fails, and a worker that dies or prints, is said with its
// words and the run, whatever the number of workers; exit code 4.
func TestExperimentTrouble(t *testing.T) {
	for id, says := range map[string]string{ // unordered: each by itself
		"test-panic": "out of coffee",
		"test-exit":  "the worker died: exit status 7",
		"test-fatal": "fatal error: no more of anything",
		"test-print": "the worker's answer cannot be read",
	} {
		for _, jobs := range []string{"1", "3"} {
			code, out, errs := simrun(t, "experiment", id, "--jobs", jobs)
			if code != 4 || !strings.Contains(errs, "bad, seed 1: ") || !strings.Contains(errs, says) || out != "" {
				t.Errorf("%s: exit code %d, want %q\n%s%s", id, code, says, out, errs)
			}
		}
	}
}

// TestExperimentListWithoutLocks: a program without the locks of an experiment lists it all the same.
func TestExperimentListWithoutLocks(t *testing.T) {
	for _, args := range [][]string{{"experiment", "list"}, {"experiment", "list", "--json"}} {
		code, out, errs := started(t.Context(), t, few, args...)
		if code != 0 || !strings.Contains(out, "which-lock") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, out, errs)
		}
		if len(args) == 2 && !strings.Contains(out, "none here: the program does not have db-optimistic") {
			t.Errorf("it does not say what is missing:\n%s", out)
		}
	}
}

// TestExperimentInterrupted: an interrupt ends the workers and is told.
func TestExperimentInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	if code, out, errs := started(ctx, t, whole, "experiment", "hotspot", "--seeds", "10000"); code != 130 || out != "" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestExperimentHints: what is mistyped is named with what there is, and a shell's completion has the names.
func TestExperimentHints(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"experiment", "hotspot", "--threads", "3"}, "threads is a parameter of the experiment: -p threads=3"},
		{[]string{"experiment", "hotspot", "--variant", "wihtout", "--draw", "x.html"}, `there is no variant "wihtout"; did you mean "without"? There are "without", "with the handler"`},
		{[]string{"experiment"}, "want an experiment, or list: hotspot, "},
	} {
		if code, _, errs := simrun(t, test.args...); code != 2 || !strings.Contains(errs, test.says) {
			t.Errorf("%q: exit code %d, want %q\n%s", test.args, code, test.says, errs)
		}
	}
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"experiment", "ho"}, "hotspot\n"},
		{[]string{"experiment", "hotspot", "-p", "t"}, "threads=\ntries=\ntimeout=\n"},
		{[]string{"experiment", "hotspot", "--variant", ""}, "without\nwith the handler\n"},
		{[]string{"experiment", "hotspot", "--se"}, "--seed\n--seeds\n"},
	} {
		if code, out, errs := simrun(t, append([]string{"complete", "--"}, test.words...)...); code != 0 || out != test.want {
			t.Errorf("%q: exit code %d, %q, want %q\n%s", test.words, code, out, test.want, errs)
		}
	}
}

// TestExperimentTrace: a run is drawn and kept as a trace, which explain and view read and
// replay repeats, byte for byte; a trace that was changed differs.
func TestExperimentTrace(t *testing.T) {
	dir := t.TempDir()
	trace, drawn := filepath.Join(dir, "run.json"), filepath.Join(dir, "run.html")
	code, out, errs := simrun(t, withArgs("--variant", "with the handler", "--seed", "3", "--from", "100ms", "--to", "400ms", "--trace", trace, "--draw", drawn)...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	page, err := os.ReadFile(drawn)
	if err != nil || !bytes.Contains(page, []byte("A run of the experiment hotspot: with the handler.")) || !bytes.Contains(page, []byte("replay")) {
		t.Errorf("%v", err)
	}
	again := filepath.Join(dir, "again.json")
	for _, procs := range []string{"1", "4"} {
		if code, out, errs = simrun(t, "replay", trace, "-o", again, "--procs", procs); code != 0 || !strings.Contains(out, "as recorded") {
			t.Fatalf("exit code %d\n%s%s", code, out, errs)
		}
		if one, two := read(t, trace), read(t, again); !bytes.Equal(one, two) {
			t.Error("the replayed trace has other bytes")
		}
	}
	if code, out, _ = simrun(t, "explain", trace); code != 0 || !strings.HasPrefix(out, "experiment hotspot: with the handler, seed 3") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out, _ = simrun(t, "view", trace, "-o", "-"); code != 0 || !strings.Contains(out, "experiment <b>hotspot</b>") {
		t.Errorf("exit code %d", code)
	}
	if code, _, errs = simrun(t, "shrink", trace); code != 2 || !strings.Contains(errs, "a run of an experiment") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	text := string(read(t, trace))
	for _, change := range []struct {
		from, to string
		code     int
		says     string
	}{
		{`"value":"500ms"`, `"value":"20ms"`, 4, "DI"}, // DIVERGED or DIFFERENT
		{`"lock": "with the handler"`, `"lock": "without"`, 4, "DI"},
		{`"lock": "with the handler"`, `"lock": "with two"`, 2, `there is no variant "with two"`},
		{`"scenario": "hotspot"`, `"scenario": "coldspot"`, 2, `there is no experiment "coldspot"`},
		{`"value":"500ms"`, `"value":"0s"`, 2, "it must be between"},
		{`"untilNanos": 400000000`, `"untilNanos": -1`, 2, "is no part of a run"},
	} {
		if !strings.Contains(text, change.from) {
			t.Fatalf("the trace has no %s\n%.2000s", change.from, text)
		}
		path := filepath.Join(dir, "changed.json")
		if err := os.WriteFile(path, []byte(strings.Replace(text, change.from, change.to, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out, errs = simrun(t, "replay", path); code != change.code || !strings.Contains(out+errs, change.says) {
			t.Errorf("%s: exit code %d\n%s%s", change.to, code, out, errs)
		}
	}
}

// TestExperimentPart: without --to the part has some 2,000 events from --from on, and the
// picture's command draws the same picture.
func TestExperimentPart(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "run.json")
	if code, out, errs := simrun(t, withArgs("--variant", "without", "--from", "200ms", "--trace", trace)...); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	kept, err := traces.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, e := range kept.Events {
		if e.At >= 200*time.Millisecond {
			shown++
		}
	}
	if shown < lookable || shown > lookable+10 || kept.Experiment.Until != kept.EndAt() {
		t.Errorf("%d events are shown; the run is cut at %v and ends at %v", shown, kept.Experiment.Until, kept.EndAt())
	}
	if code, out, errs := simrun(t, withArgs("-p", "tries=12", "-p", "threads=1", "--variant", "without", "--trace", trace)...); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	if whole, err := traces.ReadFile(trace); err != nil || whole.Experiment.Until != 0 || len(whole.Events) == 0 {
		t.Errorf("%v; a short run is kept as a whole: %+v", err, whole.Experiment)
	}
}

// TestExperimentList: each experiment is listed with its parameters.
func TestExperimentList(t *testing.T) {
	code, out, _ := simrun(t, "experiment", "list")
	if code != 0 || !strings.Contains(out, "hotspot  requests of a pull lock") || !strings.Contains(out, "how long an Acquire may wait: 3s (1ms to 1h)") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	code, out, _ = simrun(t, "experiment", "list", "--json")
	if n := strings.Count(out, "\n"); code != 0 || n != len(experiments.All) {
		t.Errorf("exit code %d, %d lines\n%s", code, n, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var e jsonExperiment
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.ID == "" || len(e.Variants) == 0 {
			t.Errorf("%v: %s", err, line)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
