package locktest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/packed"
	engines "github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/internal/test/trees"
)

// machine is the user's test binary in a directory of its own.
func (u *user) machine(t *testing.T) *user {
	t.Helper()
	return &user{dir: t.TempDir(), binary: u.binary}
}

// search has 600 schedules of two scenarios: six blocks.
var search = []string{"-simrun.runs=600", "-test.v"}

// shards runs the shards of a test, each on a machine of its own, and gathers what they have kept.
func shards(t *testing.T, u *user, test string, of int, more ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := of; i > 0; i-- {
		args := append(append([]string{fmt.Sprintf("-simrun.shard=%d/%d", i, of), "-simrun.out=" + filepath.Join(dir, fmt.Sprint(i))}, search...), more...)
		m := u.machine(t)
		out, _ := m.test(t, "^"+test+"$", args...)
		says(t, out, fmt.Sprintf("lockpick: shard %d/%d: ", i, of), "The merge of all shards judges and explains: go test -run '^"+test+"$' example.com/user/locks -simrun.merge="+filepath.Join(dir, fmt.Sprint(i))+" -simrun.runs=600")
		if left := trees.Files(t, m.dir); len(left) > 0 {
			t.Errorf("shard %d/%d has left %d files where it ran", i, of, len(left))
		}
	}
	return dir
}

// TestShardsOfCheck: shards on several machines, of which one is interrupted, and a merge on another come to what one machine comes to:
// the same words, the same page, the same kept cases and traces.
func TestShardsOfCheck(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	for _, test := range []string{"TestNaive", "TestSound", "TestBound"} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			results := append([]string{"-simrun.report=report.html", "-simrun.out=found"}, search...)
			one, merged := u.machine(t), u.machine(t)
			want, passes := one.test(t, "^"+test+"$", results...)
			if passes != (test != "TestNaive") {
				t.Fatalf("passed: %v\n%s", passes, want)
			}
			dir := shards(t, u, test, 4)
			got, passed := merged.test(t, "^"+test+"$", append(results, "-simrun.merge="+dir)...)
			if got, want = took.ReplaceAllString(got, ""), took.ReplaceAllString(want, ""); got != want || passed != passes {
				t.Errorf("passed: %v, and it says\n%s\nwant\n%s", passed, got, want)
			}
			a, b := trees.Files(t, one.dir), trees.Files(t, merged.dir)
			if len(a) != len(b) || len(a) == 0 {
				t.Errorf("%d files, want %d", len(b), len(a))
			}
			for name, text := range a { // unordered: each by itself
				if strings.ReplaceAll(b[name], merged.dir, one.dir) != text {
					t.Errorf("%s differs", name)
				}
			}
		})
	}
}

