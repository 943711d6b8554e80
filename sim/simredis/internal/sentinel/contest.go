package sentinel

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// contest makes sentinels stand at the same moment. By themselves they do so if their timers happen to go off within
// the time that a message takes.
type contest[S Server[S]] struct {
	on    bool           // for the next election
	stand []*Sentinel[S] // those that are about to
}

// Contested reports whether a sentinel takes its master for down, and none leads a failover, or tries to.
func (g *Group[S]) Contested() bool {
	down := func(s *Sentinel[S]) bool { return s.failover == nil && s.views[s.master].down }
	return !g.contest.on && slices.ContainsFunc(g.sentinels, down) &&
		!slices.ContainsFunc(g.sentinels, func(s *Sentinel[S]) bool { return s.failover != nil })
}

// Contest lets the sentinels that begin the next failover do so at the same moment, so that each votes for itself.
func (g *Group[S]) Contest() { g.contest.on = true }

// joins reports whether a sentinel that would begin a failover waits for the others: until all of them are about
// to, or, since some may not be, for a second.
func (c *contest[S]) joins(s *Sentinel[S]) bool {
	g := s.group
	if !c.on {
		return false
	}
	if slices.Contains(c.stand, s) {
		return true
	}
	c.stand = append(c.stand, s)
	switch len(c.stand) {
	case len(g.sentinels):
		c.begin()
	case 1:
		g.world.At(s.Actor, g.world.Now()+g.rules.Second, sim.EventWork, sim.EventOptions{}, func() {
			if slices.Contains(c.stand, s) {
				c.begin()
			}
		})
	}
	return true
}

// begin lets those begin that still would.
func (c *contest[S]) begin() {
	stand := c.stand
	c.on, c.stand = false, nil
	for _, s := range stand {
		s.Do(func() {
			if !s.Down() && !s.tilted && s.failover == nil && s.odown {
				s.start(false)
			}
		})
	}
}
