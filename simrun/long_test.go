package simrun

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestLongTraces: a run whose trace would be longer than one may be is cut after
// its violation, and can be replayed; if that does not help, nothing is written.
func TestLongTraces(t *testing.T) {
	slowtest.SkipIfShort(t)
	search := func(maxTrace int) (path, out, errs string) {
		t.Helper()
		worker, err := explore.Self("worker")
		if err != nil {
			t.Fatal(err)
		}
		worker.Env = []string{mark + "=1"}
		var stdout, stderr bytes.Buffer
		a := &app{name: "simrun", out: &stdout, err: &stderr, locks: allLocks(), worker: worker, maxTrace: maxTrace}
		dir := t.TempDir()
		code := a.main(t.Context(), []string{"run", "gc-pause", "-p", "rounds=6", "-p", "sizes=0", "--runs", "300", "--failfast", "--no-shrink", "--out", dir})
		if code != exitViolation {
			t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
		}
		return filepath.Join(dir, "gc-pause_setpx_rounds-6_sizes-0_mutual-exclusion_limit.json"), stdout.String(), stderr.String()
	}
	path, _, _ := search(0)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	path, out, errs := search(int(info.Size()) - 1)
	cut, err := traces.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	if len(cut.Events) >= len(whole.Events) || cut.History.Cut == "" || cut.Verdict().From != whole.Verdict().From {
		t.Errorf("it has %d events of %d, and says %q; the violation is at %v, and was at %v", len(cut.Events), len(whole.Events), cut.History.Cut, cut.Verdict().From, whole.Verdict().From)
	}
	if !strings.Contains(out, "the trace has the first ") || errs != "" {
		t.Errorf("it is not said that the run was cut:\n%s%s", out, errs)
	}
	if code, out, errs := simrun(t, "replay", path); code != exitViolation || !strings.Contains(out, "as recorded") {
		t.Errorf("replayed: exit code %d\n%s%s", code, out, errs)
	}

	path, out, errs = search(1000)
	if _, err := os.Stat(path); err == nil || !strings.Contains(errs, "longer than a trace may be") || !strings.Contains(out, "could not be written") {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}

// TestTracesWithoutAllEvents: the trace of a run of very many events leaves some out, is
// compressed, and is replayed, explained and shown like any other; what it leaves out is said.
func TestTracesWithoutAllEvents(t *testing.T) {
	slowtest.SkipIfShort(t)
	cell, err := scenarios.Registry(allLocks()).Cell("contention", "setpx", []traces.Parameter{{Name: "clients", Value: "16"}, {Name: "rounds", Value: "20"}})
	if err != nil {
		t.Fatal(err)
	}
	out := cell.Run(explore.Run{Tape: explore.NewReplay(nil), Record: true})
	whole := cell.Trace(1, 0, "", out)
	if len(whole.Events) <= traces.MaxEvents {
		t.Fatalf("the run has only %d events", len(whole.Events))
	}
	dir := t.TempDir()
	path, again := filepath.Join(dir, "long.json"), filepath.Join(dir, "again.json")
	if err := traces.WriteFile(path, whole); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil || file[0] == '{' {
		t.Fatalf("it is not compressed: %v", err)
	}
	const leftOut = "The trace leaves out "
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"explain", path}, []string{leftOut}},
		{[]string{"view", path, "-o", "-"}, []string{leftOut}},
		{[]string{"replay", path, "-o", again}, []string{leftOut, "This run was made with all events.", "as recorded"}},
	} {
		code, out, errs := simrun(t, c.args...)
		for _, want := range c.wants {
			if code != exitNone || !strings.Contains(out, want) {
				t.Errorf("%q: exit code %d, no %q in\n%.3000s%s", c.args, code, want, out, errs)
			}
		}
	}
	if now, err := os.ReadFile(again); err != nil || !bytes.Equal(now, file) {
		t.Errorf("the replayed trace has other bytes: %v", err)
	}
}

