// Package cells is shared by tests of searches: cells of all locks of Lockpick and of those that misbehave on purpose, and
// the test binary as their worker.
package cells

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/testlocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

const (
	// workerMark makes the test binary a worker.
	workerMark = "LOCKPICK_TEST_WORKER"
	// BothClasses makes such a worker itself decide which violations are limits.
	BothClasses = "LOCKPICK_TEST_CLASSES"
)

// Main is for the TestMain of a package whose tests call [Worker]: the test binary also serves as
// a worker. After the tests it calls the given functions.
func Main(m *testing.M, after ...func()) {
	if os.Getenv(workerMark) == "" {
		code := m.Run()
		kept.Close()
		for _, f := range after {
			f()
		}
		os.Exit(code)
	}
	resolve := scenarios.Registry(Locks()).Resolve
	if os.Getenv(BothClasses) != "" {
		resolve = testlocks.BothClasses(resolve)
	}
	if err := explore.ServeStdio(resolve); err != nil {
		fmt.Fprintln(os.Stderr, "simrun:", err)
		os.Exit(1)
	}
}

// Locks returns Lockpick's locks over the first store, and those that misbehave.
func Locks() []cell.Lock { return append(builtin.Locks(), testlocks.All()...) }

// kept are the idle workers of [Worker]: starting one takes as long as dozens of runs.
var kept explore.Kept

// Worker returns the test binary as a worker, at a GOMAXPROCS. Tests share its processes.
func Worker(t testing.TB, procs int) explore.Worker {
	t.Helper()
	w, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	w.Env, w.Procs, w.Kept = []string{workerMark + "=1"}, procs, &kept
	return w
}

// Of finds a cell; settings are parameters, alternating names and values.
func Of(t testing.TB, scenario, lock string, settings ...string) cell.Cell {
	t.Helper()
	c, err := scenarios.Registry(Locks()).Cell(scenario, lock, nil)
	for i := 0; i+1 < len(settings) && err == nil; i += 2 {
		err = c.Set(settings[i], settings[i+1])
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Long reports whether the full searches are requested.
func Long() bool { return os.Getenv("LOCKPICK_LONG") != "" }

// Sampled reports whether a subtest is run: with -short it is one of n, chosen by its name.
func Sampled(name string, n uint32) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return !testing.Short() || h.Sum32()%n == 0
}

// Seeds returns n, the number of seeds of a search, or 1 with -short.
func Seeds(n int) int {
	if testing.Short() {
		return 1
	}
	return n
}

// GoRedis returns the version of go-redis in use.
func GoRedis() string { return cell.Versions(redis.Store)["go-redis"] }

// OldestGoRedis is the version in go.mod, with which pictures and golden files are made.
const OldestGoRedis = "v9.0.5"

// WithOldestGoRedis skips a test unless go-redis has the version in go.mod. It is for tests of files that were made with
// that version and differ with others.
func WithOldestGoRedis(t *testing.T, what string) {
	t.Helper()
	if GoRedis() != OldestGoRedis {
		t.Skipf("%s: made with go-redis %s, and this is %s", what, OldestGoRedis, GoRedis())
	}
}

// RaceEnabled reports whether the race detector is on, which makes everything slow.
func RaceEnabled() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
