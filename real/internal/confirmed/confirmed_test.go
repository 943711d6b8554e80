package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// TestSurprise: what is not as expected is told in either direction.
func TestSurprise(t *testing.T) {
	const watchdog = "watchdog-late_watchdog_overrun"
	for _, c := range []struct {
		name   string
		result confirm.Result
		want   string
	}{
		{"gc-pause_setpx_no-lost-update", confirm.Confirmed, ""},
		{"gc-pause_setpx_no-lost-update", confirm.NotConfirmed, "expected is: confirmed"},
		{"gc-pause_setpx_no-lost-update", confirm.NotForced, "expected is: confirmed"},
		{watchdog, confirm.NotConfirmed, ""},
		{watchdog, confirm.Confirmed, ""},
		{watchdog, confirm.NotForced, "expected is: not confirmed"},
	} {
		if got := surprise(c.name, &confirm.Outcome{Result: c.result}); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.name, c.result, got, c.want)
		}
	}
}

// TestExpected: exceptions are of traces that there are, and say why.
func TestExpected(t *testing.T) {
	for name, e := range exceptions { // unordered: each by itself
		if e.why == "" || e.result == confirm.Confirmed {
			t.Errorf("%s: %+v", name, e)
		}
		if strings.Contains(name, "/") {
			continue // of a module
		}
		if _, err := os.Stat(filepath.Join("../../../traces/corpus", name+".json")); err != nil {
			t.Error(err)
		}
	}
	for _, m := range recorded {
		for _, dir := range []string{m.dir, m.repaired} {
			if _, err := os.Stat(filepath.Join("../../..", dir)); dir != "" && err != nil {
				t.Error(err)
			}
		}
	}
}

// TestInsert: a table replaces an older one of its kind and no other, and docs/confirm.md has a place for them.
func TestInsert(t *testing.T) {
	if err := insert("../../../docs/confirm.md", nil, confirm.Usual); err != nil {
		t.Error(err)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+tables[0].begin()+"\nold\n"+tables[0].end()+"\nbetween\n"+tables[1].begin()+"\nold record\n"+tables[1].end()+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := []row{
		{Statement: confirm.Statement{Scenario: "s", Lock: "l", Property: "p", Cause: "c", Client: "client v1", Outcome: &confirm.Outcome{Result: confirm.NotConfirmed, Of: 3, Confirmed: 1, Mean: 1.5, Server: "server 1", Diverged: map[string]int{"a|b": 2}}}},
		{module: "m", repaired: "m2", control: &confirm.Statement{Outcome: &confirm.Outcome{Of: 3}}, Statement: confirm.Statement{Scenario: "s", Property: "p", Cause: "c", Limit: true, Outcome: &confirm.Outcome{Result: confirm.NotForced, Reason: "it cannot"}}},
	}
	wrote := func(rows []row) string {
		t.Helper()
		if err := insert(page, rows, confirm.Effort{Tries: 3}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	if got := wrote(rows[:1]); strings.Contains(got, "old\n") || !strings.Contains(got, "old record\n") {
		t.Errorf("rows of the corpus alone leave\n%s", got)
	}
	got := wrote(rows)
	for _, want := range []string{
		"before\n", "\nbetween\n", "\nafter\n", `| s | l | p | c | not confirmed | 1 of 3 | 1.5 | server 1, client v1 | 2× a\|b |`,
		"| m | s | p | c (limit) | cannot be forced |  |  |  | it cannot | m2: 0 of 3 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "old") {
		t.Errorf("it has what was there:\n%s", got)
	}
}

// TestPartOfTable: a table of some rows does not replace the whole one.
func TestPartOfTable(t *testing.T) {
	for _, args := range [][]string{{"-only=gc-pause", "-o=page.md"}, {"-of=both"}} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), strings.SplitN(args[len(args)-1], "=", 2)[0]) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestNoTrace: a word that no name has is an error.
func TestNoTrace(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Chdir("../..")
	if err := run(t.Context(), []string{"-only=no-such-trace"}); err == nil || !strings.Contains(err.Error(), `no trace has "no-such-trace" in its name`) {
		t.Error(err)
	}
}

// TestSubtest: which subtest has found a trace.
func TestSubtest(t *testing.T) {
	for file, want := range map[string]string{ // unordered: each by itself
		"found/TestTrackRecord/lost-reply_no-orphan.json":                             "",
		"found/TestTrackRecord/Campaign_leaves_its_key/bad/lost-reply_no-orphan.json": "Campaign_leaves_its_key/",
		"found/lost-reply_no-orphan.json":                                             "",
	} {
		if got := subtest("found", file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
