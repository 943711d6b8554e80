package simrun

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// The searches that are done in different ways and must come out the same; with
// -short those whose name is one word.
var searches = map[string][]string{
	"run":          {"run", "gc-pause", "--lock", "setpx-fenced", "--runs", "600", "--stable", "--no-shrink"},
	"run shrunk":   {"run", "gc-pause", "--lock", "setpx-fenced", "--runs", "600", "--stable"},
	"run json":     {"run", "gc-pause", "--lock", "setpx-twostep", "--runs", "700", "--stable", "--json", "--no-shrink"},
	"check":        {"check", "gc-pause", "--lock", "setpx-fenced", "--bound", "1", "--stable", "--no-shrink"},
	"check shrunk": {"check", "gc-pause", "--lock", "setpx-fenced", "--bound", "1", "--stable"},
	// With a limit, and violations that need two deviations.
	"check json": {"check", "failover-loss", "-p", "rounds=1", "--bound", "3", "--limit", "5000", "--stable", "--json", "--no-shrink"},
}

// whole is what a search says and leaves, done at once.
func whole(t *testing.T, name string) (out string, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	_, out, _ = simrun(t, append(slices.Clone(searches[name]), "--jobs", "1", "--out", dir)...)
	return strings.ReplaceAll(out, dir, "DIR"), contents(t, dir)
}

// contents are the files of a directory but for those of shards.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(f.Name(), "of3") {
			files[f.Name()] = string(raw)
		}
	}
	return files
}

// same compares what a search said and left with the whole.
func same(t *testing.T, how, dir, out, want string, files map[string]string) {
	t.Helper()
	if out = strings.ReplaceAll(out, dir, "DIR"); out != want {
		t.Errorf("%s says\n%s\nwant\n%s", how, out, want)
	}
	now := contents(t, dir)
	for name := range files {
		if now[name] != files[name] {
			t.Errorf("%s leaves another %s", how, name)
		}
	}
	if len(now) != len(files) {
		t.Errorf("%s leaves %d files, want %d", how, len(now), len(files))
	}
}

// TestHowIsNotWhat does the same searches by several jobs, and in shards that
// are merged: what is said and left is the same, byte for byte.
func TestHowIsNotWhat(t *testing.T) {
	slowtest.SkipIfShort(t)
	for name, args := range searches {
		if testing.Short() && strings.Contains(name, " ") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, files := whole(t, name)
			for _, jobs := range []string{"3", "2"} {
				if testing.Short() && jobs == "2" {
					continue
				}
				dir := t.TempDir()
				_, out, _ := simrun(t, append(slices.Clone(args), "--jobs", jobs, "--out", dir)...)
				same(t, "with "+jobs+" jobs it", dir, out, want, files)
			}
			dir := t.TempDir()
			for _, shard := range []string{"3/3", "1/3", "2/3"} {
				shard := append(slices.Clone(args), "--shard", shard, "--out", dir)
				if !slices.Contains(args, "--no-shrink") {
					shard = append(shard, "--no-shrink") // merging does it
				}
				code, out, errs := simrun(t, shard...)
				if code > exitViolation && code != exitInconclusive || !strings.Contains(out, "shard") {
					t.Errorf("%q: exit code %d\n%s%s", shard, code, out, errs)
				}
			}
			merge := []string{"merge", dir, "--stable", "--out", dir}
			for _, flag := range []string{"--json", "--no-shrink"} {
				if slices.Contains(args, flag) {
					merge = append(merge, flag)
				}
			}
			_, out, errs := simrun(t, merge...)
			same(t, "merged from shards it", dir, out, want, files)
			if errs != "" {
				t.Error(errs)
			}
		})
	}
}

// TestResume interrupts searches again and again; resumed, they come to the
// same.
func TestResume(t *testing.T) {
	slowtest.SkipIfShort(t)
	for name, args := range searches {
		if testing.Short() && strings.Contains(name, " ") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, files := whole(t, name)
			dir := t.TempDir()
			args := append(slices.Clone(args), "--out", dir)
			command := ""
			for n := 0; ; n++ {
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond<<n)
				code, out, errs := simrunUntil(ctx, t, args...)
				cancel()
				if code != exitInterrupted {
					t.Logf("interrupted %d times", n)
					same(t, "resumed it", dir, out, want, files)
					break
				}
				if out == "" {
					t.Fatalf("interrupted it says nothing: %s", errs)
				}
				lines := strings.Split(strings.TrimSpace(out), "\n")
				command = lines[len(lines)-1]
				if !strings.Contains(command, args[0]+" "+args[1]) || !strings.Contains(command, "--resume") || !strings.Contains(command, "--out "+dir) {
					t.Fatalf("interrupted it ends with %q", command)
				}
				if n == 0 {
					args = append(args, "--resume")
				}
			}
		})
	}
}

