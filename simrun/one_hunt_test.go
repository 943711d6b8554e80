package simrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// huntedMark has the scenario and the lock that TestHuntedByCheck searches, and how.
const huntedMark = "LOCKPICK_TEST_HUNTED"

// The search of TestOneHunt.
const (
	huntedBy   = "TestHuntedByCheck"
	huntedRuns = 150
	huntedSeed = 3
	// huntedBound is that of an exhaustive search.
	huntedBound = 1
)

// TestHuntedByCheck is the test of a lock that TestOneHunt runs in a process of its own.
func TestHuntedByCheck(t *testing.T) {
	asked := strings.Fields(os.Getenv(huntedMark))
	if len(asked) != 3 {
		t.Skip("TestOneHunt runs it")
	}
	l, err := scenarios.Registry(locks()).Lock(asked[1])
	if err != nil {
		t.Fatal(err)
	}
	how := []locktest.Option{locktest.On(l.Store), locktest.Only(asked[0]), locktest.Seed(huntedSeed)}
	if asked[2] == checkKind {
		how = append(how, locktest.Bound(huntedBound))
	} else {
		how = append(how, locktest.Runs(huntedRuns))
	}
	locktest.CheckSubject(t, l.Subject, how...)
}

// hunted is a cell, and how it is searched.
type hunted struct{ scenario, lock, kind string }

func (h hunted) String() string { return h.scenario + " " + h.lock + " " + h.kind }

// TestOneHunt: go test and simrun find the same in a cell by the same search, shrink it to the same
// traces, byte for byte, and explain it by the same stories. A trace has the same replay, difference and shrunk trace by either. What a test shrinks, since it reports it,
// is the same whether the other findings are shrunk or not.
func TestOneHunt(t *testing.T) {
	slowtest.SkipIfShort(t)
	for i, test := range []hunted{
		{"gc-pause", "setpx-del", runKind},
		{"two-step-release", "setpx-twostep", runKind},
		{"failover-loss", "setpx-del", runKind},
		{"gc-pause", "setpx-del", checkKind},
	} {
		t.Run(strings.ReplaceAll(test.String(), " ", "/"), func(t *testing.T) {
			if testing.Short() && i > 0 {
				t.Skip("one will do")
			}
			t.Parallel()
			dir := t.TempDir()
			byCheck, told, kept := huntByCheck(t, test, dir)
			bySimrun, stories := huntBySimrun(t, test)
			if len(byCheck) == 0 || len(kept) == 0 {
				t.Fatalf("Check has written %d traces, and kept %d", len(byCheck), len(kept))
			}
			for name, trace := range bySimrun { // unordered: each is compared with its own
				if !bytes.Equal(byCheck[name], trace) {
					t.Errorf("the traces of %s differ: %d bytes of Check, %d of simrun", name, len(byCheck[name]), len(trace))
				}
			}
			if len(byCheck) != len(bySimrun) {
				t.Errorf("Check has %d traces, simrun %d", len(byCheck), len(bySimrun))
			}
			for name, trace := range kept { // unordered: each is compared with its own
				if !bytes.Equal(bySimrun[name], trace) {
					t.Errorf("what Check keeps of %s differs from what simrun has of it", name)
				}
			}
			for _, out := range told {
				if !strings.Contains(out, stories) {
					t.Errorf("Check tells\n%s\nand simrun\n%s", out, stories)
				}
			}
			oneAnswer(t, test, filepath.Join(dir, "out", huntedBy))
		})
	}
}

// huntByCheck searches a cell by Check, twice: with all findings shown, whose traces it returns, and
// with those that are reported alone, of which it returns the kept ones.
func huntByCheck(t *testing.T, what hunted, dir string) (shown map[string][]byte, told []string, kept map[string][]byte) {
	t.Helper()
	for _, args := range [][]string{{"-simrun.out=" + filepath.Join(dir, "out")}, nil} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^" + huntedBy + "$"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), huntedMark+"="+what.String(), "GITHUB_ACTIONS=")
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Fatalf("the test passes\n%s", out)
		}
		told = append(told, plain(string(out)))
		if args != nil {
			if err := os.RemoveAll(filepath.Join(dir, "testdata")); err != nil { // or it would be tried first
				t.Fatal(err)
			}
		}
	}
	return tracesBelow(t, filepath.Join(dir, "out")), told, tracesBelow(t, filepath.Join(dir, "testdata"))
}

