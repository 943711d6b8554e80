package faults

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// All are the faults that may strike in any store. Before each event they are asked in
// this order. Another order would change the runs of all seeds.
var All = []*stage.Fault{
	Cancels, Pauses, Failovers, Resets, Partitions, Restarts, CleanRestarts, Crashes,
	ClockJumps, ServerClockJumps, LostReplies, Hangs, Skews, Delays, LateReplies, LateRequests, CutOffs, Lags, LostCommits, Deadlocks,
	AbsentElectors, LostElectors,
	TwoMasters, SwitchDelays, EpochTies, LaggingPromotions, ManualFailovers, Migrations, ServerErrors,
}

// Describe describes the effect of a choice. Seq is the number of the event that shows it, 0
// if none does. If the effect is unknown, the text names the decision.
func Describe(list []*stage.Fault, t *stage.Choice) (text string, seq int64) {
	tell := kernels[t.Kind]
	for _, f := range list {
		if slices.Contains(f.Kinds, t.Kind) {
			tell = f.Describe
		}
	}
	if tell != nil {
		text = tell(t)
	}
	if own, tells := t.Servers.(stage.Describer); tells && text == "" {
		text = own.Describe(t)
	}
	switch {
	case text == "":
		return fmt.Sprintf("%s takes option %d", t.ID(), t.Option), 0
	case t.Event == nil:
		return text, 0
	}
	return text, t.Event.Seq
}

// kernels describe the decisions that are not about faults.
var kernels = map[sim.Kind]func(*stage.Choice) string{
	sim.Latency: describeSlow, sim.Order: describeOrder, sim.Unread: describeUnread, sim.ReadFirst: describeReadFirst, sim.Select: describeSelect, sim.Wake: describeWake,
}