// TestResumeLonger: a search that is resumed with more schedules, or with fewer, says and leaves
// what one of that many does, and does not run the blocks that both have again.
func TestResumeLonger(t *testing.T) {
	slowtest.SkipIfShort(t)
	args := func(dir, runs string, more ...string) []string {
		return append([]string{"run", "gc-pause", "--lock", "setpx-del", "--no-shrink", "--stable", "--runs", runs, "--out", dir}, more...)
	}
	events := func(dir string) (list []int) {
		s, err := explore.ReadState(filepath.Join(dir, "gc-pause_setpx-del.search.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range slices.Sorted(maps.Keys(s.Blocks)) {
			list = append(list, s.Blocks[b].Schedules)
		}
		return list
	}
	for _, test := range []struct {
		first, then string
		blocks      []int
	}{
		{"300", "700", []int{256, 256, 188}},
		{"700", "300", []int{256, 44}},
		{"512", "600", []int{256, 256, 88}},
	} {
		want, dir := t.TempDir(), t.TempDir()
		_, whole, _ := simrun(t, args(want, test.then)...)
		if code, out, errs := simrun(t, args(dir, test.first)...); code != exitViolation {
			t.Fatalf("exit code %d\n%s%s", code, out, errs)
		}
		code, out, errs := simrun(t, args(dir, test.then, "--resume")...)
		if code != exitViolation || errs != "" {
			t.Errorf("exit code %d\n%s", code, errs)
		}
		same(t, "resumed it", dir, out, strings.ReplaceAll(whole, want, "DIR"), contents(t, want))
		if got := events(dir); !slices.Equal(got, test.blocks) {
			t.Errorf("from %s to %s it has blocks of %v, want %v", test.first, test.then, got, test.blocks)
		}
	}
	// What a block is said to have had is not asked again.
	dir := t.TempDir()
	simrun(t, args(dir, "300")...)
	path := filepath.Join(dir, "gc-pause_setpx-del.search.json")
	s, err := explore.ReadState(path)
	if err != nil {
		t.Fatal(err)
	}
	first := s.Blocks[0]
	first.Events += 1_000_000_000
	s.Blocks[0] = first
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	var sum jsonSummary
	_, out, _ := simrun(t, args(dir, "700", "--resume", "--json")...)
	if lastOf(t, out, &sum); sum.Events < 1_000_000_000 || sum.Schedules != 700 {
		t.Errorf("%d events in %d schedules: the first block was run again", sum.Events, sum.Schedules)
	}
}

// TestResumeWithoutRepeat goes on with searches whose first finding does not
// repeat: its tape is kept as a trace, and the finding behind it is run again
// with a tape of its own. If that run was another, but the tape shows the violation again and again, nothing is amiss.
func TestResumeWithoutRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	run, check := []string{"run", "gc-pause", "--runs", "600"}, []string{"check", "gc-pause", "--bound", "1", "-p", "rounds=3"}
	for _, test := range []struct {
		args     []string
		recurs   bool
		troubles int
	}{{run, false, 1}, {check, false, 1}, {run, true, 0}} {
		t.Run(fmt.Sprint(test.args[0], test.recurs), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := append(slices.Clone(test.args), "--no-shrink", "--out", dir)
			simrun(t, args...)
			spoil(t, dir, "mutual-exclusion", test.recurs)
			code, out, errs := simrun(t, append(args, "--resume")...)
			if code != exitViolation || strings.Count(out, "NONDETERMINISTIC") != test.troubles ||
				!regexp.MustCompile(`VIOLATED mutual-exclusion|(?m)^mutual-exclusion is violated`).MatchString(out) {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
			for _, line := range regexp.MustCompile(`(?m)^  trace +(.*)$`).FindAllStringSubmatch(out, -1) {
				trace, err := traces.ReadFile(line[1])
				if err != nil || len(trace.Tape) == 0 {
					t.Errorf("%s: no tape, %v", line[1], err)
				}
				if trace.Trouble == nil {
					replayed(t, line[1])
				}
			}
		})
	}
}

