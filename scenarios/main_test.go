package scenarios_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/testlocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/redis"
	"github.com/lockpick-dev/lockpick/scenarios/redis/builtin"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// workerMark makes this test binary a worker.
const workerMark = "LOCKPICK_TEST_WORKER"

// classesMark makes such a worker decide by itself what is a limit.
const classesMark = "LOCKPICK_TEST_CLASSES"

func TestMain(m *testing.M) {
	if os.Getenv(workerMark) == "" {
		code := m.Run()
		if userDir != "" {
			_ = os.RemoveAll(userDir) // it is in a directory for what may be lost
		}
		os.Exit(code)
	}
	resolve := scenarios.Resolver(allLocks())
	if os.Getenv(classesMark) != "" {
		resolve = testlocks.BothClasses(resolve)
	}
	if err := explore.ServeStdio(resolve); err != nil {
		fmt.Fprintln(os.Stderr, "simrun:", err)
		os.Exit(1)
	}
}

func allLocks() []scenarios.Lock { return append(builtin.Locks(), testlocks.All()...) }

// worker is this test binary as a worker.
func worker(t testing.TB, procs int) explore.Worker {
	t.Helper()
	w, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	w.Env, w.Procs = []string{workerMark + "=1"}, procs
	return w
}

// cell finds a cell; settings are parameters, name and value in turn.
func cell(t testing.TB, scenario, lock string, settings ...string) scenarios.Cell {
	t.Helper()
	c, err := scenarios.NewCell(scenario, lock, nil, allLocks())
	for i := 0; i+1 < len(settings) && err == nil; i += 2 {
		err = c.Set(settings[i], settings[i+1])
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// long reports whether the full searches were asked for.
func long() bool { return os.Getenv("LOCKPICK_LONG") != "" }

// sampled reports whether a subtest is run: with -short it is one of n, by its name.
func sampled(name string, n uint32) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return !testing.Short() || h.Sum32()%n == 0
}

// seeds is with how many seeds a search is done of which so many are wanted: with
// -short it is one.
func seeds(n int) int {
	if testing.Short() {
		return 1
	}
	return n
}

// goRedis is the version of go-redis at hand.
func goRedis() string { return scenarios.Versions(redis.Store)["go-redis"] }
