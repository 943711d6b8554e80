package simrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/traces"
)

// ofBothClasses runs a command with workers in which one lock violates mutual
// exclusion under gc-pause as a limit and as a fault.
func ofBothClasses(t *testing.T, expected []model.Violation, args ...string) (code int, out string) {
	t.Helper()
	a, text := expecting(t, expect.Expectations{Lock: "setpx", Reason: "Because.", In: []expect.Expectation{{Scenario: "gc-pause", Must: expected}}})
	a.worker.Env = append(a.worker.Env, classesMark+"=1")
	if code = a.main(t.Context(), args); text.Len() == 0 {
		t.Fatalf("%v: exit code %d\n%s", args, code, a.err)
	}
	return code, text.String()
}

// The two findings, and files of them.
var (
	twoAsFault = model.Violation{Property: checker.MutualExclusion}
	twoAsLimit = model.Violation{Property: checker.MutualExclusion, Limit: true}
	bothFiles  = []string{"gc-pause_setpx_mutual-exclusion.json", "gc-pause_setpx_mutual-exclusion_limit.json"}
)

// TestBothClasses: a run tells of the fault behind the limit, keeps a trace of each,
// and counts them apart; so does what is resumed, and what is merged from a state.
func TestBothClasses(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	dir := t.TempDir()
	run := []string{"run", "gc-pause", "--lock", "setpx", "--runs", "64", "--no-shrink", "--stable", "--jobs", "1"}
	code, out := ofBothClasses(t, nil, append(run, "--out", dir)...)
	if code != exitViolation || strings.Count(out, "VIOLATED mutual-exclusion in schedule ") != 2 ||
		!strings.Contains(out, "(limit: holder-stopped)") ||
		strings.Count(out, "  mutual-exclusion     violated in ") != 1 || strings.Count(out, "as a limit in ") != 1 || strings.Count(out, "mutual-exclusion is violated: ") != 2 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for i, limit := range []bool{false, true} {
		tr, err := traces.ReadFile(filepath.Join(dir, bothFiles[i]))
		if err != nil || tr.Limit != limit || tr.Verdict().Limit != limit {
			t.Errorf("%s: %v", bothFiles[i], err)
		}
	}
	if code, again := ofBothClasses(t, nil, append(run, "--out", dir, "--resume")...); code != exitViolation || strings.Count(again, "VIOLATED mutual-exclusion in ") != 2 {
		t.Errorf("resumed: exit code %d\n%s", code, again)
	}

	var whole, joined jsonSummary
	_, out = ofBothClasses(t, nil, append(run, "--out", t.TempDir(), "--json")...)
	lastOf(t, out, &whole)
	_, out = ofBothClasses(t, nil, "merge", dir, "--no-shrink", "--stable", "--json", "--out", t.TempDir())
	lastOf(t, out, &joined)
	if len(whole.Found) != 2 || whole.Found[0].Limit || !whole.Found[1].Limit || !slices.Equal(whole.Limits, []string{checker.MutualExclusion}) ||
		whole.Violations[checker.MutualExclusion] != whole.Found[0].Schedules+whole.Found[1].Schedules {
		t.Errorf("%+v", whole)
	}
	if !slices.Equal(whole.Found, joined.Found) {
		t.Errorf("joined %+v, want %+v", joined.Found, whole.Found)
	}
}