// huntBySimrun searches the same cell as simrun run does: the traces, and the stories of faults in the
// words of Check.
func huntBySimrun(t *testing.T, what hunted) (map[string][]byte, string) {
	t.Helper()
	l, err := scenarios.Registry(locks()).Lock(what.lock)
	if err != nil {
		t.Fatal(err)
	}
	l = cell.Lock{ID: huntedBy, Store: l.Store, Subject: l.Subject}
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	known := scenarios.Registry([]cell.Lock{l})
	worker.Here = &explore.Here{Resolve: known.Resolve}
	c, err := known.Cell(what.scenario, huntedBy, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	h := &session{
		app:       &app{name: "simrun", out: io.Discard, err: io.Discard, locks: []cell.Lock{l}, worker: worker},
		huntFlags: huntFlags{Jobs: 1, Out: dir}, cell: c,
		id: identity{Kind: what.kind, Scenario: what.scenario, Lock: huntedBy, Parameters: c.Parameters(), Strategy: explore.PortfolioStrategy, Seed: huntedSeed, Runs: huntedRuns},
	}
	if what.kind == checkKind {
		h.id = identity{Kind: what.kind, Scenario: what.scenario, Lock: huntedBy, Parameters: c.Parameters(), Bound: huntedBound, Limit: hunt.DefaultLimit}
	}
	if err := h.run(t.Context()); !errors.Is(err, exitCode(exitViolation)) {
		t.Fatalf("simrun ends with %v", err)
	}
	f := causes.Findings{Searched: []string{what.scenario}}
	for _, one := range h.reports {
		if !one.Trace.Limit {
			one.Path = ""
			f.Add([]*causes.Failure{one})
		}
	}
	return tracesBelow(t, dir), plain(f.Summary(huntedBy, f.Stories(), "", ""))
}

// oneAnswer: the test binary that program simrun starts, and simrun with the lock among its own, replay, compare and shrink the first trace in a
// directory with the same words, files and exit codes.
func oneAnswer(t *testing.T, what hunted, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trace is in %s: %v", dir, err)
	}
	tr, err := traces.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	l, err := scenarios.Registry(locks()).Lock(what.lock)
	if err != nil {
		t.Fatal(err)
	}
	own := cell.Lock{ID: huntedBy, Store: l.Store, Subject: l.Subject}
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Here = &explore.Here{Resolve: scenarios.Registry([]cell.Lock{own}).Resolve}
	binary := &recorded.Binary{Path: os.Args[0], Dir: t.TempDir(), Test: *tr.Test}
	served, err := binary.Start(t.Context(), huntedMark+"="+what.String())
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	file := filepath.Join(t.TempDir(), "file")
	for name, c := range map[string]recorded.Command{ // unordered: each is compared with itself
		"replay": &recorded.Replay{Trace: files[0], Procs: 1, Out: file},
		"json":   &recorded.Replay{Trace: files[0], Procs: 1, JSON: true},
		"diff":   &recorded.Diff{A: files[0], Out: file},
		"shrink": &recorded.Shrink{Trace: files[0], Out: file, Budget: 60, Jobs: 1},
	} {
		var said, wrote [2]string
		var codes [2]int
		for i, front := range []func(a *app) error{
			func(a *app) error { return c.Run(t.Context(), a.host()) },
			func(a *app) error { return served.Run(c, a.output()) },
		} {
			var out bytes.Buffer
			_ = os.Remove(file) // it may not be there
			a := &app{name: "simrun", out: &out, err: &out, locks: []cell.Lock{own}, worker: worker}
			if err := front(a); err != nil {
				codes[i] = a.fail(err)
			}
			text, _ := os.ReadFile(file) // none has none
			said[i], wrote[i] = out.String(), string(text)
		}
		if said[0] != said[1] || wrote[0] != wrote[1] || codes[0] != codes[1] || said[0] == "" {
			t.Errorf("%s: simrun ends with %d and says\n%s\nthe test binary with %d\n%s\nthe files are the same: %v", name, codes[0], said[0], codes[1], said[1], wrote[0] == wrote[1])
		}
	}
}

// plain is a text without its indentation, and without the lines that say where a trace is and how
// it is replayed.
func plain(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "trace  ") && !strings.HasPrefix(line, "replay  ") && !strings.HasPrefix(line, "confirm ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// tracesBelow are the traces in a directory, by what they show, without the test that has found them.
func tracesBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".json" || shards.IsState(path) {
			return err
		}
		tr, err := traces.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		tr.Test = nil
		again := filepath.Join(t.TempDir(), "trace.json")
		if err := traces.WriteFile(again, tr); err != nil {
			return err
		}
		text, err := os.ReadFile(again)
		found[tr.Violation().String()] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
