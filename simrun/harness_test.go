package simrun

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/testlocks"
	"github.com/lockpick-dev/lockpick/internal/test/teststore"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

// mark makes this test binary simrun itself, with the misbehaving locks.
const mark = "LOCKPICK_TEST_SIMRUN"

// classesMark makes it a worker that decides by itself what is a limit.
const classesMark = "LOCKPICK_TEST_CLASSES"

// addedMark makes it one that knows a property of a test: see addedProperty.
const addedMark = "LOCKPICK_TEST_ADDED"

// addedProperty is a property besides the checker's own, which a test sets.
var addedProperty checker.Property

// scenariosMark makes it one that knows a scenario of a test: see napping.
const scenariosMark = "LOCKPICK_TEST_SCENARIOS"

// storesMark makes it one that knows locks of another store as well.
const storesMark = "LOCKPICK_TEST_STORES"

func TestMain(m *testing.M) {
	if os.Getenv(mark) == "" {
		code := m.Run()
		kept.Close()
		os.Exit(code)
	}
	if os.Getenv(classesMark) != "" {
		if err := explore.ServeStdio(testlocks.BothClasses(scenarios.Registry(allLocks()).Resolve)); err != nil {
			fmt.Fprintln(os.Stderr, "simrun:", err)
			os.Exit(1)
		}
		return
	}
	worker, err := explore.Self("worker")
	if err != nil {
		panic(err)
	}
	a := &app{name: "simrun", out: os.Stdout, err: os.Stderr, locks: allLocks(), families: families(), worker: worker}
	if os.Getenv(addedMark) != "" {
		Properties(addedProperty)(a)
	}
	if os.Getenv(scenariosMark) != "" {
		Scenarios(napping)(a)
	}
	os.Exit(a.main(context.Background(), os.Args[1:]))
}

// locks are those that come with Lockpick, and families what is expected of them.
func locks() []cell.Lock {
	return builtin.Locks()
}

func families() []expect.Family {
	return builtin.Families()
}

func allLocks() []cell.Lock {
	locks := append(locks(), testlocks.All()...)
	if os.Getenv(storesMark) != "" {
		locks = append(locks, teststore.Locks()...)
	}
	return locks
}

// kept are the workers of simrun that wait: to start one takes as long as dozens of runs.
var kept explore.Kept

// simrun runs one command in memory, with workers that are this binary. Commands share their processes, but
// for those to which a test gives a port.
func simrun(t testing.TB, args ...string) (code int, out, errs string) {
	t.Helper()
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	worker.Env, worker.Kept = []string{mark + "=1", testlocks.Port + "=" + os.Getenv(testlocks.Port)}, &kept
	var stdout, stderr bytes.Buffer
	a := &app{name: "simrun", out: &stdout, err: &stderr, locks: allLocks(), families: families(), worker: worker}
	code = a.main(t.Context(), args)
	return code, stdout.String(), stderr.String()
}

// find returns the path of a copy of a trace of the property, which a search has found.
func find(t testing.TB, scenario, lock, property string) string {
	t.Helper()
	found := searched(t, scenario, lock)
	for _, class := range []string{"", "_limit"} {
		name := scenario + "_" + lock + "_" + property + class + ".json"
		if trace, ok := found[name]; ok {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, trace, 0o666); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	t.Fatalf("no trace of %s among %q", property, slices.Sorted(maps.Keys(found)))
	return ""
}

var (
	searchedMutex sync.Mutex
	searchedCells = map[string]map[string][]byte{}
)

// searched are the traces of a search, by their names. Each cell is searched once.
func searched(t testing.TB, scenario, lock string) map[string][]byte {
	t.Helper()
	searchedMutex.Lock()
	defer searchedMutex.Unlock()
	if found := searchedCells[scenario+"/"+lock]; found != nil {
		return found
	}
	dir := t.TempDir()
	code, out, errs := simrun(t, "run", scenario, "--lock", lock, "--runs", "500", "--no-shrink", "--out", dir)
	if code != exitViolation {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	found := map[string][]byte{}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, path := range paths {
		trace, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(path)] = trace
	}
	searchedCells[scenario+"/"+lock] = found
	return found
}
