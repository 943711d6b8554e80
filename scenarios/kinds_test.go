package scenarios_test

import (
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// TestKindsSound searches with locks of every kind that are sound: nothing may be
// found but the limits of what such a lock can promise.
func TestKindsSound(t *testing.T) {
	for _, lock := range []string{"readwrite", "semaphore", "permit-semaphore", "latch", "barrier", "segmented", "reentrant", "watchdog", "fair"} {
		for _, scenario := range []string{"contention", "gc-pause", "failover-loss", "cancel"} {
			if !cells.Sampled(lock+"/"+scenario, 8) {
				continue
			}
			t.Run(lock+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				c := cells.Of(t, scenario, lock)
				// Where a store forgets what was given back, of a kind without a lease, it is
				// gone for good: a lease would have prevented that.
				lasting := scenario == "failover-loss" && (lock == "semaphore" || lock == "latch" || lock == "barrier")
				searchNever(t, c, 1, schedules(t, 200, 20_000), func(v model.Violation) bool {
					return v.Limit || lasting && v.Property == checker.Progress
				})
			})
		}
	}
}

// TestKindsBroken searches for what each lock with a flaw must be caught at, also
// where an order of its calls is all that tells.
func TestKindsBroken(t *testing.T) {
	for _, e := range []struct{ scenario, lock, property string }{
		{"contention", "test-readwrite-blind", checker.MutualExclusion},
		{"contention", "test-readwrite-blind", checker.Linearizable},
		{"contention", "test-semaphore-twostep", checker.MutualExclusion},
		{"contention", "test-semaphore-twostep", checker.Linearizable},
		{"contention", "test-permits-twostep", checker.MutualExclusion},
		{"contention", "test-permits-twostep", checker.Linearizable},
		{"lost-reply", "test-latch-counts-twice", checker.Linearizable},
		{"contention", "test-latch-forgets", checker.Progress},
		{"lost-reply", "test-barrier-counts-twice", checker.Linearizable},
		{"contention", "test-stock-twostep", checker.Linearizable},
		{"contention", "test-stock-strands", checker.Linearizable},
		{"contention", "test-reentrant-once", checker.MutualExclusion},
		{"contention", "test-reentrant-once", checker.Linearizable},
		{"contention", "test-fair-pushes-in", checker.FairOrder},
		{"holder-crash", "semaphore", checker.Progress},
		{"failover-loss", "readwrite", checker.MutualExclusion},
		{"failover-loss", "semaphore", checker.MutualExclusion},
		{"failover-loss", "latch", checker.Linearizable},
		{"failover-loss", "segmented", checker.Linearizable},
		{"gc-pause", "readwrite", checker.Overrun},
		{"gc-pause", "permit-semaphore", checker.Overrun},
	} {
		name := e.scenario + "/" + e.lock + "/" + e.property
		if !cells.Sampled(name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Logf("schedule %d", firstOf(t, cells.Of(t, e.scenario, e.lock), 1, e.property))
		})
	}
}

// TestKindsJudged: what the properties say of the kinds is not that they do not
// apply.
func TestKindsJudged(t *testing.T) {
	for lock, judged := range map[string][]string{
		"readwrite":        {checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate, checker.Progress, checker.LeaseHonesty, checker.TruthfulRelease, checker.NoOrphan},
		"semaphore":        {checker.MutualExclusion, checker.Linearizable, checker.Progress, checker.TruthfulRelease},
		"permit-semaphore": {checker.MutualExclusion, checker.Linearizable, checker.Progress, checker.LeaseHonesty, checker.Overrun},
		"latch":            {checker.Linearizable, checker.Progress},
		"barrier":          {checker.Linearizable, checker.Progress},
		"segmented":        {checker.Linearizable, checker.Progress},
		"fair":             {checker.MutualExclusion, checker.FairOrder},
		"reentrant":        {checker.MutualExclusion, checker.Linearizable, checker.Progress, checker.NoLostUpdate},
	} {
		out := cells.Of(t, "contention", lock).Run(explore.Run{Tape: explore.Random(1, 1)})
		if out.Failure != nil {
			t.Fatal(lock, out.Failure.Reason, out.Failure.Stack)
		}
		holds := map[string]bool{}
		for _, v := range out.Verdicts {
			holds[v.Property] = v.Status == model.Holds
			if v.Status == model.NotApplicable && v.Sentence == "" {
				t.Errorf("%s: %s is not applicable, and nothing says why", lock, v.Property)
			}
		}
		for _, id := range judged {
			if !holds[id] {
				t.Errorf("%s: %s does not hold: %v", lock, id, out.Verdicts)
			}
		}
	}
}

