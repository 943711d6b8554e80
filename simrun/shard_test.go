package simrun

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestShardAuto: a job of an engine leaves what a job that names its shard does; and repeated, it goes on where its machine was
// taken away.
func TestShardAuto(t *testing.T) {
	for _, name := range shards.Variables() { // the machine of this test may be one of an engine
		t.Setenv(name, "") // restored at the end
		_ = os.Unsetenv(name)
	}
	search := []string{"run", "two-step-release", "--lock", "setpx-twostep", "--runs", "1024", "--no-shrink", "--stable"}
	named, auto := t.TempDir(), t.TempDir()
	_, want, _ := simrun(t, append(search, "--shard", "2/3", "--out", named)...)
	if code, _, errs := simrun(t, append(search, "--shard", "auto", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "no engine says") {
		t.Errorf("without an engine: exit code %d\n%s", code, errs)
	}
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	t.Setenv("SIMRUN_SHARDS", "3")
	here := append(slices.Clone(search), "--shard=auto", "--resume=auto", "--out", auto)
	for _, when := range []string{"anew", "resumed"} {
		_, got, errs := simrun(t, here...)
		if got = strings.ReplaceAll(got, auto, named); got != want || errs != "" {
			t.Errorf("%s: %s\n%s\nwant\n%s", when, errs, got, want)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(auto, "*_2of3"+shards.SearchEnd)); len(files) != 1 {
		t.Errorf("states %v", files)
	}
	if code, _, errs := simrun(t, append(search, "--shard=3/3", "--resume", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "nothing to resume") {
		t.Errorf("--resume without a state: exit code %d\n%s", code, errs)
	}
	if code, _, errs := simrun(t, append(search, "--resume=perhaps", "--out", auto)...); code != exitUsage || !strings.Contains(errs, "--resume=auto") {
		t.Errorf("--resume=perhaps: exit code %d\n%s", code, errs)
	}
}

// TestExitZero: a shard exits with 0 whatever it finds, if it is asked to, and its merge tells; what is wrong with the command and files that
// cannot be written have their codes all the same.
func TestExitZero(t *testing.T) {
	dir := t.TempDir()
	search := []string{"run", "two-step-release", "--lock", "setpx-twostep", "--runs", "512", "--no-shrink", "--stable", "--out", dir}
	for _, shard := range []string{"1/2", "2/2"} {
		if code, _, errs := simrun(t, append(search, "--shard", shard, "--exit-zero")...); code != exitNone || errs != "" {
			t.Errorf("shard %s: exit code %d\n%s", shard, code, errs)
		}
	}
	if code, _, _ := simrun(t, append(search, "--shard", "1/2")...); code != exitViolation {
		t.Errorf("without --exit-zero: exit code %d", code)
	}
	if code, _, errs := simrun(t, "merge", dir, "--no-shrink", "--out", t.TempDir()); code != exitViolation {
		t.Errorf("the merge: exit code %d\n%s", code, errs)
	}
	if code, _, _ := simrun(t, append(search, "--shard", "3/2", "--exit-zero")...); code != exitUsage {
		t.Errorf("a shard that is none: exit code %d", code)
	}
}

// TestShardNotKept: a shard whose state cannot be written, as on a full disk, says so once, and exits with a code on which engines run it again,
// whatever it has found.
func TestShardNotKept(t *testing.T) {
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env = []string{mark + "=1"}
	dir := t.TempDir()
	state := filepath.Join(dir, "two-step-release_setpx-twostep_1of2"+shards.SearchEnd)
	out := &firstWrite{f: func() { // where the next state is written, there is a directory
		if err := os.MkdirAll(filepath.Join(state+".part", "x"), 0o777); err != nil {
			t.Error(err)
		}
	}}
	var errs bytes.Buffer
	a := &app{name: "simrun", out: out, err: &errs, locks: allLocks(), worker: worker}
	code := a.main(t.Context(), []string{"run", "two-step-release", "--lock", "setpx-twostep", "--runs", "512", "--shard", "1/2", "--exit-zero", "--no-shrink", "--stable", "--out", dir})
	if code != exitInternal || strings.Count(errs.String(), "the state of the search cannot be written: ") != 1 {
		t.Errorf("exit code %d\n%s", code, &errs)
	}
	if strings.Contains(out.String(), "simrun merge joins it") {
		t.Errorf("it says that there is something to merge\n%s", out)
	}
}

// TestMergeOfTest: what a shard of a test has kept is merged by the test, which has the lock; merge and report say so.
func TestMergeOfTest(t *testing.T) {
	dir := t.TempDir()
	state := explore.State{
		Identity: []byte(`{"kind":"test","test":{"name":"TestMine","package":"example.com/mine","call":1},"scenario":"gc-pause"}`), Shard: "1/2",
		Blocks: map[int]explore.Tally{0: {Schedules: 256}},
	}
	if err := state.Write(filepath.Join(dir, "gc-pause_1of2"+shards.SearchEnd)); err != nil {
		t.Fatal(err)
	}
	const want = "it is of a shard of TestMine, which has the lock: merge the shards by that test: go test -run '^TestMine$' example.com/mine -simrun.merge=DIR"
	for _, command := range []string{"merge", "report"} {
		if code, out, errs := simrun(t, command, dir); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d\n%s%s", command, code, out, errs)
		}
	}
}

// TestResumeOfDamaged: with --resume=auto a search whose state is damaged begins anew, and says so; --resume and merge refuse it.
func TestResumeOfDamaged(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	search := []string{"run", "two-step-release", "--lock", "setpx-twostep", "--runs", "512", "--shard=1/2", "--no-shrink", "--stable", "--out", dir}
	_, want, _ := simrun(t, search...)
	state := filepath.Join(dir, "two-step-release_setpx-twostep_1of2"+shards.SearchEnd)
	whole, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	bit := bytes.Clone(whole)
	bit[len(bit)/3] ^= 1
	for _, damaged := range [][]byte{nil, whole[:len(whole)/2], bit} {
		if err := os.WriteFile(state, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := simrun(t, append(search, "--resume")...); code != exitUsage || !strings.Contains(errs, "not the state of a search") {
			t.Errorf("--resume: exit code %d\n%s", code, errs)
		}
		if code, _, errs := simrun(t, "merge", dir, "--out", t.TempDir()); code != exitUsage || !strings.Contains(errs, state+" is not the state of a search: ") || !strings.Contains(errs, "remove it, and run its shard again") {
			t.Errorf("merge: exit code %d\n%s", code, errs)
		}
		code, got, errs := simrun(t, append(search, "--resume=auto")...)
		if code != exitViolation || got != want || !strings.HasSuffix(errs, "; the search begins anew\n") {
			t.Errorf("--resume=auto: exit code %d\n%s%s", code, got, errs)
		}
		if again, err := os.ReadFile(state); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("it has kept something else: %v", err)
		}
	}
}

// TestForged: a finding that someone has put into a state is never told as a violation: merge and --resume name the file, and exit as for a file that cannot be
// understood.
func TestForged(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, search := range [][]string{
		{"run", "two-step-release", "--lock", "setpx-twostep", "--runs", "512"},
		{"check", "two-step-release", "--lock", "setpx-twostep", "--bound", "1"},
	} {
		dir := t.TempDir()
		search = append(search, "--no-shrink", "--stable", "--out", dir)
		simrun(t, append(search, "--shard=1/2")...)
		simrun(t, append(search, "--shard=2/2")...)
		files, err := stateFiles([]string{dir})
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		state := ""
		for _, file := range files {
			if forge(t, file) {
				state = file
				break
			}
		}
		want := "simrun: " + state + " is not to be believed, and says nothing about the lock: the finding of fencing as a fault in schedule "
		for _, again := range [][]string{{"merge", dir, "--again=0", "--out", t.TempDir()}, append(search, "--resume", "--shard="+map[bool]string{true: "1/2", false: "2/2"}[state == files[0]])} {
			code, out, errs := simrun(t, again...)
			if code != exitUsage || strings.Contains(out, "VIOLATED fencing") || strings.Contains(out, "NONDETERMINISTIC") || !strings.Contains(errs, want) || !strings.Contains(errs, "remove it, and search its part again") {
				t.Errorf("%v: exit code %d\n%s%s", again, code, out, errs)
			}
		}
	}
}

// forge gives each finding of mutual exclusion in a state a second name, if there is one with a tape.
func forge(t *testing.T, file string) (forged bool) {
	t.Helper()
	s, err := explore.ReadState(file)
	if err != nil {
		t.Fatal(err)
	}
	tallies := slices.Collect(maps.Values(s.Blocks))
	for _, p := range s.Parts {
		tallies = append(tallies, p.Tally)
	}
	for _, tally := range tallies {
		if f := tally.First[model.Violation{Property: "mutual-exclusion"}]; len(f.Tape) > 0 {
			forged = true
			fencing := model.Violation{Property: "fencing"}
			tally.First[fencing], tally.Violations[fencing] = f, 1
		}
	}
	if err := s.Write(file); err != nil {
		t.Fatal(err)
	}
	return forged
}

// TestMergeAgain: merge searches blocks again, and refuses a state from which the findings were removed, by its name, without a word about the lock.
func TestMergeAgain(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	simrun(t, "run", "two-step-release", "--lock", "setpx-twostep", "--runs", "512", "--no-shrink", "--stable", "--out", dir)
	merge := func(again string) (code int, out, errs string) {
		return simrun(t, "merge", dir, "--again="+again, "--no-shrink", "--stable", "--out", t.TempDir())
	}
	for _, again := range []string{"0", "1", "100"} {
		if code, out, errs := merge(again); code != exitViolation || !strings.Contains(out, "VIOLATED mutual-exclusion") {
			t.Errorf("--again=%s: exit code %d\n%s%s", again, code, out, errs)
		}
	}
	file := filepath.Join(dir, "two-step-release_setpx-twostep"+shards.SearchEnd)
	s, err := explore.ReadState(file)
	if err != nil {
		t.Fatal(err)
	}
	for b, tally := range s.Blocks {
		tally.Violations, tally.First, tally.Causes = nil, nil, nil
		s.Blocks[b] = tally
	}
	if err := s.Write(file); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := merge("100"); code != exitUsage || !strings.Contains(errs, file+" is not to be believed, and says nothing about the lock: block ") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, out, errs := merge("101"); code != exitUsage || !strings.Contains(errs, "--again=101: want 0 to 100") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestFullDisk: a disk that is full is no mistake of the command line: engines may run the job again elsewhere.
func TestFullDisk(t *testing.T) {
	for err, want := range map[syscall.Errno]int{syscall.ENOSPC: exitInternal, syscall.EIO: exitInternal, syscall.EFBIG: exitInternal, syscall.EACCES: exitUsage, syscall.ENOTDIR: exitUsage} {
		var said bytes.Buffer
		a := &app{err: &said}
		if code := a.fail(usageError{&fs.PathError{Op: "write", Path: "x", Err: err}}); code != want {
			t.Errorf("%v: exit code %d, want %d", err, code, want)
		}
	}
}
