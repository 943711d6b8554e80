package faults

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// familiar lists the faults that readers know from their own systems, the most frequent first: processes stop
// and answers are lost every day, failovers and jumps of clocks are rare. Faults not listed follow these.
// Only the order of reports depends on it.
var familiar = []*stage.Fault{
	Pauses, Cancels, LostReplies, LateReplies, Delays, LateRequests, Crashes, Resets,
	CutOffs, Hangs, ServerErrors, LostCommits, Deadlocks, Lags,
	CleanRestarts, Restarts, Migrations, Partitions, Failovers, LostElectors, AbsentElectors, ManualFailovers, SwitchDelays, TwoMasters,
	LaggingPromotions, EpochTies, Skews, ServerClockJumps, ClockJumps,
}

// Everyday is the greatest value of [Unfamiliar] for a fault of clients or of single messages.
const Everyday = 8

// Unfamiliar returns how unfamiliar the fault of a kind of decision is: a greater number for a less familiar
// fault, and 0 if the decision is not about a fault.
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
