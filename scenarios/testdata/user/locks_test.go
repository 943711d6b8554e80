package user

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// sound is a lock without a fault.
func sound(c *scenarios.Client) lock.Locker {
	rdb := redis.NewClient(c.Redis())
	c.Cleanup(func() { _ = rdb.Close() })
	return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}

// few are the properties that most of these tests are about. Naive violates more.
var few = scenarios.Properties("mutual-exclusion", "owner-only-release")

func TestNaive(t *testing.T) {
	scenarios.Check(t, Naive, scenarios.Only("contention", "gc-pause"), few)
}

func TestSound(t *testing.T) { scenarios.Check(t, sound, scenarios.Only("contention", "gc-pause")) }

func TestStrict(t *testing.T) {
	scenarios.Check(t, sound, scenarios.Only("gc-pause"), scenarios.Strict(), scenarios.Properties("mutual-exclusion"))
}

func TestExpect(t *testing.T) {
	scenarios.Check(t, Naive, scenarios.Only("gc-pause"), scenarios.Properties("owner-only-release"), scenarios.Expect("gc-pause", "owner-only-release"))
}

// TestExpectInVain searches for longer than others do with -short.
func TestExpectInVain(t *testing.T) {
	scenarios.Check(t, sound, scenarios.Only("gc-pause"), scenarios.Runs(scenarios.ShortRuns+100), scenarios.Expect("gc-pause", "owner-only-release"))
}

func TestBound(t *testing.T) {
	scenarios.Check(t, sound, scenarios.Only("contention"), scenarios.Bound(1), scenarios.Clients(2))
}

// TestRenews: a lease of which no renewal is ever due is not used for long.
func TestRenews(t *testing.T) {
	scenarios.Check(t, func(c *scenarios.Client) lock.Locker {
		rdb := redis.NewClient(c.Redis())
		c.Cleanup(func() { _ = rdb.Close() })
		o := redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
		return redislocks.NewWatchdog(rdb, c.LockName(), redislocks.WatchdogOptions{Options: o})
	}, scenarios.Only("watchdog-late"), scenarios.Renews(), scenarios.Expect("watchdog-late", "overrun"))
}

func TestMistakes(t *testing.T) {
	scenarios.Check(t, sound, scenarios.Only("gc-pase"), scenarios.Runs(0), scenarios.Clients(99),
		scenarios.Properties("mutual"), scenarios.Bound(-1))
}

func TestNested(t *testing.T) {
	t.Run("it's (one) level/down", func(t *testing.T) {
		scenarios.Check(t, sound, scenarios.Only("gc-pause"), scenarios.Runs(100))
		scenarios.Check(t, Naive, scenarios.Only("gc-pause"), few)
	})
}

func TestExplore(t *testing.T) {
	r := scenarios.Explore(t, Naive, scenarios.Only("gc-pause"), scenarios.Seed(7))
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Trace.Events, f.Trace.Tape = f.Trace.Events[:1], nil // the rest would be long
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
}

func TestTimestamp(t *testing.T) {
	r := scenarios.Explore(t, Timestamp, scenarios.Only("contention"), scenarios.Runs(4))
	_ = json.NewEncoder(os.Stdout).Encode(r.Warnings)
}

func TestAstray(t *testing.T) {
	if os.Getenv(scenarios.WorkerVariable) != "" {
		t.Skip("nothing to do in a worker")
	}
	scenarios.Check(t, sound)
}

func TestNoisy(t *testing.T) {
	_, _ = os.Stdout.WriteString("{\"ready\":false}\nwhat a test prints\n")
	scenarios.Check(t, sound, scenarios.Only("contention"))
}

func TestMisbehaving(t *testing.T) {
	for name, newLock := range map[string]scenarios.NewLock{
		"panics": Panics, "panics-aside": PanicsAside, "spins": Spins, "never-returns": NeverReturns, "leaks": Leaks,
		"stalls": Stalls, "random": Random, "outside": Outside, "real-clock": RealClock, "waits-outside": WaitsOutside,
		"by-name": ByName, "nowhere": Nowhere, "nil": Nil, "no-lease": NoLease,
	} {
		t.Run(name, func(t *testing.T) {
			if name == "real-clock" {
				startClock()
			}
			scenarios.Check(t, newLock, scenarios.Only("contention", "gc-pause"))
		})
	}
}

func TestLeftOut(t *testing.T) {
	scenarios.Check(t, Naive, scenarios.Only("gc-pause"), scenarios.Properties("progress"))
}
