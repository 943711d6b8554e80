package faults

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// All are the faults that may strike in any store, in the order in which they are
// asked before an event. Seeds mean other runs if that order changes.
var All = []*stage.Fault{
	Cancels, Pauses, Failovers, Resets, Partitions, Restarts, CleanRestarts, Crashes,
	ClockJumps, ServerClockJumps, LostReplies, Hangs, Skews, Delays, LateReplies, LateRequests,
}

// Tell says what a choice did, and in which event that shows, 0 if in none. Without
// better knowledge it names the decision.
func Tell(list []*stage.Fault, t *stage.Telling) (text string, seq int64) {
	tell := kernels[t.Kind]
	for _, f := range list {
		if slices.Contains(f.Kinds, t.Kind) {
			tell = f.Tell
		}
	}
	if tell != nil {
		text = tell(t)
	}
	switch {
	case text == "":
		return fmt.Sprintf("%s takes option %d", t.ID(), t.Option), 0
	case t.Event == nil:
		return text, 0
	}
	return text, t.Event.Seq
}

// kernels tell of the decisions that are no fault's.
var kernels = map[sim.Kind]func(*stage.Telling) string{
	sim.Latency: tellSlow, sim.Order: tellOrder, sim.Unread: tellUnread,
}
