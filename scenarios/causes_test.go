package scenarios_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestCausesFound searches for violations by their causes: in one scenario a limit
// of leases, of a lock that has done what it could, and a fault of another.
func TestCausesFound(t *testing.T) {
	const schedules = 200
	for _, e := range []struct{ scenario, lock, property, cause string }{
		// A request of the other is late.
		{"late-request", "test-extends-late", checker.MutualExclusion, checker.HolderLate},
		{"late-request", "test-takes-after-timeout", checker.MutualExclusion, checker.RemovedByAnother},
		{"late-request", "test-takes-after-timeout", checker.OwnerOnlyRelease, checker.RemovedByAnother},
		{"late-request", "test-timeout-is-acquired", checker.MutualExclusion, checker.NeverGranted},
		{"late-request", "test-timeout-is-acquired", checker.TruthfulAcquire, checker.NeverGranted},

		// A renewal is late.
		{"watchdog-late", "test-watchdog-tells", checker.Overrun, checker.HolderLate},
		{"watchdog-late", "test-watchdog-too-slow", checker.MutualExclusion, checker.NotTold},
		{"watchdog-late", "test-watchdog-too-slow", checker.TimelyLoss, checker.NotTold},
		{"watchdog-late", "test-watchdog-mute", checker.MutualExclusion, checker.NotTold},
		{"watchdog-late", "test-watchdog-mute", checker.TimelyLoss, checker.NotTold},
		{"watchdog-late", "test-watchdog-silent", checker.TimelyLoss, checker.NotTold},

		// A process stops.
		{"gc-pause", "setpx", checker.MutualExclusion, checker.HolderStopped},
		{"gc-pause", "setpx", checker.NoLostUpdate, checker.HolderStopped},
		{"gc-pause", "setpx-del", checker.MutualExclusion, checker.RemovedByAnother},
		{"gc-pause", "test-watchdog-tells", checker.MutualExclusion, checker.HolderStopped},
		{"gc-pause", "test-watchdog-mute", checker.MutualExclusion, checker.NotTold},
		{"gc-pause", "test-lease", checker.Overrun, checker.HolderStopped},

		// An answer is late.
		{"late-reply", "test-extends-late", checker.MutualExclusion, checker.HolderLate},
		{"late-reply", "setpx", checker.MutualExclusion, checker.AcquiredTooLate},
		{"late-reply", "setpx", checker.TruthfulAcquire, checker.AcquiredTooLate},
		{"late-reply", "test-lease-acquires-late", checker.TruthfulAcquire, checker.AcquiredTooLate},
		{"late-reply", "test-lease-acquires-late", checker.TruthfulExtend, checker.ExtendedTooLate},
		{"late-reply", "test-extends-late", checker.TruthfulExtend, checker.ExtendedTooLate},
		{"late-reply", "test-extend-cleans-up", checker.TruthfulExtend, checker.RemovedByItself},
		{"late-reply", "test-lease-counts-late", checker.LeaseHonesty, checker.ClaimedLonger},

		// The store forgets, or its clock jumps.
		{"failover-loss", "setpx", checker.MutualExclusion, checker.StoreForgot},
		{"failover-loss", "setpx-fenced", checker.Fencing, checker.StoreForgot},
		{"node-restart", "redlock", checker.LeaseHonesty, checker.StoreForgot},
		{"server-clock-jump", "test-lease", checker.LeaseHonesty, checker.StoreClockJumped},
	} {
		t.Run(e.scenario+"/"+e.lock+"/"+e.property, func(t *testing.T) {
			t.Parallel()
			c := cells.Of(t, e.scenario, e.lock)
			c.Properties = []string{e.property}
			for schedule := range schedules {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule)})
				for _, v := range out.Verdicts {
					if v.Status == model.Violated && v.Cause == e.cause {
						if v.Limit != model.CauseOf(e.cause).Limit {
							t.Errorf("limit %t: %s", v.Limit, v.Sentence)
						}
						t.Logf("schedule %d: %s", schedule, v.Sentence)
						return
					}
				}
			}
			t.Errorf("not found in %d schedules", schedules)
		})
	}
}

// TestNoFaultsOfSoundLocks searches every scenario with locks that are as sound as
// their kind can be: every violation must be a limit, but for what is known of a lock.
func TestNoFaultsOfSoundLocks(t *testing.T) {
	schedules := 4
	if cells.Long() {
		schedules = 3000
	}
	// Who tells no end and does not look at its clock says that it has the lock when
	// the lease has gone by; and a cancelled Acquire leaves what it has taken.
	clockless := map[string]bool{"setpx": true, "setpx-wait": true, "setpx-fenced": true}
	known := func(lock string, v model.Verdict) bool {
		return clockless[lock] && (v.Cause == checker.AcquiredTooLate || v.Property == checker.NoOrphan)
	}
	for _, s := range scenarios.All() {
		for _, l := range []string{"setpx", "setpx-wait", "setpx-fenced", "pull", "redlock", "reentrant", "watchdog", "fair", "test-lease", "test-watchdog-tells"} {
			if !cells.Sampled(s.ID+"/"+l, 16) {
				continue
			}
			t.Run(s.ID+"/"+l, func(t *testing.T) {
				t.Parallel()
				c := cells.Of(t, s.ID, l)
				for schedule := range schedules {
					out := c.Run(explore.Run{Tape: explore.Random(2, schedule)})
					for _, v := range out.Verdicts {
						if v.Status == model.Violated && !v.Limit && !known(l, v) {
							t.Errorf("schedule %d: %s is violated (%s): %s", schedule, v.Property, v.Cause, v.Sentence)
						}
						if v.Status == model.Violated && model.CauseOf(v.Cause).Text == "" {
							t.Errorf("schedule %d: %s is violated by an unknown cause %q", schedule, v.Property, v.Cause)
						}
					}
				}
			})
		}
	}
}
