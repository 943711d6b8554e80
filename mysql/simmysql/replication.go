package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

// ship sends the changes of a transaction to the replicas, and reports whether it has to wait
// for one of them.
func (n *Node) ship(t *sql.Txn) (waits bool) {
	s := t.Client().(*session)
	images := t.Images()
	if len(images) == 0 || s.loads {
		return false
	}
	n.send(effect{images: images, by: s.Origin()})
	if !n.cluster.options.SemiSync || n.fallenBack { // without replicas it waits as well: rpl_semi_sync_master_wait_no_slave is ON
		return false
	}
	n.waitsForAck = append(n.waitsForAck, ackWait{s, t, n.Position})
	s.WaitFor(n.cluster.options.SemiSyncTimeout, "replication falls back to asynchronous", n.fallBack)
	return true
}

// fallBack ends the waits for replicas: replication is asynchronous from now on.
func (n *Node) fallBack() {
	n.fallenBack = true
	n.acknowledged(n.Position)
}

// acknowledged ends the waits for commits up to a position.
func (n *Node) acknowledged(position int64) {
	list := n.waitsForAck
	n.waitsForAck = nil
	for _, w := range list {
		if w.position > position {
			n.waitsForAck = append(n.waitsForAck, w)
			continue
		}
		w.session.Wake()
	}
}

// stopWaitingForAck lets a commit complete without a replica: it is in the log, and cannot be undone.
func (s *session) stopWaitingForAck() {
	n := s.node
	n.waitsForAck = slices.DeleteFunc(n.waitsForAck, func(w ackWait) bool { return w.session == s })
	s.StopWaiting()
}

// abandonAcks takes commits that wait for a replica off their sessions, which end. The
// method recover completes them.
func (n *Node) abandonAcks(end *sql.Ending) {
	for _, w := range n.waitsForAck {
		w.txn.Abandon(end)
		n.recovers = append(n.recovers, w.txn)
	}
	n.waitsForAck = nil
}

// recover completes the commits that waited for a replica when the server's process, or all sessions,
// ended.
func (n *Node) recover() {
	list := n.recovers
	n.recovers = nil
	for _, t := range list {
		t.Complete()
	}
	n.data.Purge()
}

// defined sends a definition that a session has executed to the replicas.
func (n *Node) defined(s *session, d sql.Definition) {
	if !s.loads {
		n.send(effect{define: &d})
	}
}

// send sends the effect of a commit to every replica.
func (n *Node) send(e effect) {
	n.Position++
	for _, l := range n.Replicas {
		n.sendTo(l, n.Position, e)
	}
}

// sendTo sends the effect of a commit at a position of the stream to a replica.
func (n *Node) sendTo(l *failover.Link[*Node], position int64, e effect) {
	l.Send("replicate", func() {
		r := l.Replica.Server
		r.serve(forPeer, nil)
		r.Position = max(r.Position, position)
		r.apply(e)
		if n.cluster.options.SemiSync {
			l.Ack("ack", func() { n.Do(func() { n.heard(l, position) }) })
		}
	})
}

// heard handles an acknowledgement, which has the number of commits that the replica
// has.
func (n *Node) heard(l *failover.Link[*Node], position int64) {
	l.Acked = max(l.Acked, position)
	if l.Acked == n.Position {
		n.fallenBack = false
	}
	n.acknowledged(position)
	n.data.Settle()
}

// apply repeats on a replica what was done at its source.
func (n *Node) apply(e effect) {
	r := n.data.Replicate()
	if e.define != nil {
		r.Define(*e.define)
	}
	for _, m := range e.images {
		r.Install(m, e.by)
	}
	r.End()
}

// resync makes the node follow the source from the source's present data. Commits that wait for a replica
// are in the source's log and not in its data yet: they follow the copy.
func (n *Node) resync(source *Node) {
	copied := source.data.Copy()
	l := n.Resync(source.part, "full copy", func() { n.data.Load(copied) })
	for _, w := range source.waitsForAck {
		source.sendTo(l, w.position, effect{images: w.txn.Images(), by: w.session.Origin()})
	}
}
