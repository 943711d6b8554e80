package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// row is what random search must show of a lock in a scenario, and what it may.
// Every other property must never be violated.
type row struct {
	scenario, lock string
	must, may      []string
}

// table has what is expected of the locks that are measured, and of misbehaving
// ones, scenario by scenario.
var table = rows()

// measured are the locks whose searches are measured, with what must be found of
// them; the others' are looked into by TestLibrary and by the command matrix.
var measured = []string{"setpx", "setpx-twostep", "setpx-fenced", "setpx-wait"}

func rows() (list []row) {
	for _, s := range scenarios.All() {
		for _, id := range measured {
			expected, err := scenarios.Expected(scenarios.Families(), id)
			if err != nil {
				panic(err)
			}
			e := expected.Under(s.ID)
			must := slices.DeleteFunc(slices.Clone(e.Must), scenarios.Weaker) // not judged by default
			list = append(list, row{s.ID, id, must, e.May})
		}
		for _, r := range misbehaving {
			if r.scenario == s.ID {
				list = append(list, r)
			}
		}
	}
	return list
}

// misbehaving are the locks that are for tests only.
var misbehaving = []row{
	{"contention", "test-timestamped", nil, nil},
	{"contention", "test-immortal", nil, nil},
	{"holder-crash", "test-immortal", []string{checker.Progress}, nil},
	{"holder-crash", "test-timestamped", nil, nil},
	{"clock-skew", "test-timestamped", twoHolders, []string{checker.OwnerOnlyRelease, checker.TruthfulRelease, checker.NoOrphan}},
	{"server-clock-jump", "test-timestamped", nil, nil},
	{"lost-reply", "test-immortal", []string{checker.Progress}, append([]string{checker.NoOrphan}, anybodysRelease...)},
	{"late-reply", "test-immortal", []string{checker.Progress}, append([]string{checker.NoOrphan}, anybodysRelease...)},
	{"late-request", "test-immortal", nil, append([]string{checker.Progress, checker.NoOrphan}, anybodysRelease...)},
	{"hung-node", "test-immortal", []string{checker.Progress}, append([]string{checker.NoOrphan}, anybodysRelease...)},
	{"cancel", "test-lease-dead-context", nil, []string{checker.NoOrphan}},
	{"cancel", "test-lease-ignores-context", nil, []string{checker.PromptCancel, checker.NoOrphan}},
	{"watchdog-late", "test-watchdog-silent", twoHolders, nil},
	{"lost-wakeup", "test-lease-deaf", []string{checker.Progress}, nil},
	{"lost-wakeup", "test-lease-deaf-sleeps", []string{checker.BoundedWakeup}, nil},
}

// anybodysRelease is what a release may cost that does not look, in the step in
// which it removes the key, whose that is.
var anybodysRelease = []string{checker.OwnerOnlyRelease, checker.TruthfulRelease, checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate}

// twoHolders is what comes of two clients that hold the lock at once.
var twoHolders = []string{checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate}

// budget is how many schedules a search has.
const budget = 5000

// mostMedian is the most that the median schedule of a finding may be.
const mostMedian = 500

// TestMustBeFound searches for what must be found, with seeds 1 to 10, and
// compares the median schedules with the golden file.
func TestMustBeFound(t *testing.T) {
	seeds := 10
	if testing.Short() {
		seeds = 3
	}
	lines := make([]string, len(table))
	t.Run("cells", func(t *testing.T) {
		for i, row := range table {
			if len(row.must) == 0 {
				continue
			}
			t.Run(row.scenario+"/"+row.lock, func(t *testing.T) {
				t.Parallel()
				c := cell(t, row.scenario, row.lock)
				found := map[string][]int{}
				for seed := range uint64(seeds) {
					for p, schedule := range findAll(t, c, seed+1, row.must) {
						found[p] = append(found[p], schedule)
					}
				}
				for _, p := range row.must {
					slices.Sort(found[p])
					median := found[p][(len(found[p])-1)/2]
					if median > mostMedian {
						t.Errorf("%s: the median schedule is %d, more than %d: %v", p, median, mostMedian, found[p])
					}
					lines[i] += fmt.Sprintf("%-18s %-14s %-20s %4d\n", row.scenario, row.lock, p, median)
				}
			})
		}
	})
	if !testing.Short() && !t.Failed() {
		golden(t, "median_schedules.golden", header()+strings.Join(lines, ""))
	}
}