// lastOf reads the last of some lines of JSON.
func lastOf(t *testing.T, out string, v any) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), v); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestReplayClasses: a replay says that it violates the property in another class
// than the trace does. A fault that is only a limit now is not what was recorded.
func TestReplayClasses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ofBothClasses(t, nil, "run", "gc-pause", "--lock", "setpx", "--runs", "64", "--no-shrink", "--out", dir)
	for i, is := range []string{"fault", "limit"} {
		path := filepath.Join(dir, bothFiles[i])
		if code, out := ofBothClasses(t, nil, "replay", path); code != exitViolation || !strings.Contains(out, "as recorded") {
			t.Errorf("the %s: exit code %d\n%s", is, code, out)
		}
		tr, err := traces.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tr.Limit = !tr.Limit
		tr.Verdict().Limit, tr.Made["lockpick"] = tr.Limit, "another"
		if err := traces.WriteFile(path, tr); err != nil {
			t.Fatal(err)
		}
		code, out := ofBothClasses(t, nil, "replay", path)
		was := tr.Violation().Class()
		if want := map[string]int{"fault": exitViolation, "limit": exitTrouble}[is]; code != want ||
			!strings.Contains(out, "mutual-exclusion was recorded as a "+was+", and this run violates it as a "+is) {
			t.Errorf("the %s, recorded as a %s: exit code %d\n%s", is, was, code, out)
		}
	}
}

// TestMatrixClasses: a cell has one property as a fault and as a limit, and what is
// expected of the two is compared apart.
func TestMatrixClasses(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	for _, test := range []struct {
		name     string
		expected []model.Violation
		code     int
		says     []string
	}{
		{"both", []model.Violation{twoAsFault, twoAsLimit}, exitNone, []string{"setpx ✗H◐H\n", "✗ found: a fault of the lock", "◐ found: limits of leases"}},
		{"the limit only", []model.Violation{twoAsLimit}, exitViolation, []string{"setpx ✗H◐H!\n", "setpx under gc-pause: mutual-exclusion is violated as a fault, which is unexpected: in "}},
		{"the fault only", []model.Violation{twoAsFault}, exitViolation, []string{"mutual-exclusion is violated as a limit (cause: holder-stopped), which is unexpected: in "}},
	} {
		code, out := ofBothClasses(t, test.expected, "matrix", "--scenario", "gc-pause", "--runs", "64")
		text := strings.Join(strings.Fields(out), " ")
		for _, says := range test.says {
			if !strings.Contains(text, strings.TrimSpace(says)) {
				t.Errorf("%s: it does not say %q\n%s", test.name, says, out)
			}
		}
		if code != test.code {
			t.Errorf("%s: exit code %d", test.name, code)
		}
	}
	page := filepath.Join(t.TempDir(), "page.html")
	_, out := ofBothClasses(t, []model.Violation{twoAsLimit}, "matrix", "--scenario", "gc-pause", "--runs", "64", "--json", "--stable", "-o", page)
	if raw, err := os.ReadFile(page); err != nil || !strings.Contains(string(raw), "<b>H</b><i>H</i>") || !strings.Contains(string(raw), `<th scope="row">mutual-exclusion (limit)</th>`) {
		t.Errorf("the page: %v", err)
	}
	var c jsonMatrixCell
	first, _, _ := strings.Cut(out, "\n")
	if err := json.Unmarshal([]byte(first), &c); err != nil {
		t.Fatal(err)
	}
	var rows []jsonMatrixProperty
	for _, p := range c.Properties {
		if p.Property == checker.MutualExclusion {
			rows = append(rows, p)
		}
	}
	if len(rows) != 2 || rows[0].Limit || rows[0].Expected != "never" || !rows[1].Limit || rows[1].Expected != "must" || rows[1].Cause != "holder-stopped" ||
		rows[0].Sentence == rows[1].Sentence {
		t.Errorf("%+v", rows)
	}
}

// TestMissedClass: what was found in the other class is said of what is missing.
func TestMissedClass(t *testing.T) {
	t.Parallel()
	a, out := expecting(t, expect.Expectations{Lock: "setpx-del", In: []expect.Expectation{
		{Scenario: "lost-reply", Must: []model.Violation{{Property: checker.OwnerOnlyRelease, Limit: true}}, May: []model.Violation{{Property: checker.OwnerOnlyRelease}}},
	}})
	code := a.main(t.Context(), []string{"matrix", "--scenario", "lost-reply", "--runs", "16"})
	text := strings.Join(strings.Fields(out.String()), " ")
	if code != exitViolation || !strings.Contains(text, "owner-only-release as a limit was not found in 256 schedules, but is expected; it was found as a fault") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
