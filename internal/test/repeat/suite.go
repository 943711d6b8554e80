package repeat

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

// A Suite is the locks of a store under one scenario with more faults than it has.
type Suite struct {
	Locks    []cell.Lock
	Scenario string
	// Params are parameters that differ from the scenario's, by name, such as
	// {"resets", "4"}.
	Params [][2]string
}

// Election are parameters for the scenario election, with which everything goes wrong in one run
// over servers that elect a leader: connections break, clients stop, are cut off and give calls up,
// leaders crash, hang and are parted from the others, which elect another, and messages are late or
// lost.
var Election = [][2]string{
	{"resets", "4"}, {"pauses", "2"}, {"cut-offs", "1"}, {"failovers", "1"}, {"hangs", "1"}, {"partitions", "1"},
	{"lost-replies", "1"}, {"late-replies", "1"}, {"late-requests", "1"}, {"lags", "2"}, {"cancels", "4"},
}

// ElectionOfThreads are the same for clients of two threads each, which crash as well, and servers
// that restart.
var ElectionOfThreads = slices.Concat(Election, [][2]string{{"threads", "2"}, {"rounds", "1"}, {"crashes", "1"}, {"restarts", "1"}})

// Main is for the TestMain of the package: the test binary also serves as a worker.
func (s Suite) Main(m *testing.M) { serve(m, s.Locks) }

// Test runs schedules of each lock twice: the second time in another process, in the
// opposite order, at another GOMAXPROCS. None may differ, and each fault has to strike. It
// runs as many as [Schedules] says.
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

// TestRaceBuild does so with a binary that has the race detector ([RaceBuild]).
func (s Suite) TestRaceBuild(t *testing.T) { s.TestBuild(t, RaceBuild(t)) }

// TestBuild does so with another binary of the package's tests.
func (s Suite) TestBuild(t *testing.T, other string) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seeds := Schedules()
	s.each(t, func(t *testing.T, c cell.Cell) { compare(t, c, path, other, seeds) })
}

// RaceBuild builds the tests of the package with the race detector, which schedules goroutines
// otherwise, and returns the path of the binary. For that a C compiler is needed. It skips the
// test unless LOCKPICK_LONG is set. LOCKPICK_BUILD has other flags of go build than -race, such as
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

// Schedules is how many are compared: 60, 12 with -short, and 1,000 if LOCKPICK_LONG is set, or as
// many as it says.
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

// each calls f for each lock.
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

// cell is the one of a lock.
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
