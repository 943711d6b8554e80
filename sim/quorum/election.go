package quorum

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// Changed updates which servers reach each other, after a server or a route has failed
// or returned.
func (g *Group[S, E]) Changed() {
	for _, m := range g.members {
		switch {
		case m.Down() || m.leader == nil:
		case g.rules.AtOnce && m.bereft():
			m.look()
			g.Changed()
			return
		case m.Attended(), m.Hangs() && !g.rules.HangCounts:
			m.alone = never
		case m.alone == never:
			m.alone = g.world.Now()
			g.checkLater(m)
		case g.world.Now()-m.alone >= g.rules.Patience && !m.Hangs():
			m.look()
			g.Changed()
			return
		}
	}
	g.Join()
	g.callElection()
}

func (g *Group[S, E]) checkLater(m *Member[S, E]) {
	since, life := m.alone, m.Life
	g.world.At(m.Actor, g.world.Now()+g.rules.Patience, sim.EventWork, sim.EventOptions{Vital: true}, func() {
		if m.alone == since && m.Life == life {
			g.Changed()
		}
	})
}

// bereft reports whether a server knows without waiting that its leader has ended or given up
// or, for a leader, that it has too few followers left.
func (m *Member[S, E]) bereft() bool {
	switch {
	case m.Hangs():
		return false
	case m.leads != nil:
		return 1+len(m.leads.Followers()) < m.group.Quorum()
	}
	return (m.leader.Down() || !m.led()) && m.group.connected(m, m.leader)
}

// led reports whether the leader of a server leads in its term.
func (m *Member[S, E]) led() bool { return m.leader.leads != nil && m.leader.Term == m.Term }

// Attended reports whether a follower hears from its leader, or a leader from enough
// followers.
func (m *Member[S, E]) Attended() bool {
	if m.leads == nil {
		return (m.led() || m.Hangs()) && m.hears(m.leader)
	}
	heard := 1
	for _, f := range m.leads.Followers() {
		if m.hears(f) {
			heard++
		}
	}
	return heard >= m.group.Quorum()
}

// hears reports whether a server hears from another.
func (m *Member[S, E]) hears(other *Member[S, E]) bool {
	return !other.Down() && !other.Hangs() && m.group.connected(m, other)
}

// callElection schedules the end of an election, a while after a majority has begun to
// look for a leader.
func (g *Group[S, E]) callElection() {
	if g.election != nil || g.candidate(nil) == nil {
		return
	}
	g.election = g.world.At(g.candidate(nil).Actor, g.world.Now()+g.rules.Vote, sim.EventWork, sim.EventOptions{Vital: true}, func() {
		g.election = nil
		if m := g.candidate(nil); m != nil {
			g.elect(m)
		}
	})
}

// candidate returns the server that an election would make the leader: of those that look for a leader
// and have the votes of a majority, the one with the greatest log and, of equals, the highest number.
// The preferred server is chosen if it has a majority, too; it has the votes of servers without a
// greater log.
func (g *Group[S, E]) candidate(preferred *Member[S, E]) *Member[S, E] {
	var best *Member[S, E]
	for _, m := range g.members {
		if !m.votes() || len(m.voters()) < g.Quorum() {
			continue
		}
		if m == preferred {
			return m
		}
		if best == nil || g.rules.Compare(m.Server, best.Server) >= 0 {
			best = m
		}
	}
	return best
}

// votes reports whether a server looks for a leader, and has not voted for one.
func (m *Member[S, E]) votes() bool {
	return !m.Down() && !m.Hangs() && m.leader == nil && !m.Admitted()
}

// Admitted reports whether the server is, or is about to be, a follower of one that leads.
func (m *Member[S, E]) Admitted() bool {
	return slices.ContainsFunc(m.group.members, func(l *Member[S, E]) bool { return l.leads != nil && l.leads.has(m) })
}

// voters returns the servers that would vote for a server, itself first.
func (m *Member[S, E]) voters() []*Member[S, E] {
	list := []*Member[S, E]{m}
	for _, v := range m.group.members {
		if v != m && v.votes() && m.group.connected(m, v) && m.group.rules.Compare(m.Server, v.Server) >= 0 {
			list = append(list, v)
		}
	}
	return list
}

// elect makes a server the leader of those that have voted for it.
func (g *Group[S, E]) elect(m *Member[S, E]) {
	if g.election != nil {
		g.election()
		g.election = nil
	}
	voters := m.voters()
	g.term++
	m.Life++ // messages of an earlier leader do not count any more
	m.lead(g.term)
	for _, v := range voters[1:] {
		m.leads.admit(v)
	}
	g.Changed()
}

// Join lets servers follow the present leader, as [Rules].Joins says.
func (g *Group[S, E]) Join() {
	l := g.leader
	if l.Down() || l.Hangs() || !l.Leads() {
		return
	}
	for _, m := range g.members {
		if m != l && !m.Down() && !m.Hangs() && g.rules.Joins(m.Server, l.Server) && g.connected(m, l) && !l.leads.has(m) {
			l.leads.admit(m)
		}
	}
}

// Promote elects a server at once, if a majority looks for a leader and would vote for it;
// otherwise it elects the server that has the votes, if any.
func (g *Group[S, E]) Promote(n S) {
	i := slices.IndexFunc(g.members, func(m *Member[S, E]) bool { return m.Server == n })
	if m := g.candidate(g.members[i]); m != nil {
		g.elect(m)
	}
}
