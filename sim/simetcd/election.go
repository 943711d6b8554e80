package simetcd

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// changed looks at who reaches whom, after a server or a route has failed or come back.
// Servers lose each other when they have not heard of each other for the election time-out.
// No heartbeats are sent for that. What a server that hangs does without does not count.
func (c *Cluster) changed() {
	for _, n := range c.nodes {
		switch {
		case n.down || n.leader == nil:
		case n.Hangs(), c.attended(n):
			n.alone = never
		case n.alone == never:
			n.alone = c.world.Now()
			c.checkLater(n)
		case c.world.Now()-n.alone >= c.options.Election:
			n.look()
			c.changed()
			return
		}
	}
	c.join()
	c.callElection()
}

func (c *Cluster) checkLater(n *Node) {
	since, life := n.alone, n.life
	c.world.At(n.Actor, c.world.Now()+c.options.Election, sim.EventWork, sim.EventOptions{Vital: true}, func() {
		if n.alone == since && n.life == life {
			c.changed()
		}
	})
}

// has reports whether a follower takes part, or is about to.
func (l *leadership) has(f *Node) bool {
	life, admitted := l.admitted[f]
	return admitted && !f.down && life == f.life
}

// attended reports whether a follower hears of its leader, or a leader of enough followers.
func (c *Cluster) attended(n *Node) bool {
	if n.leads == nil {
		l := n.leader
		return l.leads != nil && l.term == n.term && c.hears(n, l)
	}
	heard := 1
	for _, f := range n.leads.synced {
		if n.leads.has(f) && c.hears(n, f) {
			heard++
		}
	}
	return heard >= c.quorum()
}

// hears reports whether a server hears of another.
func (c *Cluster) hears(n, other *Node) bool {
	return !other.down && !other.Hangs() && c.connected(n, other)
}

// callElection lets an election come to its end a while after a majority has begun to
// look for a leader.
func (c *Cluster) callElection() {
	if c.election != nil || c.candidate(nil) == nil {
		return
	}
	c.election = c.world.At(c.candidate(nil).Actor, c.world.Now()+c.options.Vote, sim.EventWork, sim.EventOptions{Vital: true}, func() {
		c.election = nil
		if n := c.candidate(nil); n != nil {
			c.elect(n)
		}
	})
}

// candidate is the server that an election would make the leader: of those that look for
// one, and have the votes of a majority, the one with the latest log, or the highest number.
// The preferred one is chosen if it has enough of the votes as well: those of servers that
// have no later log.
func (c *Cluster) candidate(preferred *Node) *Node {
	var best *Node
	for _, n := range c.nodes {
		if !c.votes(n) || len(c.voters(n)) < c.quorum() {
			continue
		}
		if n == preferred {
			return n
		}
		if best == nil || compareLogs(n, best) >= 0 {
			best = n
		}
	}
	return best
}

// votes reports whether a server looks for a leader, and has not voted for one.
func (c *Cluster) votes(n *Node) bool {
	return !n.down && !n.Hangs() && n.leader == nil && !c.admitted(n)
}

// admitted reports whether a leader is about to admit a server.
func (c *Cluster) admitted(n *Node) bool {
	return slices.ContainsFunc(c.nodes, func(l *Node) bool { return l.leads != nil && l.leads.has(n) })
}

// voters are the servers that would vote for a server, itself first.
func (c *Cluster) voters(n *Node) []*Node {
	list := []*Node{n}
	for _, v := range c.nodes {
		if v != n && c.votes(v) && c.connected(n, v) && compareLogs(n, v) >= 0 {
			list = append(list, v)
		}
	}
	return list
}

// compareLogs compares what two servers have accepted: the log of the later term, or the
// longer of two of one term, has all that was committed.
func compareLogs(a, b *Node) int {
	return cmp.Or(cmp.Compare(a.accepted, b.accepted), cmp.Compare(len(a.log), len(b.log)))
}

// elect makes a server the leader of those that have voted for it.
func (c *Cluster) elect(n *Node) {
	if c.election != nil {
		c.election()
		c.election = nil
	}
	voters := c.voters(n)
	c.term++
	n.life++ // what another leader has sent it does not count any more
	n.lead(c.term)
	for _, v := range voters[1:] {
		n.leads.admit(v)
	}
	c.changed()
}

// elected is the moment from which on a leader serves.
func (c *Cluster) elected(n *Node) {
	first := c.leader == nil
	c.leader = n
	o := model.Observation{Kind: model.Promoted, Authority: c.Name(), Epoch: n.term}
	if first {
		o.Kind = model.Serving
	}
	n.observe(o)
	c.join()
}

// join lets servers that look for a leader, or have an earlier one, follow the one that
// there is. Those that have voted in a later term do not follow one of an earlier term.
func (c *Cluster) join() {
	l := c.leader
	if l.down || l.Hangs() || !l.Leads() || l.term < c.term {
		return
	}
	for _, n := range c.nodes {
		if n != l && !n.down && !n.Hangs() && (n.leader == nil || n.term < l.term) && c.connected(n, l) && !l.leads.has(n) {
			l.leads.admit(n)
		}
	}
}

// Promote elects a server before it would be elected by itself, if a majority looks for a
// leader and would vote for it; otherwise it elects the one that has the votes, if one has.
func (c *Cluster) Promote(n *Node) {
	if m := c.candidate(n); m != nil {
		c.elect(m)
	}
}

// lonelyElections is after how many election time-outs without a leader the streams end that
// need one.
const lonelyElections = 3

// loneliness ends the streams that need a leader if there is none for long. Whether there is one
// for a unary call is looked at when it begins, and not again.
func (n *Node) loneliness() {
	if n.lonely != nil || n.down {
		return
	}
	at := n.world.Now() + lonelyElections*n.cluster.options.Election
	n.lonely = n.world.At(n.Actor, at, sim.EventWork, sim.EventOptions{}, func() {
		n.lonely = nil
		n.do(func() {
			for _, r := range slices.Clone(n.calls) {
				if r.needsLeader && r.method.kind != unary && n.leader == nil {
					r.close(errNoLeader, nil)
				}
			}
		})
	})
}
