package faults

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const (
	lateReply   sim.Kind = "fault:late-reply"
	lateRequest sim.Kind = "fault:late-request"
)

// Delays delay segments in both directions: by more than the TTL, so that a lease is over; by more than the longest usual read
// time-out as well, so that the client has hung up and retries; and by the lengths of [stage.Timing.Straddling].
var Delays = &stage.Fault{
	Name: "delays", Most: 64,
	About: "how many segments (parts of a request or an answer) may be late",
	One:   "a segment that is held back for", Many: "segments that are held back for",
	Lasts: bothWays,
	Late: func(s *stage.Stage, budget int) sim.Lateness {
		return lateness(s, sim.Delay, bothWays, sim.Lateness{Budget: budget, Odds: 30})
	},
	Kinds:    []sim.Kind{sim.Delay},
	Describe: describeLate,
}

// LateReplies delay segments from a store to a client: by more than the TTL, by more than the longest usual read time-out as
// well, and by the lengths of [stage.Timing.Straddling].
var LateReplies = &stage.Fault{
	Name: "late-replies", Most: 64,
	About: "how many segments from {store} to a client may be late",
	One:   "a segment from {store} to a client that is held back for",
	Many:  "segments from {store} to clients that are held back for",
	Lasts: oneWay,
	Late: func(s *stage.Stage, budget int) sim.Lateness {
		return lateness(s, lateReply, oneWay, sim.Lateness{Budget: budget, Odds: oneWayOdds, Of: func(from, to *sim.Actor) bool {
			return s.Cluster.Node(from) != nil && s.Cluster.Node(to) == nil
		}})
	},
	Kinds:    []sim.Kind{lateReply},
	Describe: describeLate,
}

// LateRequests delay segments from a client to a store, by the same lengths. An operation on several independent
// servers sends each of them a request, so that the budget is for each server.
var LateRequests = &stage.Fault{
	Name: "late-requests", Most: 64, EachServer: true,
	About: "how many segments from a client to {store} may be late, for each independent server",
	One:   "a segment from a client to {store} that is held back for",
	Many:  "segments from clients to {store} that are held back for",
	Lasts: oneWay,
	Late: func(s *stage.Stage, budget int) sim.Lateness {
		return lateness(s, lateRequest, oneWay, sim.Lateness{Budget: budget, Odds: oneWayOdds, Of: func(from, to *sim.Actor) bool {
			return s.Cluster.Node(from) == nil && s.Cluster.Node(to) != nil
		}})
	},
	Kinds:    []sim.Kind{lateRequest},
	Describe: describeLate,
}

const oneWayOdds = 20

// bothWays and oneWay are the lengths of delays.
func bothWays(p stage.Params, t stage.Timing) stage.Lengths {
	return t.Straddling(p, p.TTL, p.TTL+t.Long)
}

func oneWay(p stage.Params, t stage.Timing) stage.Lengths {
	return t.Straddling(p, p.TTL*5/4, p.TTL+t.Long)
}

func lateness(s *stage.Stage, kind sim.Kind, lasts func(stage.Params, stage.Timing) stage.Lengths, l sim.Lateness) sim.Lateness {
	by := lasts(s.Params, s.Timing())
	l.Kind, l.By, l.Timeouts = kind, by.Fixed, by.Timeouts
	return l
}

// describeLate describes a late segment by its arrival, or by its delay if it never arrived.
func describeLate(t *stage.Choice) string {
	strike := t.Struck(sim.FaultLate)
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == sim.EventFault && e.Decision == t.ID() {
			by := t.At(e.Seq).For
			if t.Event != nil && !strike {
				return segmentText(t, t.Event) + " is late by " + traces.Briefly(by)
			}
			t.Event = e
			return fmt.Sprintf("a segment that %s sends at %s is late by %s", t.Actor, traces.Moment(e.At), traces.Briefly(by))
		}
	}
	return ""
}