// TestKindsTraces: a counterexample of each kind is written, read, described, drawn and
// repeated as any other.
func TestKindsTraces(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, e := range []struct{ scenario, lock, property string }{
		{"contention", "test-readwrite-blind", checker.MutualExclusion},
		{"contention", "test-semaphore-twostep", checker.MutualExclusion},
		{"contention", "test-stock-twostep", checker.Linearizable},
		{"failover-loss", "latch", checker.Linearizable},
		{"holder-crash", "semaphore", checker.Progress},
	} {
		t.Run(e.lock, func(t *testing.T) {
			c := cells.Of(t, e.scenario, e.lock)
			schedule := firstOf(t, c, 1, e.property)
			out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
			if len(out.Recording.History.Calls) == 0 {
				t.Fatal("nothing says what was asked of the object")
			}
			if again := c.Run(explore.Run{Tape: explore.NewReplay(out.Recording.Choices)}); again.Hash != out.Hash {
				t.Errorf("hash %x, and %x when it is repeated", out.Hash, again.Hash)
			}
			path := filepath.Join(t.TempDir(), "trace.json")
			if err := traces.WriteFile(path, c.Trace(1, schedule, e.property, out)); err != nil {
				t.Fatal(err)
			}
			tr, err := traces.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(tr.History.Calls, out.Recording.History.Calls) {
				t.Error("the calls were read otherwise than they were written")
			}
			var text strings.Builder
			if err := render.Explain(&text, tr, render.Style{}); err != nil || !strings.Contains(text.String(), e.property) {
				t.Errorf("%v: it is described as\n%s", err, text.String())
			}
			if err := render.Draw(io.Discard, tr); err != nil {
				t.Error(err)
			}
			tr.History.Calls[0].Call++
			if err := traces.WriteFile(path, tr); err == nil {
				if _, err := traces.ReadFile(path); err == nil {
					t.Error("a call that is not as its operation passes")
				}
			}
		})
	}
}

// TestChecks measures what it is good for to ask the store before each access, and
// what it costs: fewer updates are lost, and not none, for a pause may come after
// the look as well; and it takes a round trip more for each access.
func TestChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("1,500 schedules: fewer say little")
	}
	const n = 1500
	lost, calm := map[string]int{}, map[string]int64{}
	for _, checks := range []string{"0", "1"} {
		c := cells.Of(t, "gc-pause", "setpx", "checks", checks)
		err := cells.Worker(t, 1).Do(t.Context(), explore.Request{Cell: c.Encode(), Seed: 1, Count: n}, func(r explore.Result) bool {
			if r.Violates(checker.NoLostUpdate) {
				lost[checks]++
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		calm[checks] = c.Run(explore.Run{Tape: sim.Calm{}}).Events
	}
	for _, lock := range []string{"setpx-fenced", "pull", "reentrant", "watchdog", "fair"} {
		without, with := cells.Of(t, "gc-pause", lock), cells.Of(t, "gc-pause", lock, "checks", "1")
		if a, b := without.Run(explore.Run{Tape: sim.Calm{}}).Events, with.Run(explore.Run{Tape: sim.Calm{}}).Events; b <= a {
			t.Errorf("%s is not asked: a calm run has %d events without checks, %d with", lock, a, b)
		}
	}
	t.Logf("updates were lost in %d of %d schedules without checks, in %d with; a calm run has %d events without, %d with", lost["0"], n, lost["1"], calm["0"], calm["1"])
	if lost["1"] == 0 || lost["1"] >= lost["0"] {
		t.Errorf("lost in %d schedules, and in %d with checks", lost["0"], lost["1"])
	}
	if calm["1"] <= calm["0"] {
		t.Errorf("checks cost nothing: %d and %d events", calm["0"], calm["1"])
	}
}
