package scenarios

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file has the scenarios of how a serving node is replaced where processes of their own decide that, or the
// nodes of other servers do.

// doubleServing cuts the serving node off from those that choose one, but not from all clients. They choose another.
// The old node goes on: it has not crashed, and has not heard of that. The clients that reach both learn of the new
// one, each when a message reaches it, and until then they write to the old one. When that is back it still takes
// itself for the one that serves, until those that have chosen have seen that for long enough.
//
// A node that refuses writes without its followers is a remedy, if nobody is promoted before it does so and its last
// leases have ended.
var doubleServing = &cell.Scenario{
	ID:      "two-masters",
	Summary: "the {serving} is cut off from those that replace it, and goes on beside the one in its place",
	Params: cell.Params{
		Clients: 2, Rounds: 2, Sizes: stage.SizesButLease, Followers: 2, TTL: 2 * time.Second,
		Faults: stage.Once(faults.TwoMasters, faults.SwitchDelays),
	},
	Lacks: func(s stage.Store, p stage.Params) string {
		if lacks := unless(elects, "{store} elects no {serving} by itself")(s, p); lacks != "" {
			return lacks
		}
		return unless(splits, "two {node}s never serve at once")(s, p)
	},
	Happenings: []cell.Happening{
		{Name: "another {serving} was promoted while the old one was cut off", In: promotedMeanwhile},
	},
	Remedies: []cell.Remedy{guarded, waitingLock, fencedLock},
}

// switchover replaces the serving node in the ways that no outage explains: an operator orders it, and the old node is
// up and learns of it last; the follower that is preferred lags, and is promoted all the same; those that choose stand for
// their election at the same moment, and nobody is chosen for a while; and what they say comes late. Where the nodes of other
// servers choose, there is only the operator.
var switchover = &cell.Scenario{
	ID:      "switchover",
	Summary: "the {serving} is replaced by order, or by a {follower} that lags, after a tie, or learns of it late",
	Params: cell.Params{
		Clients: 2, Rounds: 2, Sizes: stage.SizesButLease, Followers: 2, TTL: 2 * time.Second,
		Faults: stage.Once(faults.ManualFailovers, faults.LaggingPromotions, faults.EpochTies).With(faults.SwitchDelays, 2),
	},
	Lacks: func(s stage.Store, p stage.Params) string {
		if lacks := unless(elects, "{store} elects no {serving} by itself")(s, p); lacks != "" {
			return lacks
		}
		return unless(splits, "two {node}s never serve at once")(s, p)
	},
	Happenings: []cell.Happening{
		{Name: "another {serving} was promoted while a client held the lock", In: promotedWhileHeld},
	},
	Remedies: []cell.Remedy{waitingLock, fencedLock, longerLeases},
}

// promotedMeanwhile: another node was promoted while the network was parted. That a client held the lock then is not
// asked for: a node that refuses requests in time prevents it.
func promotedMeanwhile(h *model.History) bool {
	return slices.ContainsFunc(h.Observations, func(o model.Observation) bool { return o.Kind == model.Promoted && parted(h, o.Seq) })
}

// promotedWhileHeld: another node was promoted.
func promotedWhileHeld(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool { return o.Kind == model.Promoted && s.contains(o.Seq) })
}
