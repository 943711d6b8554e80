package scenarios_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// The recorded counterexamples: a bug once found stays found. With -update
// they are searched for and recorded anew.
var corpus = []struct{ scenario, lock, property string }{
	{"failover-loss", "setpx", checker.MutualExclusion},
	{"failover-loss", "setpx-fenced", checker.Fencing},
	{"gc-pause", "setpx", checker.NoLostUpdate},
	{"gc-pause", "setpx-fenced", checker.MutualExclusion},
	{"two-step-release", "setpx-twostep", checker.OwnerOnlyRelease},
	{"partition", "setpx", checker.MutualExclusion},
	{"partition", "setpx-fenced", checker.Fencing},
	{"node-restart", "setpx", checker.NoLostUpdate},
	{"server-clock-jump", "setpx-fenced", checker.MutualExclusion},
	{"lost-reply", "setpx-twostep", checker.OwnerOnlyRelease},
	{"late-reply", "setpx", checker.NoLostUpdate},
	{"late-request", "setpx-twostep", checker.OwnerOnlyRelease},
	{"hung-node", "setpx-del", checker.OwnerOnlyRelease},
	{"watchdog-late", "watchdog", checker.Overrun},
	{"lost-wakeup", "test-lease-deaf", checker.Progress},
	{"lost-wakeup", "test-lease-deaf-sleeps", checker.BoundedWakeup},
	{"pool-exhausted", "setpx-void-as-printed", checker.Progress},
}

const corpusDir = "../traces/corpus"

func corpusFile(scenario, lock, property string) string {
	return filepath.Join(corpusDir, strings.Join([]string{scenario, lock, property}, "_")+".json")
}

// TestCorpus replays every recorded counterexample, under GOMAXPROCS 1 and 2:
// the same bytes for the same versions; for others the same violation, or at
// least one that is found again.
func TestCorpus(t *testing.T) {
	if *golden.Update {
		recordCorpus(t)
	}
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range corpus {
		if !slices.Contains(files, corpusFile(e.scenario, e.lock, e.property)) {
			t.Errorf("%v is not recorded: go test ./scenarios -run TestCorpus -update does that", e)
		}
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			t.Parallel()
			old, err := traces.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for procs := 1; procs <= 2; procs++ {
				replayed(t, old, path, procs)
			}
		})
	}
}

func replayed(t *testing.T, old *traces.Trace, path string, procs int) {
	t.Helper()
	c, err := scenarios.Registry(cells.Locks()).Of(old)
	if err != nil {
		t.Fatal(err)
	}
	r := runTape(t, c, old.Tape, procs)
	if !old.Made.Equal(cell.Versions(redis.Store)) {
		if !r.Violates(old.Property) {
			t.Logf("recorded with %+v, replayed with %+v: %s is not violated by this tape; diverged: %+v", old.Made, cell.Versions(redis.Store), old.Property, r.Divergence)
			firstOf(t, c, old.Seed, old.Property) // but it must still be found
		}
		return
	}
	if !alike(t, c, old, path, r) {
		was := &explore.Recording{Events: old.Events, Choices: old.Tape, History: old.History}
		t.Errorf("GOMAXPROCS %d: diverged %+v; %s; run with -update to record it anew", procs, r.Divergence, explore.FirstDifference(was, r.Recording))
	}
}

// alike reports whether a replay has the bytes of the trace in the file.
func alike(t *testing.T, c cell.Cell, old *traces.Trace, path string, r explore.Result) bool {
	t.Helper()
	now := c.Trace(old.Seed, old.Schedule, old.Property, r.Outcome())
	if old.Properties == nil {
		now.Properties = nil // it is from before traces had them
	}
	now.Remarks = old.Remarks // they are no part of the run
	var got bytes.Buffer
	if err := traces.Encode(&got, now); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return r.Divergence == nil && bytes.Equal(got.Bytes(), want)
}

// current reports whether the counterexample in the file is there and replays as it is, so that
// it need not be recorded anew.
func current(t *testing.T, path string) bool {
	t.Helper()
	old, err := traces.ReadFile(path)
	if err != nil {
		return false
	}
	c, err := scenarios.Registry(cells.Locks()).Of(old)
	return err == nil && alike(t, c, old, path, runTape(t, c, old.Tape, 1))
}

func runTape(t *testing.T, c cell.Cell, tape []sim.Choice, procs int) (r explore.Result) {
	t.Helper()
	err := cells.Worker(t, procs).Do(t.Context(), explore.Request{Cell: c.Encode(), Replay: true, Record: true, Tape: tape}, func(got explore.Result) bool {
		r = got
		return true
	})
	switch {
	case err != nil:
		t.Fatal(err)
	case r.Trouble != nil:
		t.Fatal(r.Trouble)
	}
	return r
}

// recordCorpus searches for the counterexamples and keeps the first of each.
func recordCorpus(t *testing.T) {
	for _, e := range corpus {
		if current(t, corpusFile(e.scenario, e.lock, e.property)) {
			continue
		}
		c := cells.Of(t, e.scenario, e.lock)
		found := false
		q := explore.Request{Cell: c.Encode(), Seed: 1, Count: budget}
		schedule := 0
		var tape []sim.Choice
		err := cells.Worker(t, 1).Do(t.Context(), q, func(r explore.Result) bool {
			found = r.Violates(e.property)
			schedule, tape = r.Schedule, r.Tape
			return !found
		})
		if err != nil || !found {
			t.Fatalf("%v: found %v, %v", e, found, err)
		}
		r := runTape(t, c, tape, 1)
		if err := traces.WriteFile(corpusFile(e.scenario, e.lock, e.property), c.Trace(1, schedule, e.property, r.Outcome())); err != nil {
			t.Error(err)
		}
	}
}
