package simrun

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReport: one page has what a directory of searches has: findings by cause with their
// pictures, a table, seeds and budgets, and what was vacuous; it needs nothing else.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run", "gc-pause", "--runs", "300"},
		{"run", "partition", "--runs", "3", "--no-shrink"},
		{"check", "contention", "--bound", "0"},
	} {
		if code, out, errs := simrun(t, append(args, "--out", dir)...); code == exitUsage || code == exitInternal {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	code, out, errs := simrun(t, "report", dir)
	path := filepath.Join(dir, "report.html")
	if code != exitNone || !strings.Contains(out, "wrote "+path+": 3 searches and ") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, want := range []string{
		"the holder&#39;s process was stopped while its lease ended as granted",
		`<a class="cell limit" href="#s`, `<a class="cell vacuous" href="#s`, `<a class="cell none-found" href="#s`,
		"What was vacuous", "in none of 3 schedules it happened that ",
		"strategy portfolio, seed 1", "300 schedules", "exhaustive, bound 0", ": no counterexample within bound 0",
		"Again: <code>simrun run gc-pause --lock setpx --strategy portfolio --seed 1 --runs 300</code>",
		`<a href="gc-pause_setpx_mutual-exclusion_limit.json">`, "simrun replay " + filepath.Join(dir, "gc-pause_setpx_mutual-exclusion_limit.json"),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if figures, findings := strings.Count(page, `<figure class="run">`), strings.Count(page, `<article class="finding"`); figures < 3 || figures != findings {
		t.Errorf("%d figures of %d findings", figures, findings)
	}
	for _, m := range regexp.MustCompile(`href="([^#"][^"]*)"`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(dir, m[1])); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
	// The page is no part of the next one, and the same searches give the same bytes.
	if code, out, errs := simrun(t, "report", dir); code != exitNone || errs != "" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != page {
		t.Errorf("the second page has other bytes: %v", err)
	}
}

// TestReportOfAMatrix: what a matrix kept is reported with all of its cells.
func TestReportOfAMatrix(t *testing.T) {
	dir := t.TempDir()
	if code, out, errs := simrun(t, "matrix", "--runs", "24", "--lock", "setpx-twostep", "--scenario", "contention", "--scenario", "two-step-release", "--scenario", "stale-follower", "--out", dir); code != exitNone {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	other := filepath.Join(t.TempDir(), "pages", "x.html")
	if err := os.MkdirAll(filepath.Dir(other), 0o777); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := simrun(t, "report", dir, "-o", other); code != exitNone {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	raw, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`class="cell fault"`, `class="cell none-found"`, `class="cell not-applicable"`, "matrix, seed 1", "Again: <code>"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestReportOfWhatIsThere: what cannot be read is named, and so are counterexamples whose
// searches left no state; a search that was ended is said to have no end.
func TestReportOfWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	copied := func(from, to string) {
		t.Helper()
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	copied("../traces/corpus/gc-pause_setpx_no-lost-update.json", "one.json")
	if err := os.WriteFile(filepath.Join(dir, "two.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	state := `{"schema":2,"identity":{"kind":"run","scenario":"contention","lock":"of-another-program","strategy":"random","seed":9,"runs":5000},` +
		`"blocks":{"0":{"schedules":50,"events":1,"simulatedNanos":1,"happened":[1],"violations":{"progress":2},"first":{},"classes":""}}}`
	if err := os.WriteFile(filepath.Join(dir, "x"+runState), []byte(state), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := simrun(t, "report", dir); code != exitNone {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Not read: ", "two.json: trace: this is JSON, but not a trace", "it is not known what else they searched: setpx under gc-pause",
		"of-another-program under contention", "strategy random, seed 9", "the search has not come to its end; 50 of 5,000 schedules", "progress in 2 schedules",
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %q", want)
		}
	}
	for _, c := range []struct{ dir, want string }{
		{t.TempDir(), "there is nothing to report in "},
		{filepath.Join(dir, "none"), "there is no directory "},
		{filepath.Join(dir, "one.json"), "is no directory"},
	} {
		if code, _, errs := simrun(t, "report", c.dir); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("exit code %d, %q; want %q", code, errs, c.want)
		}
	}
}
