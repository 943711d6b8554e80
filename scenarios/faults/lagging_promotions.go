package faults

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Decisions about promotions of a lagging follower: whether a follower begins to lag, and which; then for how long,
// before the serving node crashes.
const (
	laggingPromotion      sim.Kind = "fault:lagging-promotion"
	laggingPromotionLasts sim.Kind = "fault:lagging-promotion-lasts"
)

// LaggingPromotions cut a follower off from its serving node, before any event, and make it the preferred one. After a
// while the serving node crashes, with all writes that the follower lacks, and returns a lease later. The while is a
// quarter of a lease, just under a lease, or two leases.
var LaggingPromotions = &stage.Fault{
	Name: "lagging-promotions", Most: 16,
	About: "how often a {serving} may crash when the {follower} that is to replace it lacks its last writes",
	One:   "a crash of the {serving} when the {follower} that is to replace it lacks the writes of",
	Many:  "crashes of the {serving} when the {follower} that is to replace it lacks the writes of",
	Lasts: lags,
	Needs: func(p stage.Params) string {
		if p.Followers > 0 {
			return ""
		}
		return "needs a {follower} to promote: set {follower}s"
	},
	Lacks: func(c stage.Cluster) string {
		if lacks := unlessElectors(c); lacks != "" {
			return lacks
		}
		return unlessNode[stage.Preferred]("no {follower} can be preferred")(c)
	},
	Resets: true,
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&laggards{Stage: s, actor: s.World.NewActor("lagging-promotions"), budget: budget})
	},
	Kinds:    []sim.Kind{laggingPromotion, laggingPromotionLasts},
	Describe: describeLagging,
}

const laggingPromotionOdds = 80

type laggards struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
}

// Before asks the tape whether a follower falls behind.
func (f *laggards) Before(sim.Upcoming) bool {
	if f.budget == 0 {
		return false
	}
	var list []successor
	for _, s := range f.Cluster {
		if s.Busy || len(s.Electors()) == 0 || !s.Serving().Up() {
			continue
		}
		for _, n := range s.Nodes() {
			if n != s.Serving() && n.Up() && !n.Serves() {
				list = append(list, successor{n, s})
			}
		}
	}
	option := f.World.Choose(sim.Decision{Kind: laggingPromotion, Actor: f.actor.Name(), Options: 1 + len(list), Odds: laggingPromotionOdds})
	if option == 0 {
		return false
	}
	f.budget--
	f.strike(list[option-1])
	return true
}

func (f *laggards) strike(next successor) {
	s, old := next.server, next.server.Serving()
	lengths := lags(f.Params, f.Timing())
	class := f.World.Choose(sim.Decision{Kind: laggingPromotionLasts, Actor: f.actor.Name(), Options: lengths.Count()})
	length := lengths.Fixed[class]
	cut := sim.Partition{A: []*sim.Actor{old.Actor()}, B: []*sim.Actor{next.Actor()}}
	s.Busy = true
	next.Node.(stage.Preferred).Prefer()
	f.World.Network().Part(cut, length)
	f.World.At(f.actor, f.World.Now()+length, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		old.Crash()
		f.World.Network().Unite(cut)
		f.Later(f.actor, f.Params.TTL, "restart", func() {
			if !old.Up() {
				s.Authority.(stage.Restarting).Restart(old, 0)
			}
			s.Busy = false
		})
	})
}

func lags(p stage.Params, _ stage.Timing) stage.Lengths {
	return stage.Lengths{Fixed: []time.Duration{p.TTL / 4, p.TTL * 9 / 10, p.TTL * 2}}
}

func describeLagging(t *stage.Choice) string {
	o := t.Observed()
	if o.Kind != model.Parted || o.Sides == nil {
		return ""
	}
	if t.Kind == laggingPromotionLasts {
		return story.List(o.Sides.A) + " crashes " + traces.Briefly(o.For) + " later"
	}
	return fmt.Sprintf("%s, the preferred successor of %s, learns nothing of it any more from %s on", story.List(o.Sides.B), story.List(o.Sides.A), traces.Moment(t.Event.At))
}

// unlessElectors is a Lacks function; it returns "" if a server has electors.
func unlessElectors(c stage.Cluster) string {
	for _, s := range c {
		if len(s.Electors()) > 0 {
			return ""
		}
	}
	return "no process but the {node}s chooses a {serving}"
}
