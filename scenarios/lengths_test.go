package scenarios_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// TestLengths is the table of how long faults last, by the time-out of the clients.
// Recorded tapes go by their numbers.
func TestLengths(t *testing.T) {
	const s = time.Second
	p := cell.Params{TTL: 2 * s}
	for _, test := range []struct {
		fault string
		fixed []time.Duration
	}{
		{"pauses", []time.Duration{s * 5 / 2, 7 * s}},
		{"hangs", []time.Duration{7 * s, s * 5 / 2, 22 * s}},
		{"partitions", []time.Duration{s * 5 / 2, 7 * s}},
		{"delays", []time.Duration{2 * s, 7 * s}},
		{"late-replies", []time.Duration{s * 5 / 2, 7 * s}},
		{"late-requests", []time.Duration{s * 5 / 2, 7 * s}},
	} {
		for _, wait := range []struct{ set, over time.Duration }{
			{0, 3 * s}, // what most versions of go-redis have
			{3 * s, 3 * s}, {5 * s, 5 * s}, {s / 20, s / 20}, {20 * s, 20 * s}, {time.Minute, 3 * s},
		} {
			lease := []time.Duration{s * 9 / 5, s * 11 / 10, s * 9 / 10} // just under it, and about its half
			timeout := []time.Duration{wait.over * 19 / 20, wait.over, wait.over * 39 / 20, wait.over * 2}
			want := slices.Concat(test.fixed, lease, timeout)
			if got := lengths(p, wait.set)[test.fault]; !slices.Equal(got, want) {
				t.Errorf("%s, time-out %v: %v, want %v", test.fault, wait.set, got, want)
			}
		}
	}
}

// TestPlantedLengths: bugs that only faults of these lengths show, each with a lock
// that does the same without the bug.
func TestPlantedLengths(t *testing.T) {
	slowtest.SkipIfShort(t)
	if cells.GoRedis() != cells.OldestGoRedis {
		t.Skip("how soon they are found is known with go-redis " + cells.OldestGoRedis)
	}
	for _, test := range []struct {
		scenario, lock, property string
		runs                     int
		sound                    string
	}{
		// What is late by the read time-out and less than its double.
		{"two-step-release", "test-wire-shifted", checker.LeaseHonesty, 300, "test-wire"},
		{"two-step-release", "test-wire-shifted-slow", checker.LeaseHonesty, 300, ""},
		// Nine tenths of a lease.
		{"two-step-release", "test-counts-then-takes", checker.Fencing, 800, "test-counts-and-takes"},
		{"gc-pause", "test-counts-then-takes", checker.Fencing, 1600, ""},
	} {
		t.Run(test.scenario+"/"+test.lock, func(t *testing.T) {
			t.Parallel()
			if !findsFault(t, cells.Of(t, test.scenario, test.lock, "sizes", "0"), test.runs, test.property) {
				t.Errorf("%s is not found in %d schedules, by no seed", test.property, test.runs)
			}
			if test.sound == "" {
				return
			}
			if found := survey(t, cells.Of(t, test.scenario, test.sound), 60, nil); model.Violates(found, test.property) {
				t.Errorf("%s: %s is found", test.sound, test.property)
			}
		})
	}
}

// TestLateByTheTimeoutInUse: an answer that is late by a class of time-outs is late
// by what the client has set, and told so.
func TestLateByTheTimeoutInUse(t *testing.T) {
	for lock, want := range map[string]string{"test-wire-shifted": "is late by 3s", "test-wire-shifted-slow": "is late by 10s"} {
		c := cells.Of(t, "late-reply", lock)
		choice := sim.Choice{Kind: "fault:late-reply", Actor: "redis1", Occurrence: 3, Option: 7}
		describe(t, c, choice, want+"$")
	}
}

// TestStorm: a bug that needs a pause and a crash is found where both may strike,
// and not where only one of them does.
func TestStorm(t *testing.T) {
	slowtest.SkipIfShort(t)
	if cells.GoRedis() != cells.OldestGoRedis {
		t.Skip("how soon it is found is known with go-redis " + cells.OldestGoRedis)
	}
	const lock, property, runs = "test-planted-heir", checker.OwnerOnlyRelease, 100
	if !findsFault(t, cells.Of(t, "storm", lock), runs, property) {
		t.Errorf("storm: %s is not found in %d schedules, by no seed", property, runs)
	}
	for _, fault := range []string{"pauses", "crashes"} {
		c := cells.Of(t, "contention", lock, fault, "1")
		if found := survey(t, c, runs, nil); model.Violates(found, property) {
			t.Errorf("%s alone: %s is found", fault, property)
		}
	}
	if !findsFault(t, cells.Of(t, "contention", lock, "pauses", "1", "crashes", "1"), 8*runs, property) {
		t.Errorf("pauses and crashes alone: %s is not found", property)
	}
}

// lengths are how long each kind of fault may last, or be late by, in the order of
// the options, where clients wait for so long: 0 if they have set no limit.
func lengths(p cell.Params, timeout time.Duration) map[string][]time.Duration {
	list := map[string][]time.Duration{}
	for _, f := range faults.All {
		if f.Lasts == nil {
			continue
		}
		l := f.Lasts(p, redis.Store.Timing())
		list[f.Name] = append(list[f.Name], l.Fixed...)
		for i := range l.Timeouts.Percent {
			list[f.Name] = append(list[f.Name], l.Timeouts.Length(i, timeout))
		}
	}
	return list
}
