package simzk

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// changed looks at who reaches whom, after a server or a route has failed or come back.
// Servers lose each other when they have not heard of each other for syncTicks, or at
// once if one of them ends. No heartbeats are sent for that.
func (e *Ensemble) changed() {
	for _, n := range e.nodes {
		switch {
		case n.down || n.role == looking:
		case n.role == following && e.gone(n), n.role == leading && n.leads.deserted():
			n.look()
			e.changed()
			return
		case e.attended(n):
			n.alone = never
		case n.alone == never:
			n.alone = e.world.Now()
			e.checkLater(n)
		case e.world.Now()-n.alone >= e.patience() && !n.Hangs():
			n.look()
			e.changed()
			return
		}
	}
	e.join()
	e.callElection()
}

// patience is how long servers do without each other.
func (e *Ensemble) patience() time.Duration { return syncTicks * e.options.Tick }

func (e *Ensemble) checkLater(n *Node) {
	since, life := n.alone, n.life
	e.world.At(n.Actor, e.world.Now()+e.patience(), sim.EventWork, sim.EventOptions{Vital: true}, func() {
		if n.alone == since && n.life == life {
			e.changed()
		}
	})
}

// gone reports whether a follower's leader has ended or given up.
func (e *Ensemble) gone(n *Node) bool {
	l := n.leader
	return (l.down || l.role != leading || l.epoch != n.epoch) && !n.Hangs() && e.connected(n, l)
}

// deserted reports whether too few followers are left to a leader that does not hang.
func (l *leadership) deserted() bool {
	left := 1
	for _, f := range l.synced {
		if l.has(f) {
			left++
		}
	}
	return left < l.node.ensemble.quorum() && !l.node.Hangs()
}

// has reports whether a follower takes part, or is about to.
func (l *leadership) has(f *Node) bool { return !f.down && l.admitted[f] == f.life }

// attended reports whether a follower hears of its leader, or a leader of enough followers.
func (e *Ensemble) attended(n *Node) bool {
	if n.role == following {
		return e.hears(n, n.leader)
	}
	heard := 1
	for _, f := range n.leads.synced {
		if n.leads.has(f) && e.hears(n, f) {
			heard++
		}
	}
	return heard >= e.quorum()
}

// hears reports whether a server hears of another.
func (e *Ensemble) hears(n, other *Node) bool {
	return !other.down && !other.Hangs() && e.connected(n, other)
}

// callElection lets an election come to its end a while after a majority has begun to
// look for a leader.
func (e *Ensemble) callElection() {
	if e.election != nil || e.candidate(nil) == nil {
		return
	}
	e.election = e.world.At(e.candidate(nil).Actor, e.world.Now()+e.options.Election, sim.EventWork, sim.EventOptions{Vital: true}, func() {
		e.election = nil
		if n := e.candidate(nil); n != nil {
			e.elect(n)
		}
	})
}

// candidate is the server that an election would make the leader: of those that look for
// one, and have the votes of a majority, the one with the latest transaction, or the
// highest number. The preferred one is chosen if it has enough of the votes as well: those
// of servers that have no later transaction.
func (e *Ensemble) candidate(preferred *Node) *Node {
	var best *Node
	for _, n := range e.nodes {
		if !e.votes(n) || len(e.voters(n)) < e.quorum() {
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
func (e *Ensemble) votes(n *Node) bool { return e.looks(n) && !e.admitted(n) }

func (e *Ensemble) looks(n *Node) bool { return !n.down && !n.Hangs() && n.role == looking }

// admitted reports whether a leader is about to admit a server.
func (e *Ensemble) admitted(n *Node) bool {
	return slices.ContainsFunc(e.nodes, func(l *Node) bool { return l.role == leading && l.leads.has(n) })
}

// voters are the servers that would vote for a server, itself first.
func (e *Ensemble) voters(n *Node) []*Node {
	list := []*Node{n}
	for _, v := range e.nodes {
		if v != n && e.votes(v) && e.connected(n, v) && compareLogs(n, v) >= 0 {
			list = append(list, v)
		}
	}
	return list
}

// compareLogs compares the last transactions that two servers have accepted. Their numbers begin
// with the epoch of the leader that proposed them, so the later one has all that was committed.
func compareLogs(a, b *Node) int { return cmp.Compare(a.lastAccepted(), b.lastAccepted()) }

func (n *Node) lastAccepted() int64 {
	if len(n.log) == 0 {
		return 0
	}
	return n.log[len(n.log)-1].zxid
}

// elect makes a server the leader of those that have voted for it.
func (e *Ensemble) elect(n *Node) {
	if e.election != nil {
		e.election()
		e.election = nil
	}
	voters := e.voters(n)
	e.epoch++
	n.life++ // what another leader has sent it does not count any more
	n.lead(e.epoch)
	for _, v := range voters[1:] {
		n.leads.admit(v)
	}
	e.changed()
}

// elected is the moment from which on a leader serves.
func (e *Ensemble) elected(n *Node) {
	first := e.leader == nil
	e.leader = n
	o := model.Observation{Kind: model.Promoted, Authority: e.Name(), Epoch: n.epoch}
	if first {
		o.Kind = model.Serving
	}
	n.observe(o)
	n.leads.trackAll()
	e.join()
}

// join lets servers that look for a leader follow the one that there is.
func (e *Ensemble) join() {
	l := e.leader
	if l.down || l.role != leading || l.Hangs() || !l.leads.established {
		return
	}
	for _, n := range e.nodes {
		if e.votes(n) && e.connected(n, l) {
			l.leads.admit(n)
		}
	}
}

// Promote elects a server before it would be elected by itself, if a majority looks for a
// leader and would vote for it; otherwise it elects the one that has the votes, if one has.
func (e *Ensemble) Promote(n *Node) {
	if c := e.candidate(n); c != nil {
		e.elect(c)
	}
}
