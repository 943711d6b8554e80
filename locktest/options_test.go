package locktest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/file"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestParameterOptions: what an option sets is in the parameters of the run, which its trace
// has, and in the run.
func TestParameterOptions(t *testing.T) {
	for _, test := range []struct {
		option locktest.Option
		want   traces.Parameter
		lanes  string // the actors of the run
	}{
		{locktest.Clients(5), traces.Parameter{Name: "clients", Value: "5"}, "c1 c2 c3 c4 c5 redis1 resource"},
		{locktest.Threads(3), traces.Parameter{Name: "threads", Value: "3"}, "c1 c2 redis1 resource"},
		{locktest.Nodes(3), traces.Parameter{Name: "nodes", Value: "3"}, "c1 c2 redis1 redis2 redis3 resource"},
		{locktest.Rounds(4), traces.Parameter{Name: "rounds", Value: "4"}, "c1 c2 redis1 resource"},
		{locktest.LongHolds(3), traces.Parameter{Name: "long-holds", Value: "3"}, "c1 c2 redis1 resource"},
		{locktest.TTL(5 * time.Second), traces.Parameter{Name: "sizes", Value: "4"}, "c1 c2 redis1 resource"},
		{locktest.TTL(5 * time.Second), traces.Parameter{Name: "ttl", Value: "5s"}, "c1 c2 redis1 resource"},
	} {
		c, err := locktest.CellWith(locktest.Mutex(newSetPX), "gc-pause", locktest.On(redis.Store), test.option)
		if err != nil || !slices.Contains(c.Parameters(), test.want) {
			t.Errorf("%v is not among %v, %v", test.want, c.Parameters(), err)
			continue
		}
		out := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
		made := c.Trace(1, 0, "", out)
		var lanes []string
		for _, a := range made.Actors {
			lanes = append(lanes, a.Name)
		}
		if got := strings.Join(lanes, " "); out.Failure != nil || got != test.lanes || !slices.Contains(made.Parameters, test.want) {
			t.Errorf("%v: the trace has %s and %v, failure %v", test.want, got, made.Parameters, out.Failure)
		}
		if test.want.Name == "ttl" && made.History.TTL != 5*time.Second {
			t.Errorf("the lease is %v", made.History.TTL)
		}
	}
}

// TestRenewsOption: a lock that renews its leases is held for longer than a lease in
// watchdog-late, and one that does not say so is not.
func TestRenewsOption(t *testing.T) {
	newWatchdog := func(c *locktest.Client) lock.Locker {
		o := redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
		return redislocks.NewWatchdog(redis.Connect(c), c.LockName(), redislocks.WatchdogOptions{Options: o})
	}
	for longer, opts := range map[bool][]locktest.Option{false: {locktest.On(redis.Store)}, true: {locktest.On(redis.Store), locktest.Renews()}} {
		c, err := locktest.CellWith(locktest.Mutex(newWatchdog), "watchdog-late", opts...)
		if err != nil {
			t.Fatal(err)
		}
		h := c.Run(explore.Run{Tape: sim.Calm{}, Record: true}).Recording.History
		var longest time.Duration
		for _, claim := range model.Claims(&h) {
			longest = max(longest, claim.Stop.At-claim.Start.At)
		}
		if longest == 0 || longest > h.TTL != longer {
			t.Errorf("with Renews %v the longest hold is %v of a lease of %v", longer, longest, h.TTL)
		}
	}
}

// TestSeedOption: another seed is another search, and the same one is the same.
func TestSeedOption(t *testing.T) {
	slowtest.SkipIfShort(t)
	var events []int64
	for i, seed := range []uint64{1, 1, 2} {
		t.Run("", func(t *testing.T) {
			r := locktest.Explore(t, newSetPX, locktest.On(redis.Store), locktest.Only("gc-pause"), locktest.Properties("mutual-exclusion"), locktest.Runs(40), locktest.Seed(seed))
			if len(r.Results) != 1 || len(r.Findings) != 1 || r.Findings[0].Seed != seed || r.Findings[0].Trace.Seed != seed {
				t.Fatalf("search %d: %+v", i, r)
			}
			events = append(events, r.Results[0].Events)
		})
	}
	if len(events) == 3 && (events[0] != events[1] || events[0] == events[2]) {
		t.Errorf("the events of seeds 1, 1 and 2: %v", events)
	}
}

// TestBoundOption: a bound is exhausted, or not begun if it needs more schedules than Runs.
func TestBoundOption(t *testing.T) {
	for _, test := range []struct {
		bound, runs, complete int
		result                string
	}{
		{0, 10, 0, explore.Exhausted},
		{1, 10, 0, string(explore.Inconclusive)},
	} {
		t.Run("", func(t *testing.T) {
			r := locktest.Explore(t, newSetPX, locktest.On(redis.Store), locktest.Only("contention"), locktest.Clients(2), locktest.Bound(test.bound), locktest.Runs(test.runs))
			if len(r.Results) != 1 || r.Results[0].Result != test.result || r.Results[0].Complete != test.complete {
				t.Errorf("Bound(%d), Runs(%d): %+v", test.bound, test.runs, r.Results)
			}
		})
	}
}

// TestOptionsRefused: a value that cannot be is refused with what was asked for, and what can be.
func TestOptionsRefused(t *testing.T) {
	for want, opts := range map[string][]locktest.Option{
		`Clients(0): parameter clients="0": want a number from 1 to 16`:                  {locktest.Clients(0)},
		`Threads(9): parameter threads="9": want a number from 0 to 8`:                   {locktest.Threads(9)},
		`Nodes(10): parameter nodes="10": want a number from 0 to 9`:                     {locktest.Nodes(10)},
		`Nodes(3): there is no parameter "nodes"; there are`:                             {locktest.On(file.Store), locktest.Nodes(3)},
		`TTL(50ms): parameter ttl="50ms": want a duration from 100ms to 15s, such as 2s`: {locktest.TTL(50 * time.Millisecond)},
		`Runs(0): want at least 1`:                                                       {locktest.Runs(0)},
		`Bound(21): want 0 to 20`:                                                        {locktest.Bound(21)},
		`there is no scenario "gc-pase"; did you mean gc-pause?`:                         {locktest.Only("gc-pase")},
		`there is no property "fency"`:                                                   {locktest.Properties("fency")},
		`Expect("gc-pause", "progress"): Properties leaves progress out`:                 {locktest.Properties("fencing"), locktest.Expect("gc-pause", "progress")},
	} {
		_, err := locktest.CellWith(locktest.Mutex(newSetPX), "contention", append([]locktest.Option{locktest.On(redis.Store)}, opts...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %q", err, want)
		}
	}
}