// TestEvents: a run is cut after as many events as the parameter says.
func TestEvents(t *testing.T) {
	code, out, errs := simrun(t, "run", "contention", "--runs", "1", "-p", "events=50", "--out", t.TempDir())
	if code != exitInconclusive || !strings.Contains(out, "the run was cut after 50 events") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestSearchesInOneDirectory: searches that run other schedules keep their files
// apart.
func TestSearchesInOneDirectory(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	for _, args := range [][]string{nil, {"--seed", "2"}, {"-p", "clients=3"}, {"--strategy", "random", "--seed", "3"}} {
		search := append([]string{"run", "gc-pause", "--runs", "300", "--failfast", "--no-shrink", "--out", dir}, args...)
		if code, out, errs := simrun(t, search...); code != exitViolation {
			t.Fatalf("%q: exit code %d\n%s%s", search, code, out, errs)
		}
	}
	for name, want := range map[string]struct {
		seed     uint64
		strategy string
	}{
		"gc-pause_setpx":               {1, "portfolio"},
		"gc-pause_setpx_seed-2":        {2, "portfolio"},
		"gc-pause_setpx_clients-3":     {1, "portfolio"},
		"gc-pause_setpx_random_seed-3": {3, "random"},
	} {
		trace, err := traces.ReadFile(filepath.Join(dir, name+"_mutual-exclusion_limit.json"))
		if err != nil || trace.Seed != want.seed || trace.Strategy != want.strategy {
			t.Errorf("%s: %v, of seed %d, strategy %s", name, err, trace.Seed, trace.Strategy)
		}
		if _, err := explore.ReadState(filepath.Join(dir, name+shards.SearchEnd)); err != nil {
			t.Error(err)
		}
	}
}

// TestNamesApart: a name has what is not as usual, and does not grow without end.
func TestNamesApart(t *testing.T) {
	run := func(strategy string, seed uint64, settings ...traces.Parameter) string {
		return searchName(&identity{Kind: runKind, Scenario: "s", Lock: "l", Strategy: strategy, Seed: seed}, settings, explore.Shard{})
	}
	clients := traces.Parameter{Name: "clients", Value: "3"}
	var many, more []traces.Parameter
	for _, p := range (cell.Registry{}).Settings(redis.Store).Describe() {
		many = append(many, traces.Parameter{Name: p.Name, Value: "1"})
	}
	more = append(more, many...)
	more[len(more)-1].Value = "2"
	for _, c := range []struct{ got, want string }{
		{run("portfolio", 1), "s_l"},
		{run("random", 7, clients), "s_l_clients-3_random_seed-7"},
		{searchName(&identity{Kind: checkKind, Scenario: "s", Lock: "l", Plain: true}, nil, explore.Shard{Index: 2, Of: 3}), "s_l_plain_2of3"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	if one, two := run("portfolio", 1, many...), run("portfolio", 1, more...); one == two || len(one) > 3+maxApart {
		t.Errorf("%s and %s", one, two)
	}
}

// firstWrite calls f at the first write.
type firstWrite struct {
	bytes.Buffer
	f func()
}

func (w *firstWrite) Write(p []byte) (int, error) {
	if w.f != nil {
		w.f()
		w.f = nil
	}
	return w.Buffer.Write(p)
}

// TestStateIsWrittenAtOnce: a search that is killed when it has only just begun can
// be resumed.
func TestStateIsWrittenAtOnce(t *testing.T) {
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	args := func(dir string) []string {
		return []string{"run", "contention", "--runs", "20", "--stable", "--out", dir}
	}
	dir, killed := t.TempDir(), t.TempDir()
	const name = "contention_setpx" + shards.SearchEnd
	out := &firstWrite{f: func() {
		state, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("nothing has been run yet: %v", err)
			return
		}
		if err := os.WriteFile(filepath.Join(killed, name), state, 0o666); err != nil {
			t.Error(err)
		}
	}}
	var errs bytes.Buffer
	a := &app{name: "simrun", out: out, err: &errs, locks: allLocks(), worker: worker}
	if code := a.main(t.Context(), args(dir)); code != exitNone {
		t.Fatalf("exit code %d\n%s%s", code, out, &errs)
	}
	code, resumed, said := simrun(t, append(args(killed), "--resume")...)
	if code != exitNone || resumed != out.String() {
		t.Errorf("exit code %d\n%s%s\nwant\n%s", code, resumed, said, out)
	}
}
