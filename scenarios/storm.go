package scenarios

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Storm is the id of the scenario that combines faults of all kinds.
const Storm = "storm"

// storm combines kinds of faults. A client pauses while another is killed; an answer is
// lost and then its node fails over; a request is late and then its node restarts. The
// other scenarios have few kinds of faults each, so that their findings are easy to
// understand, but they cannot show a bug that needs two kinds. An example is a lock that
// takes over from a dead holder, with state from before its own pause.
//
// There is at most one fault of each kind. Few schedules have them all: the search varies
// which kinds a schedule has, because too many faults hide each other's bugs.
var storm = &Scenario{
	ID:      Storm,
	Summary: "each kind of fault may strike once; two or three together do harm that none does alone",
	Params: Params{
		Clients: 3, Rounds: 2, Followers: 1, TTL: 2 * time.Second,
		Faults: stage.Once(
			faults.Pauses, faults.Crashes, faults.Skews, faults.ClockJumps, faults.Cancels,
			faults.Delays, faults.LateReplies, faults.LateRequests, faults.LostReplies, faults.Resets, faults.Partitions,
			faults.Failovers, faults.Restarts, faults.Hangs, faults.ServerClockJumps,
		),
	},
	Happenings: []Happening{
		{Name: "faults of two kinds struck while a client held the lock", In: struckTwice},
		{Name: "a client crashed and another was paused for longer than its lease", In: crashedAndPaused},
	},
	Remedies: []Remedy{fencedLock, waitingLock, longerLeases},
}

// struckTwice: faults of two kinds struck during one hold.
func struckTwice(h *model.History) bool {
	troubles := []model.ObservationKind{
		model.Paused, model.Crashed, model.Delayed, model.ReplyLost, model.ClockJumped,
		model.Parted, model.Promoted, model.Returned,
	}
	for _, s := range spans(h) {
		first := model.ObservationKind("")
		for i := range h.Observations {
			o := &h.Observations[i]
			switch {
			case !s.contains(o.Seq) || !slices.Contains(troubles, o.Kind):
			case first != "" && o.Kind != first:
				return true
			default:
				first = o.Kind
			}
		}
	}
	return false
}

// crashedAndPaused: a client crashed, and another one was paused for longer than
// a lease lasts.
func crashedAndPaused(h *model.History) bool {
	crashed, paused := "", ""
	for i := range h.Observations {
		switch o := &h.Observations[i]; {
		case o.Kind == model.Crashed:
			crashed = o.Node
		case o.Kind == model.Paused && o.For > h.TTL:
			paused = o.Node
		}
	}
	return crashed != "" && paused != "" && crashed != paused
}