// findAll searches until every property has been violated, and returns the
// first schedule of each.
func findAll(t *testing.T, c scenarios.Cell, seed uint64, properties []string) map[string]int {
	t.Helper()
	found := map[string]int{}
	err := worker(t, 1).Do(t.Context(), explore.Request{Cell: c.Encode(), Seed: seed, Count: budget}, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("seed %d, schedule %d: %s\n%s", seed, r.Schedule, r.Trouble.Reason, r.Trouble.Stack)
		}
		for _, p := range r.Violated {
			if _, known := found[p]; !known && slices.Contains(properties, p) {
				found[p] = r.Schedule
			}
		}
		return len(found) < len(properties)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range properties {
		if _, ok := found[p]; !ok {
			t.Fatalf("seed %d: %s was not found in %d schedules", seed, p, budget)
		}
	}
	return found
}

// TestNeverViolated searches the whole budget for what must not be there.
func TestNeverViolated(t *testing.T) {
	seeds, schedules := 1, budget/5
	switch {
	case long():
		seeds, schedules = 10, budget
	case testing.Short():
		seeds, schedules = 1, 200
	}
	for _, row := range table {
		schedules := schedules
		if row.scenario == "storm" && !long() {
			schedules = min(schedules, 200) // TestSoundLeases and the matrix take more
		}
		t.Run(row.scenario+"/"+row.lock, func(t *testing.T) {
			t.Parallel()
			c := cell(t, row.scenario, row.lock)
			allowed := append(slices.Clone(row.must), row.may...)
			for seed := range uint64(seeds) {
				searchNever(t, c, seed+1, schedules, allowed)
			}
		})
	}
}

// searchNever runs so many schedules, or ten times as many if what the scenario
// is about has not happened by then.
func searchNever(t *testing.T, c scenarios.Cell, seed uint64, schedules int, allowed []string) {
	t.Helper()
	happened := make([]int, len(c.Scenario.Happenings))
	err := worker(t, 1).Do(t.Context(), explore.Request{Cell: c.Encode(), Seed: seed, Count: 10 * schedules}, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("seed %d, schedule %d: %s\n%s", seed, r.Schedule, r.Trouble.Reason, r.Trouble.Stack)
		}
		if len(r.Undecided) > 0 {
			t.Errorf("seed %d, schedule %d: %v could not be decided", seed, r.Schedule, r.Undecided)
		}
		for _, p := range r.Violated {
			if !slices.Contains(allowed, p) {
				t.Errorf("seed %d, schedule %d: %s is violated, which must never be", seed, r.Schedule, p)
			}
		}
		// A token that repeats is the only way round the fence.
		fenced := c.Lock.ID == "setpx-fenced" && slices.Contains(r.Violated, checker.NoLostUpdate)
		if fenced && !slices.Contains(r.Violated, checker.Fencing) {
			t.Errorf("seed %d, schedule %d: an update was lost though no token repeated", seed, r.Schedule)
		}
		for i := range happened {
			happened[i] += int(r.Happened >> i & 1)
		}
		return !t.Failed() && (r.Schedule+1 < schedules || slices.Contains(happened, 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Failed() {
		return // it stopped early
	}
	// What hangs is asked for again in other ways by other versions, and with
	// setpx-wait on the newest nothing of it takes effect too late.
	other := scenarios.Versions().GoRedis != oldestGoRedis && slices.Max(happened) > 0
	for i, n := range happened {
		if n == 0 && !other {
			t.Errorf("seed %d: vacuous: it never happened that %s", seed, c.Scenario.Happenings[i].Name)
		}
	}
}

// header says what the figures depend on.
func header() string {
	return fmt.Sprintf("# the median schedule, of seeds 1 to 10, in which random search finds each violation; go-redis %s\n", scenarios.Versions().GoRedis)
}

// golden compares with a golden file, or rewrites it. Figures that were made
// with another go-redis are not comparable.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(want), header()) {
		t.Logf("%s was made with another go-redis than %s: not compared", path, scenarios.Versions().GoRedis)
		return
	}
	if got != string(want) {
		t.Errorf("%s differs; if that is meant to be, run with -update\ngot:\n%swant:\n%s", path, got, want)
	}
}
