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
// traces, byte for byte, and tell the same stories of it. What a test shrinks, since it reports it,
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
			byCheck, told, kept := huntByCheck(t, test)
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
		})
	}
}

// huntByCheck searches a cell by Check, twice: with all findings shown, whose traces it returns, and
// with those that are reported alone, of which it returns the kept ones.
func huntByCheck(t *testing.T, what hunted) (shown map[string][]byte, told []string, kept map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
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
