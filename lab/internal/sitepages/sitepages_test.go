package sitepages

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

const root = "../../.."

// The test binary is its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		if err := explore.ServeStdio(Known().Resolve); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func newSite(t *testing.T, jobs int) *site {
	t.Helper()
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Root: root, Out: t.TempDir(), Worker: worker, Jobs: jobs}
	k, err := newKnown(o)
	if err != nil {
		t.Fatal(err)
	}
	return &site{Options: o, known: k, ctx: t.Context(), addresses: addresses{}, stories: map[string]*story{}}
}

// TestTable: every lock and every scenario has its place, and stands as is expected of it.
func TestTable(t *testing.T) {
	s := newSite(t, 1)
	if len(s.rows) != len(s.registry.Locks) || len(s.columns) != len(s.registry.Scenarios) {
		t.Errorf("%d of %d locks and %d of %d scenarios", len(s.rows), len(s.registry.Locks), len(s.columns), len(s.registry.Scenarios))
	}
	want := map[string]standing{
		"setpx contention": silent, "setpx gc-pause": limit, "setpx late-reply": fault, "setpx storm": mayFault, "setpx deadlock": notApplicable,
		"pull watchdog-late": silent, "pull storm": mayLimit, "setpx-spin-release-as-printed hung-node": undecided, "etcd-mutex session-expiry": fault,
		"setpx-replica-check two-masters": mayFault,
	}
	for _, r := range s.rows {
		for i, c := range s.columns {
			name := r.lock.ID + " " + c.ID
			if w, is := want[name]; is && standingOf(r.cells[i]) != w {
				t.Errorf("%s: %s, want %s", name, standingOf(r.cells[i]), w)
			}
			delete(want, name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

// TestOrigins: each lock's code is found; testdata has where.
func TestOrigins(t *testing.T) {
	s := newSite(t, 1)
	found, err := s.origins()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range s.rows {
		o := found[r.lock.ID]
		fmt.Fprintf(&b, "%s\t%s.%s\t%s\n", r.lock.ID, o.Package, o.Type, o.File)
		if len(o.doc) < 20 {
			t.Errorf("%s: the comment of %s.%s is %q", r.lock.ID, o.Package, o.Type, o.doc)
		}
	}
	golden.File(t, "testdata/origins.golden", b.String())
}

// TestComments: each scenario has one.
func TestComments(t *testing.T) {
	s := newSite(t, 1)
	p, err := s.parse("scenarios")
	if err != nil {
		t.Fatal(err)
	}
	comments := scenarioComments(p)
	for _, c := range s.columns {
		if text := comments[c.ID]; len(text) < 40 || strings.Contains(text, ": This scenario") {
			t.Errorf("%s: %q", c.ID, text)
		}
	}
}

// TestSearchRepeats: a counterexample that a search finds is the same with other numbers of workers.
func TestSearchRepeats(t *testing.T) {
	var found [2]bytes.Buffer
	for i := range found {
		s := newSite(t, i+1)
		column := slices.IndexFunc(s.columns, func(c column) bool { return c.ID == "deadlock" })
		tr, err := s.found(column)
		if err != nil {
			t.Fatal(err)
		}
		if err := traces.Encode(&found[i], tr); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(found[0].Bytes(), found[1].Bytes()) {
		t.Error("two searches for the same found different counterexamples")
	}
}

// TestTables: tables of what is expected are those of the site.
func TestTables(t *testing.T) {
	got := tables("before\n<!-- simrun matrix --expected --store redis -->\n| a |\n|---|\n\nH: two.\n<!-- end -->\nafter ![x](matrix.png)\n")
	if want := "before\n{{< matrix store=\"redis\" >}}\nafter {{< matrix >}}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, file := range []string{"docs/matrix.md", "etcd/README.md"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if got := tables(string(text)); !strings.Contains(got, "{{< matrix store=") || strings.Contains(got, "simrun matrix --expected") {
			t.Errorf("%s keeps its table", file)
		}
	}
}

// TestLinked: names in a text lead to their pages, and nothing else does.
func TestLinked(t *testing.T) {
	s := newSite(t, 1)
	got := s.linked("a pause (gc-pause, late-reply) breaks mutual-exclusion. `no-orphan` and a well-known word,\n\n    gc-pause in code")
	want := "a pause ([gc-pause](/scenarios/gc-pause), [late-reply](/scenarios/late-reply)) breaks [mutual-exclusion](/properties/mutual-exclusion). " +
		"`no-orphan` and a well-known word,\n\n    gc-pause in code"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestFirstSentence: it is that of the first paragraph.
func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"\n## A heading\n\nOne\nsentence. And another.\n": "One sentence.", "\n| a | b |\n\n```\ncode\n```\n\nOnly this.\n": "Only this.", "\n# Nothing\n": "",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestClear: what somebody else has written is not removed.
func TestClear(t *testing.T) {
	o := Options{Out: t.TempDir()}
	file := filepath.Join(o.Out, "mine.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.clear(); err == nil || !strings.Contains(err.Error(), "empty directory") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what it has made itself is removed
		if err := o.clear(); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFenced: indented code gets fences, with the lines between that are blank, and what is around it stays as it is.
func TestFenced(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"plain\n", "plain\n"},
		{"before\n\n\ta\n\n\t\tb\n\nafter\n", "before\n\n```text\na\n\n\tb\n```\n\nafter\n"},
		{"\tonly\n", "```text\nonly\n```\n"},
		{"\ta\n## head\n", "```text\na\n```\n## head\n"},
	} {
		if got := fenced(test.text); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}
