package faults

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// familiar are the faults in the order in which readers know them from what they run: a process that
// stops and an answer that is lost happen every day, a failover or a clock that jumps seldom.
// Nothing but the order of reports follows from it.
var familiar = []*stage.Fault{
	Pauses, Cancels, LostReplies, LateReplies, Delays, LateRequests, Crashes, Resets,
	CutOffs, Hangs, LostCommits, Deadlocks, Lags,
	CleanRestarts, Restarts, Migrations, Partitions, Failovers, LostElectors, AbsentElectors, ManualFailovers, SwitchDelays, TwoMasters,
	LaggingPromotions, EpochTies, Skews, ServerClockJumps, ClockJumps,
}

// Everyday is the greatest value of [Unfamiliar] for faults of clients and of single messages.
const Everyday = 8

// Unfamiliar says how seldom readers have met the fault that decisions of a kind are about: 0 if
// they are about none, and more for a less familiar one. Faults that are not of this package come last.
func Unfamiliar(kind sim.Kind) int {
	i := slices.IndexFunc(familiar, func(f *stage.Fault) bool { return slices.Contains(f.Kinds, kind) })
	switch {
	case i >= 0:
		return i + 1
	case strings.HasPrefix(string(kind), "fault:"):
		return len(familiar) + 1
	}
	return 0
}
