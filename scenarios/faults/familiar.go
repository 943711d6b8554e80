package faults

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// familiar are the faults that readers know from what they run, the most frequent first: a process that
// stops and an answer that is lost happen every day, a failover or a clock that jumps seldom. A fault that is
// missing here comes after these. Only the order of reports depends on it.
var familiar = []*stage.Fault{
	Pauses, Cancels, LostReplies, LateReplies, Delays, LateRequests, Crashes, Resets,
	CutOffs, Hangs, LostCommits, Deadlocks, Lags,
	CleanRestarts, Restarts, Migrations, Partitions, Failovers, LostElectors, AbsentElectors, ManualFailovers, SwitchDelays, TwoMasters,
	LaggingPromotions, EpochTies, Skews, ServerClockJumps, ClockJumps,
}

// Everyday is the greatest value of [Unfamiliar] for faults of clients and of single messages.
const Everyday = 8

// Unfamiliar returns a number that is greater the less familiar the fault of a kind of decision is, and 0 if
// the decision is about no fault.
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
