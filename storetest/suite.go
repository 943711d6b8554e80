package storetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// A Suite is locks that are run in one scenario, whose parameters usually have more faults than the scenario's.
type Suite struct {
	Locks    []cell.Lock
	Scenario string
	// Params are parameters that replace the scenario's, each a name and a value, such as
	// {"resets", "4"}.
	Params [][2]string
}

// Election are parameters for the scenario election, whose servers elect a leader. In one run connections break;
// clients stop, are cut off and cancel calls; leaders crash, hang and are separated from the others, which elect
// another; and messages are late or lost.
var Election = [][2]string{
	{"resets", "4"}, {"pauses", "2"}, {"cut-offs", "1"}, {"failovers", "1"}, {"hangs", "1"}, {"partitions", "1"},
	{"lost-replies", "1"}, {"late-replies", "1"}, {"late-requests", "1"}, {"lags", "2"}, {"cancels", "4"},
}

// ElectionOfThreads is [Election] for clients of two threads, which crash as well, and servers that restart.
var ElectionOfThreads = slices.Concat(Election, [][2]string{{"threads", "2"}, {"rounds", "1"}, {"crashes", "1"}, {"restarts", "1"}})

// Main runs the package's tests, and exits. Call it in TestMain: the test binary is its own worker.
func (s Suite) Main(m *testing.M) { serve(m, s.Locks) }

// Test runs [Schedules] of each lock twice, the second time in another process, in the opposite order and with
// another GOMAXPROCS. The test fails if two runs of a schedule differ, or if a fault of the suite never strikes.
func (s Suite) Test(t *testing.T) {
	seeds := Schedules()
	s.each(t, func(t *testing.T, c cell.Cell) {
		strikes(t, c)
		path, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, c, path, path, seeds)
	})
}

// TestRaceBuild compares runs of this binary with those of one that has the race detector ([RaceBuild]).
func (s Suite) TestRaceBuild(t *testing.T) { s.TestBuild(t, RaceBuild(t)) }

// TestBuild compares runs of this binary with those of another one of the package's tests.
func (s Suite) TestBuild(t *testing.T, other string) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seeds := Schedules()
	s.each(t, func(t *testing.T, c cell.Cell) { compare(t, c, path, other, seeds) })
}

// RaceBuild builds the tests of the package with the race detector, which schedules goroutines
// differently, and returns the path of the binary. It needs a C compiler, and skips the test unless
// LOCKPICK_LONG is set. LOCKPICK_BUILD has flags of go build in place of -race, such as
// -tags=unreadable for a build that reads nothing of the Go runtime (sim/internal/goruntime).
func RaceBuild(t *testing.T) string {
	t.Helper()
	if os.Getenv(long) == "" {
		t.Skip("it builds a binary and is slow: set LOCKPICK_LONG, to a number of schedules or to 1 for 1,000")
	}
	race := filepath.Join(t.TempDir(), "race.test")
	flags := []string{"-race"}
	if others := os.Getenv("LOCKPICK_BUILD"); others != "" {
		flags = strings.Fields(others)
	}
	build := exec.Command("go", slices.Concat([]string{"test", "-c", "-o", race}, flags, []string{"."})...)
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return race
}

// long names the variable that asks for long tests.
const long = "LOCKPICK_LONG"

// Schedules returns the number of schedules that a [Suite] compares for each lock: 60, 4 with -short, and 1,000 if
// LOCKPICK_LONG is set, or its value if that is a number above 1.
func Schedules() int {
	switch n, err := strconv.Atoi(os.Getenv(long)); {
	case err == nil && n > 1:
		return n
	case os.Getenv(long) != "":
		return 1000
	case testing.Short():
		return 4
	}
	return 60
}

// each calls f with the cell of each lock, in a subtest.
func (s Suite) each(t *testing.T, f func(t *testing.T, c cell.Cell)) {
	for _, l := range s.Locks {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			c, err := s.cell(l.ID)
			if err != nil {
				t.Fatal(err)
			}
			f(t, c)
		})
	}
}

// cell returns the cell of a lock.
func (s Suite) cell(lock string) (cell.Cell, error) {
	c, err := scenarios.Registry(s.Locks).Cell(s.Scenario, lock, nil)
	for _, p := range s.Params {
		if err == nil {
			err = c.Set(p[0], p[1])
		}
	}
	return c, err
}

// compare compares schedules in two binaries.
func compare(t *testing.T, c cell.Cell, one, other string, seeds int) {
	t.Helper()
	worker := func(binary string, procs int) explore.Worker {
		return explore.Worker{Command: []string{binary}, Env: []string{workerMark + "=1"}, Procs: procs}
	}
	differ, err := explore.Compare(t.Context(), worker(one, 1), worker(other, 2), c.Encode(), 1, seeds)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differ {
		t.Errorf("schedule %d: %s", d.Schedule, d.What)
	}
	t.Logf("%d schedules", seeds)
}

// strikes fails the test unless every fault of the cell strikes in some of its schedules.
func strikes(t *testing.T, c cell.Cell) {
	t.Helper()
	const most = 60
	struck := map[sim.Kind]bool{}
	var never []string
	for n := range most {
		run := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		if run.Failure != nil {
			t.Fatalf("schedule %d: %s\n%s", n, run.Failure.Reason, run.Failure.Stack)
		}
		for _, choice := range run.Recording.Choices {
			struck[choice.Kind] = struck[choice.Kind] || choice.Option != 0
		}
		never = nil
		for _, a := range c.Params.Faults {
			if !slices.ContainsFunc(a.Fault.Kinds, func(k sim.Kind) bool { return struck[k] }) {
				never = append(never, a.Fault.Name)
			}
		}
		if never == nil {
			return
		}
	}
	t.Errorf("vacuous: none of these strikes in %d schedules: %s", most, strings.Join(never, ", "))
}
