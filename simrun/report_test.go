package simrun

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestReport: one page has what a directory of searches has: findings by cause with their
// pictures, a table, seeds and budgets, and what was vacuous; it needs nothing else.
func TestReport(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run", "gc-pause", "--runs", "300"},
		{"run", "partition", "--runs", "3", "--no-shrink", "-p", "sizes=0"},
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
	progress := model.Violation{Property: "progress"}
	state := explore.State{
		Identity: []byte(`{"kind":"run","scenario":"contention","lock":"of-another-program","strategy":"random","seed":9,"runs":5000}`),
		Blocks:   map[int]explore.Tally{0: {Schedules: 50, Happened: []int{1}, Violations: map[model.Violation]int{progress: 2}, First: map[model.Violation]explore.Found{progress: {}}}},
	}
	if err := state.Write(filepath.Join(dir, "x"+shards.SearchEnd)); err != nil {
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
		"Not read: ", "two.json: trace: this is JSON, but not a trace", "so the rest of their results is unknown: setpx under gc-pause",
		"of-another-program under contention", "strategy random, seed 9", "the search has not ended; 50 of 5,000 schedules", "progress in 2 schedules",
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %q", want)
		}
	}
	for _, c := range []struct{ dir, want string }{
		{t.TempDir(), "there is nothing to report in "},
		{filepath.Join(dir, "none"), "there is no directory "},
		{filepath.Join(dir, "one.json"), "is not a directory"},
	} {
		if code, _, errs := simrun(t, "report", c.dir); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("exit code %d, %q; want %q", code, errs, c.want)
		}
	}
}

// TestReportWithoutTraces: what a search says it found is in the verdict, also if its traces
// are gone.
func TestReportWithoutTraces(t *testing.T) {
	dir := t.TempDir()
	if code, out, errs := simrun(t, "run", "gc-pause", "--lock", "setpx-del", "--runs", "60", "--no-shrink", "--out", dir); code != exitViolation {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f, shards.SearchEnd) {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code, out, errs := simrun(t, "report", dir); code != exitNone {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if want := `<strong class="verdict bad">faults in 1 search without a trace here`; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("no %q, %v", want, err)
	}
}

// TestReportOfACrash: a cell of a matrix whose worker died is one of which runs did not finish.
func TestReportOfACrash(t *testing.T) {
	dir := t.TempDir()
	a, out := expecting(t, expect.Expectations{Lock: "test-panics", In: []expect.Expectation{{Scenario: "contention"}}})
	if code := a.main(t.Context(), []string{"matrix", "--runs", "16", "--scenario", "contention", "--out", dir}); code != exitTrouble {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	if code, out, errs := simrun(t, "report", dir); code != exitNone {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<strong class="verdict bad">runs that did not finish in 1 search`, `<a class="cell trouble" href="#s`, "testlocks: a panic on purpose", `<li class="fault">crashed in schedule `} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestReportOverwritesNothing: the page takes the place of no trace, picture or state, has an
// ending of its own, and goes to standard output if asked.
func TestReportOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	trace := find(t, "gc-pause", "setpx", "no-lost-update")
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"one.json": string(text), "one.html": "its picture", "x.txt": "a note"}
	for name, text := range files { // unordered: files
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("one.json", "link.html"); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{
		"one.json": "want a name that ends with .html", "x.txt": "want a name that ends with .html",
		"one.html": "is a file of the searches, or the picture of a trace", "link.html": "is a file of the searches, or the picture of a trace",
	} {
		if code, _, errs := simrun(t, "report", ".", "-o", out); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("-o %s: exit code %d, %q", out, code, errs)
		}
	}
	for name, text := range files { // unordered: files
		if now, err := os.ReadFile(name); err != nil || string(now) != text {
			t.Errorf("%s has changed: %v", name, err)
		}
	}
	code, out, errs := simrun(t, "report", ".", "-o", "-")
	if code != exitNone || !strings.HasPrefix(out, "<!doctype html>") || !strings.HasSuffix(strings.TrimSpace(out), "</html>") || !strings.Contains(out, `<a href="one.json">`) {
		t.Errorf("exit code %d, %s\n%.300s", code, errs, out)
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file named -")
	}
}

// TestReportOfLongCells: a file of cells that would take very much memory is not read, and named.
func TestReportOfLongCells(t *testing.T) {
	dir := t.TempDir()
	cells := `{"type":"cell","happened":[` + strings.Repeat("{},", maxCellEntries) + `{}]}`
	if err := os.WriteFile(filepath.Join(dir, cellsFile), []byte(cells), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, errs := simrun(t, "report", dir)
	if want := cellsFile + ": more than 1048576 entries"; code != exitUsage || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %q; want %q", code, errs, want)
	}
}

// TestReportOfDamagedCells: cells that have changed since the matrix wrote them are not read, and the file is named.
func TestReportOfDamagedCells(t *testing.T) {
	dir := t.TempDir()
	if code, out, errs := simrun(t, "matrix", "--lock", "setpx", "--scenario", "contention", "--runs", "3", "--out", dir); code != exitNone {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	file := filepath.Join(dir, cellsFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if code, out, errs := simrun(t, "report", dir); code != exitNone {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	for says, text := range map[string]string{
		"it has changed since it was written": strings.Replace(string(whole), `"schedules":`, `"schedules":1`, 1),
		"it does not end with its checksum":   string(whole[:len(whole)/2]),
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, _, errs := simrun(t, "report", dir)
		if code != exitUsage || !strings.Contains(errs, file+": "+says) || !strings.Contains(errs, "remove it, and run the matrix again") {
			t.Errorf("exit code %d, %q; want %q", code, errs, says)
		}
	}
}

// TestReportMeaning: a page says once what a result means, as a sentence after it.
func TestReportMeaning(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"check", "contention", "--bound", "0"}, {"run", "gc-pause", "--runs", "3", "--no-shrink"}} {
		if code, out, errs := simrun(t, append(args, "--out", dir)...); code == exitUsage || code == exitInternal {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	code, page, errs := simrun(t, "report", dir, "-o", "-")
	if code != exitNone {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	if n := strings.Count(page, "no counterexample within bound 0"); n != 1 || !strings.Contains(page, "<p>exhausted: no counterexample within bound 0. ") {
		t.Errorf("it is said %d times", n)
	}
	for _, m := range regexp.MustCompile(`<p>([a-z-]+)([^;]*);`).FindAllStringSubmatch(page, -1) {
		if strings.Contains(m[2], ": :") || strings.Contains(m[2], ": ,") || strings.HasSuffix(m[2], ".") {
			t.Errorf("it says %q", m[0])
		}
	}
}
