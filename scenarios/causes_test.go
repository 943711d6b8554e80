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
		{"late-request", "test-extends-late", checker.MutualExclusion, model.HolderLate},
		{"late-request", "test-takes-after-timeout", checker.MutualExclusion, model.RemovedByAnother},
		{"late-request", "test-takes-after-timeout", checker.OwnerOnlyRelease, model.RemovedByAnother},
		{"late-request", "test-timeout-is-acquired", checker.MutualExclusion, model.NeverGranted},
		{"late-request", "test-timeout-is-acquired", checker.TruthfulAcquire, model.NeverGranted},

		// A renewal is late.
		{"watchdog-late", "test-watchdog-tells", checker.Overrun, model.HolderLate},
		{"watchdog-late", "test-watchdog-too-slow", checker.MutualExclusion, model.NotTold},
		{"watchdog-late", "test-watchdog-too-slow", checker.TimelyLoss, model.NotTold},
		{"watchdog-late", "test-watchdog-mute", checker.MutualExclusion, model.NotTold},
		{"watchdog-late", "test-watchdog-mute", checker.TimelyLoss, model.NotTold},
		{"watchdog-late", "test-watchdog-silent", checker.TimelyLoss, model.NotTold},

		// A process stops.
		{"gc-pause", "setpx", checker.MutualExclusion, model.HolderStopped},
		{"gc-pause", "setpx", checker.NoLostUpdate, model.HolderStopped},
		{"gc-pause", "setpx-del", checker.MutualExclusion, model.RemovedByAnother},
		{"gc-pause", "test-watchdog-tells", checker.MutualExclusion, model.HolderStopped},
		{"gc-pause", "test-watchdog-mute", checker.MutualExclusion, model.NotTold},
		{"gc-pause", "test-lease", checker.Overrun, model.HolderStopped},

		// An answer is late.
		{"late-reply", "test-extends-late", checker.MutualExclusion, model.HolderLate},
		{"late-reply", "setpx", checker.MutualExclusion, model.AcquiredTooLate},
		{"late-reply", "setpx", checker.TruthfulAcquire, model.AcquiredTooLate},
		{"late-reply", "test-lease-acquires-late", checker.TruthfulAcquire, model.AcquiredTooLate},
		{"late-reply", "test-lease-acquires-late", checker.TruthfulExtend, model.ExtendedTooLate},
		{"late-reply", "test-extends-late", checker.TruthfulExtend, model.ExtendedTooLate},
		{"late-reply", "test-extend-cleans-up", checker.TruthfulExtend, model.RemovedByItself},
		{"late-reply", "test-lease-counts-late", checker.LeaseHonesty, model.ClaimedLonger},

		// The store forgets, or its clock jumps.
		{"failover-loss", "setpx", checker.MutualExclusion, model.StoreForgot},
		{"failover-loss", "setpx-fenced", checker.Fencing, model.StoreForgot},
		{"node-restart", "redlock", checker.LeaseHonesty, model.StoreForgot},
		{"server-clock-jump", "test-lease", checker.LeaseHonesty, model.StoreClockJumped},
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
		return clockless[lock] && (v.Cause == model.AcquiredTooLate || v.Property == checker.NoOrphan)
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
