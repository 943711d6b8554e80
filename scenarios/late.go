package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// link is how segments travel in a scenario with the given parameters, where
// these are the Redis nodes.
func link(p Params, redis nodes) sim.Link {
	l := sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond}
	add := func(budget, odds int, late sim.Lateness) {
		if late.Budget, late.Odds = budget, odds; budget > 0 {
			l.Late = append(l.Late, late)
		}
	}
	// Late past the TTL, and late past go-redis's read timeouts as well (3 s,
	// and 5 s in newer versions).
	add(p.Delays, lateOdds, sim.Lateness{Kind: sim.Delay, By: []time.Duration{p.TTL, p.TTL + readTimeout}})
	// One way only: past the TTL; past the half of it, so that little is left;
	// and past the read timeouts, so that go-redis has hung up and asks again.
	by := []time.Duration{p.TTL * 5 / 4, p.TTL / 2, p.TTL + readTimeout}
	is := func(a *sim.Actor) bool { return redis[a] != nil }
	add(p.LateReplies, oneWayOdds, sim.Lateness{Kind: lateReplyFault, By: by, Of: func(from, to *sim.Actor) bool { return is(from) && !is(to) }})
	add(p.LateRequests, oneWayOdds, sim.Lateness{Kind: lateRequestFault, By: by, Of: func(from, to *sim.Actor) bool { return !is(from) && is(to) }})
	return l
}

// readTimeout is how long go-redis waits for an answer, in the versions that
// wait longest.
const readTimeout = 5 * time.Second

// lateBy are the delay classes of a kind of decision, nil if it is not about
// lateness.
func lateBy(p Params, kind sim.Kind) []time.Duration {
	for _, l := range link(p, nil).Late {
		if l.Kind == kind {
			return l.By
		}
	}
	return nil
}