// spoil changes the state of a search as if the first finding of the property
// had been another run; unless it recurs, its tape is calm.
func spoil(t *testing.T, dir, property string, recurs bool) {
	t.Helper()
	files, err := stateFiles([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	s, err := explore.ReadState(files[0])
	if err != nil {
		t.Fatal(err)
	}
	tallies := []explore.Tally{s.Blocks[0]}
	for _, p := range s.Parts {
		tallies = append(tallies, p.Tally)
	}
	for _, tally := range tallies {
		for v, f := range tally.First {
			if v.Property == property && len(f.Tape) > 0 {
				f.Hash++
				for i := range f.Tape {
					if !recurs {
						f.Tape[i].Option = 0
					}
				}
				tally.First[v] = f
			}
		}
	}
	if err := s.Write(files[0]); err != nil {
		t.Fatal(err)
	}
}

// simrunUntil is simrun with an end from outside.
func simrunUntil(ctx context.Context, t testing.TB, args ...string) (code int, out, errs string) {
	t.Helper()
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	var stdout, stderr bytes.Buffer
	a := &app{name: "simrun", out: &stdout, err: &stderr, locks: allLocks(), worker: worker}
	code = a.main(ctx, args)
	return code, stdout.String(), stderr.String()
}

// TestMergeRefuses joins what does not belong together, or not all of it.
func TestMergeRefuses(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	search := func(out string, args ...string) string {
		t.Helper()
		out = filepath.Join(dir, out)
		code, said, errs := simrun(t, append([]string{"run", "contention", "--runs", "600", "--out", out}, args...)...)
		if code != exitNone {
			t.Fatalf("exit code %d\n%s%s", code, said, errs)
		}
		return out
	}
	one, three := search("one", "--shard", "1/3"), search("three", "--shard", "3/3")
	seed := search("seed", "--shard", "2/3", "--seed", "2")
	lock := search("lock", "--lock", "setpx-wait", "--strategy", "random", "-p", "clients=2")
	for _, test := range []struct {
		states []string
		code   int
		says   string
	}{
		{[]string{one, seed}, exitUsage, "these belong to different searches: --seed is 1 in " + one},
		{[]string{one, lock}, exitUsage, "--lock is setpx in "},
		{[]string{one, lock}, exitUsage, "the parameter clients is 3 in "},
		{[]string{one, lock}, exitUsage, "--strategy is portfolio in "},
		{[]string{one, three}, exitInconclusive, "missing is shard 2/3 (1 of 3 blocks)"},
		{[]string{one, three}, exitInconclusive, "nothing found in the merged part of the search"},
		{[]string{one}, exitInconclusive, "missing is shard 2/3, shard 3/3 (2 of 3 blocks)"},
	} {
		code, out, errs := simrun(t, append([]string{"merge", "--out", filepath.Join(dir, "merged")}, test.states...)...)
		if code != test.code || !strings.Contains(out+errs, test.says) || strings.Contains(out, "none-found") {
			t.Errorf("%q: exit code %d, want %d saying %q\n%s%s", test.states, code, test.code, test.says, out, errs)
		}
	}
	// What another machine made of the same block cannot differ.
	path := filepath.Join(one, "contention_setpx_1of3.search.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = packed.Unseal(raw); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.json")
	for pattern, says := range map[string]string{`"events":`: "the states differ in block 0", `"lockpick":"`: "the version is lockpick "} {
		changed := strings.Replace(string(raw), pattern, pattern+"1", 1)
		if err := os.WriteFile(other, packed.Seal([]byte(changed)), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := simrun(t, "merge", path, other); code != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("exit code %d, want %d saying %q\n%s%s", code, exitUsage, says, out, errs)
		}
	}
	unlike := t.TempDir()
	simrun(t, "run", "contention", "--runs", "20", "--out", unlike)
	code, _, errs := simrun(t, "run", "contention", "--runs", "20", "--failfast", "--out", unlike, "--resume")
	if says := "belongs to another search: --failfast is false there and true here"; code != exitUsage || !strings.Contains(errs, says) {
		t.Errorf("exit code %d, want %d saying %q\n%s", code, exitUsage, says, errs)
	}
}

// TestShardOfCheck splits a check into more shards than there are parts: none of
// them says that anything is exhausted, and merge does.
func TestShardOfCheck(t *testing.T) {
	dir := t.TempDir()
	args := []string{"check", "contention", "-p", "clients=2", "-p", "rounds=1", "--bound", "1", "--out", dir, "--stable"}
	for shard, says := range map[string][]string{
		"1/3": {"result none-found: no counterexample in 32 schedules of shard 1/3 of bound 1; simrun merge decides whether the bound is exhausted"},
		"2/3": {"result none-found: no counterexample in 12 schedules of shard 2/3 of bound 1; "},
		"3/3": {"result none-found: shard 3/3 has no schedule of bound 1; ", "Searched: nothing, "},
	} {
		code, out, errs := simrun(t, append(slices.Clone(args), "--shard", shard)...)
		flat := strings.ReplaceAll(out, "\n", " ")
		for _, says := range append(says, "that takes the runs of all shards", "simrun merge decides") {
			if code != exitNone || !strings.Contains(flat, says) || strings.Contains(out, "result exhausted") {
				t.Errorf("%s: exit code %d, does not say %q\n%s%s", shard, code, says, out, errs)
			}
		}
		_, out, _ = simrun(t, append(slices.Clone(args), "--shard", shard, "--json")...)
		for _, says := range []string{`"result":"none-found"`, `"complete":-1`, `"verified":false`} {
			if !strings.Contains(out, says) || strings.Contains(out, `"complete":true`) {
				t.Errorf("%s: does not say %s\n%s", shard, says, out)
			}
		}
	}
	code, out, errs := simrun(t, "merge", dir, "--out", dir)
	if code != exitNone || !strings.Contains(out, "result exhausted: no counterexample within bound 1") || strings.Contains(out, "verified") {
		t.Errorf("merged: exit code %d\n%s%s", code, out, errs)
	}
	if _, out, _ := simrun(t, "merge", dir, "--out", dir, "--json"); !strings.Contains(out, `"verified":true`) {
		t.Errorf("merged, it is not verified:\n%s", out)
	}
}

// TestLimit asks for a bound that would never end.
func TestLimit(t *testing.T) {
	code, out, errs := simrun(t, "check", "contention", "-p", "clients=2", "-p", "rounds=1", "--bound", "9", "--limit", "500", "--out", t.TempDir())
	if code != exitInconclusive || !regexp.MustCompile(`^simrun: bound 9 is about [0-9,.e+]+ schedules(, about .* at the current rate)?, and --limit is 500: bounds 0 to 1 will be searched\n$`).MatchString(errs) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if says := "result inconclusive: nothing found within bound 1, and bound 9 was not reached"; !strings.Contains(out, says) {
		t.Errorf("does not say %q:\n%s", says, out)
	}
	code, out, errs = simrun(t, "check", "contention", "--limit", "10", "--out", t.TempDir())
	if code != exitInconclusive || !strings.Contains(errs, "--limit is 10: only the calm run will be searched") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestShrink makes a counterexample smaller that was kept as it was found, and
// replays what came of it.
func TestShrink(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	simrun(t, "run", "failover-loss", "--lock", "setpx-fenced", "--runs", "100", "--no-shrink", "--out", dir)
	path := filepath.Join(dir, "failover-loss_setpx-fenced_fencing_limit.json")
	code, out, errs := simrun(t, "shrink", path)
	if code != exitNone || errs != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	if comparable(t) {
		golden.File(t, "testdata/shrink.golden", strings.ReplaceAll(out, dir, "DIR"))
	}
	small := strings.TrimSuffix(path, ".json") + ".shrunk.json"
	replayed(t, small)
	if code, out, errs := simrun(t, "shrink", small, "-o", small); code != exitUsage || !strings.Contains(errs, "is the trace itself") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	twice := filepath.Join(dir, "twice.json")
	if code, out, errs := simrun(t, "shrink", small, "-o", twice); code != exitNone || !regexp.MustCompile(`(?m)^shrunk +from \d+ deviations to \d, in `).MatchString(out) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	replayed(t, twice)
	// Without a name for it, what was shrunk is shrunk to the next number.
	second := strings.TrimSuffix(path, ".json") + ".shrunk2.json"
	for _, says := range []string{second + "\n", second + " (replaced)\n"} {
		if code, out, errs := simrun(t, "shrink", small); code != exitNone || !strings.Contains(out, "trace       "+says) {
			t.Errorf("exit code %d, does not say %q\n%s%s", code, says, out, errs)
		}
	}
	replayed(t, second)
	notes := []byte("what I found out")
	if err := os.WriteFile(second, notes, 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, errs = simrun(t, "shrink", small)
	if now, err := os.ReadFile(second); code != exitUsage || !strings.Contains(errs, second+" exists, and is not a shrunk trace of fencing (limit) by setpx-fenced in failover-loss: name another file with -o") || !bytes.Equal(now, notes) {
		t.Errorf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	// What does not violate anything cannot be shrunk.
	raw, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	calm := regexp.MustCompile(`(?s)"tape": \[.*?\n \]`).ReplaceAll(raw, []byte(`"tape": []`))
	if err := os.WriteFile(small, calm, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := simrun(t, "shrink", small, "-o", twice); code != exitTrouble || !strings.Contains(errs, "does not violate fencing as a limit when it is run again") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// replayed replays a trace: the same bytes.
func replayed(t *testing.T, path string) {
	t.Helper()
	again := filepath.Join(t.TempDir(), "again.json")
	code, out, errs := simrun(t, "replay", path, "-o", again)
	one, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	if code != exitViolation || !strings.Contains(out, "as recorded") || !bytes.Equal(one, two) {
		t.Errorf("%s: exit code %d, the same bytes: %v\n%s%s", path, code, bytes.Equal(one, two), out, errs)
	}
}
