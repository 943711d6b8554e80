package user

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// sound is a lock without a fault.
func sound(c *locktest.Client) lock.Locker {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}

// few are the properties that most of these tests are about. Naive violates more.
var few = locktest.Properties("mutual-exclusion", "owner-only-release")

func TestNaive(t *testing.T) {
	locktest.Check(t, Naive, locktest.On(redisstore.Store), locktest.Only("contention", "gc-pause"), few)
}

func TestTalks(t *testing.T) {
	locktest.Check(t, Talks(t), locktest.On(redisstore.Store), locktest.Only("gc-pause"), few)
}

// TestParallel has two calls that search at the same time.
func TestParallel(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			locktest.Check(t, Naive, locktest.On(redisstore.Store), locktest.Only("contention", "gc-pause"), few)
		})
	}
}

func TestSound(t *testing.T) {
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.Only("contention", "gc-pause"))
}

func TestStrict(t *testing.T) {
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Strict(), locktest.Properties("mutual-exclusion"))
}

func TestExpect(t *testing.T) {
	locktest.Check(t, Naive, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Properties("owner-only-release"), locktest.Expect("gc-pause", "owner-only-release"))
}

// TestExpectInVain searches for longer than others do with -short.
func TestExpectInVain(t *testing.T) {
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Runs(locktest.ShortRuns+100), locktest.Expect("gc-pause", "owner-only-release"))
}

func TestBound(t *testing.T) {
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.Only("contention"), locktest.Bound(1), locktest.Clients(2))
}

// TestRenews: a lease of which no renewal is ever due is not used for long.
func TestRenews(t *testing.T) {
	locktest.Check(t, func(c *locktest.Client) lock.Locker {
		rdb := redis.NewClient(redisstore.Options(c))
		c.Cleanup(func() { _ = rdb.Close() })
		o := redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
		return redislocks.NewWatchdog(rdb, c.LockName(), redislocks.WatchdogOptions{Options: o})
	}, locktest.On(redisstore.Store), locktest.Only("watchdog-late"), locktest.Renews(), locktest.Expect("watchdog-late", "overrun"))
}

func TestMistakes(t *testing.T) {
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.Only("gc-pase"), locktest.Runs(0), locktest.Clients(99),
		locktest.Properties("mutual"), locktest.Bound(-1))
}

func TestNested(t *testing.T) {
	t.Run("it's (one) level/down", func(t *testing.T) {
		locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Runs(100))
		locktest.Check(t, Naive, locktest.On(redisstore.Store), locktest.Only("gc-pause"), few)
	})
}

func TestExplore(t *testing.T) {
	r := locktest.Explore(t, Naive, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Seed(7))
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Trace.Events, f.Trace.Tape = f.Trace.Events[:1], nil // the rest would be long
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
}

// TestExploreCut searches until go test's time-out is near.
func TestExploreCut(t *testing.T) {
	r := locktest.Explore(t, sound, locktest.On(redisstore.Store), locktest.Only("contention", "gc-pause"))
	for _, one := range r.Results {
		t.Logf("%s: cut %v, some schedules %v", one.Scenario, one.Cut, one.Schedules > 0)
	}
}

func TestTimestamp(t *testing.T) {
	r := locktest.Explore(t, Timestamp, locktest.On(redisstore.Store), locktest.Only("contention"), locktest.Runs(4))
	_ = json.NewEncoder(os.Stdout).Encode(r.NotSearched)
}

func TestAstray(t *testing.T) {
	if os.Getenv(locktest.WorkerVariable) != "" {
		t.Skip("nothing to do in a worker")
	}
	locktest.Check(t, sound, locktest.On(redisstore.Store))
}

func TestNoisy(t *testing.T) {
	_, _ = os.Stdout.WriteString("{\"ready\":false}\nwhat a test prints\n")
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.Only("contention"))
}

func TestMisbehaving(t *testing.T) {
	for name, newLock := range map[string]func(*locktest.Client) lock.Locker{
		"panics": Panics, "refused": Refused, "panics-aside": PanicsAside, "spins": Spins, "never-returns": NeverReturns, "leaks": Leaks,
		"stalls": Stalls, "random": Random, "outside": Outside, "real-clock": RealClock, "waits-outside": WaitsOutside,
		"by-name": ByName, "nowhere": Nowhere, "nil": Nil, "no-lease": NoLease,
		"never-asks": NeverAsks, "once": Once, "exits": Exits, "stops": Stops, "crowds": Crowds, "prints": Prints,
		"demands": Demands(t), "demands-aside": DemandsAside(t), // the T of the test around
	} {
		t.Run(name, func(t *testing.T) {
			only := []string{"contention", "gc-pause"}
			switch name {
			case "real-clock":
				startClock()
			case "once":
				only = []string{"cancel"} // it releases twice
			}
			locktest.Check(t, newLock, locktest.On(redisstore.Store), locktest.Only(only...))
		})
	}
}

// TestHere is of locks that do something in the test's own process alone.
func TestHere(t *testing.T) {
	for name, do := range map[string]func(context.Context, *Lock){
		"prints": func(context.Context, *Lock) { fmt.Println("here I am") },
		"asks":   func(ctx context.Context, l *Lock) { l.rdb.Ping(ctx) },
		"panics": func(context.Context, *Lock) { go panic("user: a panic here"); select {} },
		"stalls": func(context.Context, *Lock) { var mu sync.Mutex; mu.Lock(); mu.Lock() },
	} {
		t.Run(name, func(t *testing.T) {
			locktest.Check(t, Otherwise(do), locktest.On(redisstore.Store), locktest.Only("gc-pause"), few)
		})
	}
}

func TestLeftOut(t *testing.T) {
	locktest.Check(t, Naive, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Properties("progress"))
}

func TestReadWrite(t *testing.T) {
	locktest.CheckSubject(t, locktest.ReadWrite(newReadWrite), locktest.On(redisstore.Store), locktest.Only("contention"), locktest.Properties("mutual-exclusion"))
}

func TestSemaphore(t *testing.T) {
	r := locktest.ExploreSubject(t, locktest.Semaphore(2, newTwoSteps), locktest.On(redisstore.Store), locktest.Only("contention"), locktest.Properties("mutual-exclusion"))
	for _, f := range r.Findings {
		t.Errorf("found: %s", f.Trace.Verdict().Sentence)
	}
}

func TestNoConstructor(t *testing.T) {
	locktest.CheckSubject(t, locktest.Latch(nil), locktest.On(redisstore.Store))
}

func TestNapping(t *testing.T) {
	locktest.Check(t, Naive, locktest.On(redisstore.Store), locktest.With(napping), locktest.Only("contention", "napping"), few)
}

func TestSoundNapping(t *testing.T) {
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.With(napping), locktest.Only("napping"))
}

func TestTakenNames(t *testing.T) {
	taken := *napping
	taken.ID = "gc-pause"
	again := *napping
	locktest.Check(t, sound, locktest.On(redisstore.Store), locktest.With(napping, &taken, &again))
}
