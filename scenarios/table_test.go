package scenarios_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// row is what random search must show of a lock in a scenario, and what it may.
// Every other property must never be violated.
type row struct {
	scenario, lock string
	must, may      []model.Violation
}

// table has what is expected of the locks that are measured, and of misbehaving
// ones, scenario by scenario.
var table = sync.OnceValue(rows)

// measured are the locks whose searches are measured, with what must be found of
// them; the others' are looked into by TestLibrary and by the command matrix.
var measured = []string{"setpx", "setpx-twostep", "setpx-fenced", "setpx-wait"}

func rows() (list []row) {
	for _, s := range scenarios.All() {
		for _, id := range measured {
			expected, err := expect.Expected(builtin.Families(), id)
			if err != nil {
				panic(err)
			}
			c, err := scenarios.Registry(builtin.Locks()).Cell(s.ID, id, nil)
			if err != nil {
				panic(err)
			}
			if c.Lacks() != "" {
				continue
			}
			e := expected.Under(s.ID)
			must := slices.DeleteFunc(slices.Clone(e.Must), weaker) // not judged by default
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
	{"holder-crash", "test-immortal", asFaults(checker.Progress), nil},
	{"holder-crash", "test-timestamped", nil, nil},
	{"clock-skew", "test-timestamped", asFaults(twoHolders...), anyClass(append(slices.Clip(twoHolders), checker.OwnerOnlyRelease, checker.TruthfulRelease, checker.TruthfulAcquire, checker.NoOrphan)...)},
	{"server-clock-jump", "test-timestamped", nil, nil},
	{"lost-reply", "test-immortal", asFaults(checker.Progress), asFaults(append(anybodysRelease, checker.NoOrphan)...)},
	{"late-reply", "test-immortal", asFaults(checker.Progress), anyClass(append(anybodysRelease, checker.NoOrphan)...)},
	{"late-request", "test-immortal", nil, anyClass(append(anybodysRelease, checker.Progress, checker.NoOrphan)...)},
	{"hung-node", "test-immortal", asFaults(checker.Progress), anyClass(append(anybodysRelease, checker.NoOrphan)...)},
	{"cancel", "test-lease-dead-context", nil, asFaults(checker.NoOrphan)},
	{"cancel", "test-lease-ignores-context", nil, asFaults(checker.PromptCancel, checker.NoOrphan)},
	{"watchdog-late", "test-watchdog-silent", asFaults(twoHolders...), anyClass(append(twoHolders, checker.TimelyLoss)...)},
	{"lost-wakeup", "test-lease-deaf", asFaults(checker.Progress), nil},
	{"lost-wakeup", "test-lease-deaf-sleeps", asFaults(checker.BoundedWakeup), nil},
}

// anybodysRelease is what a release may cost that does not look, in the step in
// which it removes the key, whose that is.
var anybodysRelease = slices.Clip([]string{checker.OwnerOnlyRelease, checker.TruthfulRelease, checker.TruthfulAcquire, checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate})

// twoHolders is what comes of two clients that hold the lock at once.
var twoHolders = []string{checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate}

// anyClass are violations of the properties as limits and as faults.
func anyClass(properties ...string) (list []model.Violation) {
	for _, p := range properties {
		list = append(list, model.Violation{Property: p, Limit: true}, model.Violation{Property: p})
	}
	return list
}

// faults and limits are violations of the properties as such.
func asFaults(properties ...string) []model.Violation { return ofClass(false, properties) }

func limits(properties ...string) []model.Violation { return ofClass(true, properties) }

func ofClass(limit bool, properties []string) (list []model.Violation) {
	for _, p := range properties {
		list = append(list, model.Violation{Property: p, Limit: limit})
	}
	return list
}

func weaker(v model.Violation) bool { return checker.Weak(v.Property) }

// onlyLimits is what sound locks may have.
func onlyLimits(v model.Violation) bool { return v.Limit }

// budget is how many schedules a search has.
const budget = 5000

// mostMedian is the most that the median schedule of a finding may be.
const mostMedian = 500

// TestMustBeFound searches for what must be found, with seeds 1 to 10, and
// compares the median schedules with the golden file.
func TestMustBeFound(t *testing.T) {
	seeds := cells.Seeds(10)
	lines := make([]string, len(table()))
	t.Run("cells", func(t *testing.T) {
		for i, row := range table() {
			if len(row.must) == 0 || testing.Short() && row.scenario == "lost-wakeup" || !cells.Sampled(row.scenario+"/"+row.lock, 3) {
				continue // TestLostWakeup has the latter
			}
			t.Run(row.scenario+"/"+row.lock, func(t *testing.T) {
				t.Parallel()
				c := cells.Of(t, row.scenario, row.lock)
				found := map[model.Violation][]int{}
				for seed := range uint64(seeds) {
					for v, schedule := range findAll(t, c, seed+1, row.must) {
						found[v] = append(found[v], schedule)
					}
				}
				for _, v := range row.must {
					slices.Sort(found[v])
					median := found[v][(len(found[v])-1)/2]
					if median > mostMedian {
						t.Errorf("%s: the median schedule is %d, more than %d: %v", v, median, mostMedian, found[v])
					}
					lines[i] += fmt.Sprintf("%-18s %-14s %-20s %4d\n", row.scenario, row.lock, v.Property, median)
				}
			})
		}
	})
	if !testing.Short() && !t.Failed() {
		figures(t, "testdata/median_schedules.golden", header()+strings.Join(lines, ""))
	}
}

// findAll searches until all violations have been found, and returns the first
// schedule of each. A fault will do for a limit of the same property.
func findAll(t *testing.T, c cell.Cell, seed uint64, all []model.Violation) map[model.Violation]int {
	t.Helper()
	found := map[model.Violation]int{}
	err := cells.Worker(t, 1).Do(t.Context(), explore.Request{Cell: c.Encode(), Seed: seed, Count: budget}, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("seed %d, schedule %d: %s\n%s", seed, r.Schedule, r.Trouble.Reason, r.Trouble.Stack)
		}
		for _, v := range all {
			if _, known := found[v]; !known && v.Shown(r.Violated) {
				found[v] = r.Schedule
			}
		}
		return len(found) < len(all)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if _, ok := found[v]; !ok {
			t.Fatalf("seed %d: %s was not found in %d schedules", seed, v, budget)
		}
	}
	return found
}

// firstOf is the first schedule that violates the property, as a fault or as a
// limit.
func firstOf(t *testing.T, c cell.Cell, seed uint64, property string) int {
	t.Helper()
	return findAll(t, c, seed, limits(property))[limits(property)[0]]
}

// TestNeverViolated searches the whole budget for what must not be there.
func TestNeverViolated(t *testing.T) {
	seeds, schedules := 1, budget/5
	switch {
	case cells.Long():
		seeds, schedules = 10, budget
	case testing.Short():
		seeds, schedules = 1, 30
	}
	for _, row := range table() {
		schedules := schedules
		if row.scenario == "storm" && !cells.Long() {
			schedules = min(schedules, 200) // TestSoundLeases and the matrix take more
		}
		if !cells.Sampled(row.scenario+"/"+row.lock, 6) {
			continue
		}
		t.Run(row.scenario+"/"+row.lock, func(t *testing.T) {
			t.Parallel()
			c := cells.Of(t, row.scenario, row.lock)
			allowed := append(slices.Clone(row.must), row.may...)
			for seed := range uint64(seeds) {
				searchNever(t, c, seed+1, schedules, func(v model.Violation) bool { return slices.Contains(allowed, v) })
			}
		})
	}
}

// searchNever runs so many schedules, or ten times as many if what the scenario
// is about has not happened by then.
func searchNever(t *testing.T, c cell.Cell, seed uint64, schedules int, allowed func(model.Violation) bool) {
	t.Helper()
	happened := make([]int, len(c.Scenario.Happenings))
	err := cells.Worker(t, 1).Do(t.Context(), explore.Request{Cell: c.Encode(), Seed: seed, Count: 10 * schedules}, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("seed %d, schedule %d: %s\n%s", seed, r.Schedule, r.Trouble.Reason, r.Trouble.Stack)
		}
		if len(r.Undecided) > 0 {
			t.Errorf("seed %d, schedule %d: %v could not be decided", seed, r.Schedule, r.Undecided)
		}
		for _, v := range r.Violated {
			if !allowed(v) {
				t.Errorf("seed %d, schedule %d: %s is violated, which must never be", seed, r.Schedule, v.Words())
			}
		}
		// A token that repeats is the only way round the fence.
		fenced := c.Lock.ID == "setpx-fenced" && r.Violates(checker.NoLostUpdate)
		if fenced && !r.Violates(checker.Fencing) {
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
	other := cells.GoRedis() != cells.OldestGoRedis && slices.Max(happened) > 0
	for i, n := range happened {
		if n == 0 && !other {
			t.Errorf("seed %d: vacuous: it never happened that %s", seed, c.Scenario.Happenings[i].Name)
		}
	}
}

// header says what the figures depend on.
func header() string {
	return fmt.Sprintf("# the median schedule, of seeds 1 to 10, in which random search finds each violation; go-redis %s\n", cells.GoRedis())
}

// figures compares with a golden file. Figures that were made with another go-redis are not
// comparable.
func figures(t *testing.T, path, got string) {
	t.Helper()
	if want, err := os.ReadFile(path); err == nil && !*golden.Update && !strings.HasPrefix(string(want), header()) {
		t.Logf("%s was made with another go-redis than %s: not compared", path, cells.GoRedis())
		return
	}
	golden.File(t, path, got)
}
