package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// link is how segments travel in a scenario with the given parameters; it is
// told who is a Redis node.
func link(p Params, is func(*sim.Actor) bool) sim.Link {
	l := sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond}
	add := func(budget, odds int, late sim.Lateness) {
		if late.Budget, late.Odds = budget, odds; budget > 0 {
			l.Late = append(l.Late, late)
		}
	}
	late := func(kind sim.Kind) sim.Lateness {
		by := lateBy(p, kind)
		return sim.Lateness{Kind: kind, By: by.fixed, Timeouts: by.timeouts}
	}
	replies, requests := late(lateReplyFault), late(lateRequestFault)
	replies.Of = func(from, to *sim.Actor) bool { return is(from) && !is(to) }
	requests.Of = func(from, to *sim.Actor) bool { return !is(from) && is(to) }
	add(p.Delays, lateOdds, late(sim.Delay))
	add(p.LateReplies, oneWayOdds, replies)
	add(p.LateRequests, oneWayOdds, requests)
	return l
}

// lateBy are the delay classes of a kind of decision about lateness: past the
// TTL, so that a lease is over; past go-redis's read timeouts as well (3 s, and 5
// s in newer versions), so that it has hung up and asks again; not quite as long
// as the TTL; and, one way, past the half of it, so that little is left.
func lateBy(p Params, kind sim.Kind) lengths {
	if kind == sim.Delay {
		return by(p.TTL, p.TTL+readTimeout, nearlyLease(p))
	}
	return by(p.TTL*5/4, p.TTL/2, p.TTL+readTimeout, nearlyLease(p))
}
