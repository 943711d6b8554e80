package simrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestSettingsAreShown: the table says which cells have parameters of their own, in
// both of its forms, and nothing of it where none has.
func TestSettingsAreShown(t *testing.T) {
	with := func(settings ...traces.Parameter) expect.Expectations {
		return expect.Expectations{Lock: "setpx", Reason: "Because.", In: []expect.Expectation{
			{Scenario: "contention", Settings: settings, May: []model.Violation{{Property: checker.NoOrphan}}},
		}}
	}
	clients := traces.Parameter{Name: "clients", Value: "2"}
	for _, args := range [][]string{{"--expected"}, {"--runs", "1", "--stable"}} {
		args = append([]string{"matrix", "--scenario", "contention", "--scenario", "holder-crash"}, args...)
		a, out := expecting(t, with(clients))
		a.main(t.Context(), args)
		if n := strings.Count(out.String(), "†"); n != 2 || !strings.Contains(out.String(), "searched with other parameters than the scenario's: clients=2 for setpx under contention") {
			t.Errorf("%q: %d marks, want one in the table and one below it:\n%s", args, n, out)
		}
		a, out = expecting(t, with())
		a.main(t.Context(), args)
		if strings.Contains(out.String(), "†") || strings.Contains(out.String(), "other parameters than") {
			t.Errorf("%q: no cell has parameters of its own:\n%s", args, out)
		}
	}
}

// TestTopologyIsSaidOnce: what a topology sets is no parameter of a cell's own; the head of the table says it, and marks are
// for what cells have besides, with the scenarios of a lock together. The command on the page makes that page.
func TestTopologyIsSaidOnce(t *testing.T) {
	page := filepath.Join(t.TempDir(), "m.html")
	_, out, errs := simrun(t, "matrix", "--topology", "sentinel", "--lock", "setpx", "--lock", "setpx-cad", "--runs", "1",
		"--scenario", "contention", "--scenario", "lost-reply", "--scenario", "hung-node", "--store", "redis", "--stable", "-o", page)
	if errs != "" {
		t.Error(errs)
	}
	const again = "matrix --seed 1 --runs 1 --lock setpx --lock setpx-cad --scenario contention --scenario lost-reply --scenario hung-node --store redis --topology sentinel -o m.html"
	if raw, err := os.ReadFile(page); err != nil || !strings.Contains(string(raw), again) {
		t.Errorf("the page lacks the command %q: %v", again, err)
	}
	if head, _, _ := strings.Cut(out, "\n"); !strings.HasSuffix(head, ", seed 1, topology=sentinel") {
		t.Errorf("the head does not say the topology: %q", head)
	}
	_, marks, _ := strings.Cut(out, "\n  "+settingsMark+"  ")
	if marks, _, _ = strings.Cut(marks, "\n"); marks != "searched with other parameters than the scenario's: weak=1 for all marked cells" {
		t.Errorf("the legend of the mark is %q:\n%s", marks, out)
	}
}

// TestConfirmedMark: a cell is marked whose counterexample was confirmed, which a search then finds again; others are not, nor is one
// whose counterexample was tried in vain.
func TestConfirmedMark(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "matrix.html")
	table := func() (text, html string) {
		t.Helper()
		_, text, errs := simrun(t, "matrix", "--runs", "24", "--lock", "setpx", "--lock", "setpx-twostep", "--scenario", "gc-pause", "--stable", "-o", page, "--out", dir)
		raw, err := os.ReadFile(page)
		if errs != "" || err != nil {
			t.Fatalf("%s %v", errs, err)
		}
		return text, string(raw)
	}
	if text, html := table(); strings.Contains(text+html, confirmedMark) {
		t.Errorf("a cell is marked, and nothing was tried:\n%s", text)
	}
	for lock, confirmed := range map[string]int{"setpx": 19, "setpx-twostep": 0} { // unordered: each by itself
		paths, err := filepath.Glob(filepath.Join(dir, "gc-pause_"+lock+"_*.json"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %q %v", lock, paths, err)
		}
		tr, err := traces.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		tr.Confirm(traces.Confirmation{Server: "redis-server 7.0.15", Client: "go-redis v9.0.5", Platform: "linux/amd64", Of: 20, Confirmed: confirmed, Mean: time.Second, When: "2026-01-02T15:04:05Z"})
		if err := traces.WriteFile(paths[0], tr); err != nil {
			t.Fatal(err)
		}
	}
	text, html := table()
	for lock, want := range map[string]bool{"setpx": true, "setpx-twostep": false} { // unordered: each by itself
		_, row, _ := strings.Cut(text, "\n  "+lock+" ")
		if row, _, _ = strings.Cut(row, "\n"); strings.Contains(row, confirmedMark) != want || row == "" {
			t.Errorf("%s: marked is %v, in the row %q", lock, !want, row)
		}
	}
	if !strings.Contains(text, "  "+confirmedMark+"  "+confirmedText+"\n") || strings.Count(html, confirmedMark) < 2 {
		t.Errorf("there is no legend of the mark, or no mark on the page:\n%s", text)
	}
}