// TestShardGoesOn: a shard that starts again goes on with what it has kept, and begins anew where that is damaged or of other code.
func TestShardGoesOn(t *testing.T) {
	slowtest.SkipIfShort(t)
	u, dir := newUser(t), t.TempDir()
	args := append([]string{"-simrun.shard=1/2", "-simrun.out=" + dir}, search...)
	shard := func() map[string]string {
		t.Helper()
		if out, passed := u.machine(t).test(t, "^TestSound$", args...); !passed {
			t.Fatal(out)
		}
		return trees.Files(t, dir)
	}
	whole := shard()
	const name = "example.com/user/locks/TestSound/contention_1of2.search.json" // it has the first and the last of three blocks
	text := whole[name]
	if len(whole) != 2 || text == "" {
		t.Fatalf("it has kept %d files, and not %s", len(whole), name)
	}
	begin, end := strings.Index(text, `,"2":{`), strings.LastIndex(text, `},"sha256":"`)
	if begin < 0 || end < begin {
		t.Fatalf("no block 2 in\n%s", text)
	}
	for what, text := range map[string]string{ // unordered: each by itself
		"a block less":        text[:begin] + text[end:],
		"half a file":         text[:len(text)/2],
		"a bit less":          strings.Replace(text, `"schedules":256`, `"schedules":257`, 1),
		"kept by other code":  strings.Replace(text, `"binary":"`, `"binary":"0`, 1),
		"of another search":   strings.Replace(text, `"Schedules":600`, `"Schedules":601`, 1),
		"of another Lockpick": strings.Replace(text, `"lockpick":"`, `"lockpick":"0`, 1),
	} {
		if text == whole[name] {
			t.Fatalf("%s: nothing is changed", what)
		}
		if what != "half a file" && what != "a bit less" {
			text = sealed(t, text)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if again := shard(); again[name] != whole[name] {
			t.Errorf("%s: it comes to\n%s\nwant\n%s", what, again[name], whole[name])
		}
	}
}

// sealed is the text of a state with the checksum that it has after a change.
func sealed(t *testing.T, text string) string {
	t.Helper()
	at := strings.LastIndex(text, `,"sha256":"`)
	if at < 0 {
		t.Fatalf("no checksum in\n%s", text)
	}
	return string(packed.Seal([]byte(text[:at] + "}\n")))
}

// TestShardVerdicts: what needs all schedules is judged by the merge, and not by a shard; what a shard finds fails it, unless it is asked
// to leave that to the merge.
func TestShardVerdicts(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	shard := func(test string, args ...string) (string, bool) {
		return u.machine(t).test(t, "^"+test+"$", append([]string{"-simrun.out=" + t.TempDir(), "-test.v"}, args...)...)
	}
	out, passed := shard("TestExpectInVain", "-simrun.shard=1/2", "-simrun.runs=600")
	if !passed || strings.Contains(out, "expected owner-only-release") {
		t.Errorf("a shard demands what another may find\n%s", out)
	}
	dir := shards(t, u, "TestExpectInVain", 2)
	if out, passed = u.machine(t).test(t, "^TestExpectInVain$", append(search, "-simrun.merge="+dir)...); passed {
		t.Errorf("it passed\n%s", out)
	}
	says(t, out, "expected owner-only-release to be violated under gc-pause; none found in 600 schedules")

	out, passed = shard("TestNaive", "-simrun.shard=1/1", "-simrun.runs=300")
	if passed {
		t.Errorf("it passed\n%s", out)
	}
	says(t, out, "in which was found:\n            gc-pause: mutual-exclusion in 17, owner-only-release in 19\n", "--- FAIL: TestNaive/gc-pause", "--- PASS: TestNaive/contention", "contention: 300 schedules in shard 1/1")
	for _, text := range []string{"What happened", "limit of leases"} {
		if strings.Contains(out, text) {
			t.Errorf("a shard tells: %q\n%s", text, out)
		}
	}
	if out, passed = shard("TestNaive", "-simrun.shard=1/1,exit-zero", "-simrun.runs=300"); !passed {
		t.Errorf("exit-zero\n%s", out)
	}
	says(t, out, "in which was found:\n            gc-pause: mutual-exclusion in ")

	// Two blocks in all: the third shard has none.
	if out, passed = shard("TestSound", "-simrun.shard=3/3", "-simrun.runs=256"); !passed {
		t.Errorf("it failed\n%s", out)
	}
	says(t, out, "no block of gc-pause is in shard 3/3", "shard 3/3: 0 schedules")
	if out, passed = shard("TestExplore", "-simrun.shard=1/2", "-simrun.runs=300"); !passed {
		t.Errorf("it failed\n%s", out)
	}
	says(t, out, "--- SKIP: TestExplore", "Explore hands its findings to the test")
}

// TestMergeOfOthers: what is missing, damaged or of another search is said once, by its name, and fails the test.
func TestMergeOfOthers(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	dir := shards(t, u, "TestSound", 3)
	const below = "/example.com/user/locks/TestSound/gc-pause_2of3.search.json"
	merge := func(args ...string) string {
		t.Helper()
		out, passed := u.machine(t).test(t, "^TestSound$", append([]string{"-simrun.runs=600", "-simrun.merge=" + dir}, args...)...)
		if passed {
			t.Errorf("%q: it passed\n%s", args, out)
		}
		if n := strings.Count(out, "lockpick: "); n != 1 {
			t.Errorf("%q: it says %d times what is wrong\n%s", args, n, out)
		}
		return out
	}
	says(t, merge("-simrun.seed=2"), dir, "is of another search: the seed (-simrun.seed) is 1 there and 2 here\n")
	says(t, merge("-simrun.runs=700"), "is of another search: the number of schedules (-simrun.runs) is 600 there and 700 here\n")

	file := filepath.Join(dir, "2", below)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(sealed(t, strings.Replace(string(text), `"lockpick":"`, `"lockpick":"v9.9.9-`, 1)))
	says(t, merge(), file+" is of another search: the version is lockpick v9.9.9-", " there and lockpick ", " here\n")
	write(string(text[:len(text)/2]))
	says(t, merge(), file+" is not the state of a search: it does not end with its checksum, as if it were cut off; remove it, and run its shard again")
	write(strings.Replace(string(text), `"schedules":`, `"schedules":1`, 1))
	says(t, merge(), file+" is not the state of a search: it has changed since it was written: ", "; remove it, and run its shard again")
	write(sealed(t, regexp.MustCompile(`"events":\d+`).ReplaceAllString(string(text), `"events":1`)))
	if err := os.CopyFS(filepath.Join(dir, "again"), os.DirFS(filepath.Join(dir, "1"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "again", below), text, 0o666); err != nil {
		t.Fatal(err)
	}
	says(t, merge(), " does not fit the others, as if it were of another lock, or its runs did not repeat: the states differ in block ")

	if err := os.RemoveAll(filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	out := merge()
	says(t, out, "-simrun.merge="+dir+": 1 of 3 blocks of gc-pause missing: the rest of shard 2/3. Run what is missing again")
	if err := os.RemoveAll(filepath.Join(dir, "2")); err != nil {
		t.Fatal(err)
	}
	says(t, merge(), "2 of 6 blocks of contention, gc-pause missing: shard 2/3. Run")
	dir = t.TempDir()
	says(t, merge(), "-simrun.merge="+dir+": shards of this test have kept nothing there: want files example.com/user/locks/TestSound/*.search.json")
	dir = filepath.Join(dir, "nowhere")
	says(t, merge(), "there is no directory "+dir)
}

// TestShardFlags: what does not go together is refused, before anything is searched.
func TestShardFlags(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	for _, test := range []struct {
		args, env []string
		want      string
	}{
		{args: []string{"-simrun.shard=9/8", "-simrun.out=x"}, want: "lockpick: -simrun.shard=9/8: want I/N with I from 1 to N, such as 2/3, or auto"},
		{env: []string{"SIMRUN_SHARD=9/8"}, want: "lockpick: SIMRUN_SHARD=9/8: want I/N with I from 1 to N"},
		{args: []string{"-simrun.shard=auto", "-simrun.out=x"}, want: "lockpick: -simrun.shard=auto: no engine says which shard this is: none of JOB_COMPLETION_INDEX, "},
		{args: []string{"-simrun.shard=auto", "-simrun.out=x"}, env: []string{"CI_NODE_INDEX=two", "CI_NODE_TOTAL=8"}, want: `lockpick: -simrun.shard=auto: this is GitLab's parallel, and CI_NODE_INDEX is "two", which is no number`},
		{args: []string{"-simrun.shard=1/2"}, want: "lockpick: -simrun.shard=1/2: name the directory where the shard keeps its part, such as -simrun.out=simrun-out"},
		{args: []string{"-simrun.shard=1/2", "-simrun.out=x", "-simrun.merge=x"}, want: "a shard searches its part, and a merge judges all parts"},
		{args: []string{"-simrun.shard=1/2", "-simrun.out=x", "-simrun.report=x.html"}, want: "-simrun.merge writes the report"},
		{args: []string{"-simrun.shard=1/2", "-simrun.out=x"}, want: "lockpick: -simrun.shard: with -short a search is too small to share"},
		{args: []string{"-simrun.merge=x"}, want: "lockpick: -simrun.merge: with -short a search is too small to share"},
		{args: []string{"-simrun.shard=1/2", "-simrun.out=x", "-simrun.runs=300", "-simrun.time=1m"}, want: "-simrun.time=1m0s would end some of them: leave it out"},
		{args: []string{"-simrun.out=x", "-test.testlogfile=log"}, env: []string{"SIMRUN_SHARD=1/2"}, want: "lockpick: SIMRUN_SHARD=1/2: go test may take the result of this test from its cache next time, and then nothing is searched or kept: add -count=1"},
		{args: []string{"-test.testlogfile=log"}, env: []string{"SIMRUN_MERGE=x"}, want: "lockpick: SIMRUN_MERGE=x: go test may take the result"},
		{args: []string{"-simrun.shard=,exit-zero"}, want: "-simrun.shard=,exit-zero: "},
		{args: []string{"-simrun.shard=1/2,perhaps"}, want: "-simrun.shard=1/2,perhaps: want I/N"},
		{args: []string{"-simrun.shard=1/2", "-simrun.runs=300", "-simrun.out=/dev/full/x"}, want: "lockpick: the shard cannot be kept: mkdir /dev/full: not a directory"},
	} {
		m := u.machine(t)
		m.unset, m.more = engines.Variables(), test.env // the machine of this test may be one of an engine
		out, passed := m.test(t, "^TestSound$", test.args...)
		if passed {
			t.Errorf("%q: it passed", test.args)
		}
		says(t, out, test.want)
		if n := strings.Count(out, "lockpick: "); n != 1 {
			t.Errorf("%q: it says %d times what is wrong\n%s", test.args, n, out)
		}
	}
}

// TestVariablesAreNoted: go test sees which variables of the flags a test has read, and takes no result from its cache that is of other values.
func TestVariablesAreNoted(t *testing.T) {
	slowtest.SkipIfShort(t)
	m := newUser(t).machine(t)
	log := filepath.Join(t.TempDir(), "log")
	out, passed := m.test(t, "^TestSound$", "-simrun.runs=1", "-test.testlogfile="+log)
	text, err := os.ReadFile(log)
	if err != nil || !passed {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"SEED", "RUNS", "TIME", "SHARD", "MERGE", "OUT", "REPORT", "REPLAY"} {
		if !strings.Contains(string(text), "getenv SIMRUN_"+name+"\n") {
			t.Errorf("SIMRUN_%s is not in\n%s", name, text)
		}
	}
}
