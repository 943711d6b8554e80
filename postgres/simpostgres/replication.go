package simpostgres

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

// flushDelay is how long the last commits of synchronous_commit = off are not on the disk, at most: three times
// wal_writer_delay.
const flushDelay = 3 * 200 * time.Millisecond

// ship sends the changes of a commit to the standbys, and reports whether it has to wait for some of them. Those of
// synchronous_commit = off are sent when they are written to the disk.
func (n *Node) ship(s *session, c *storage.Changes) (waits bool) {
	if s.loads {
		return false
	}
	n.Position++
	e := effect{changes: c, by: s.Origin(), position: n.Position}
	mode := s.settings.show("synchronous_commit")
	if mode == "off" && !c.Define() {
		n.unsent = append(n.unsent, e)
		if n.flushes == nil || n.flushes.over {
			n.flushes = n.after(flushDelay, "the log is written to the disk", n.flush)
		}
		return false
	}
	n.sendUnsent()
	n.send(e)
	if n.cluster.options.Synchronous == 0 || mode == "local" || mode == "off" {
		return false
	}
	n.waitsForAck = append(n.waitsForAck, ackWait{s, e})
	return true
}

// flush writes the log to the disk.
func (n *Node) flush() {
	n.data.Flush()
	n.sendUnsent()
}

// sendUnsent sends what has been written to the disk now.
func (n *Node) sendUnsent() {
	n.flushes.Stop()
	list := n.unsent
	n.unsent = nil
	for _, e := range list {
		n.send(e)
	}
}

// send sends the effect of a commit to every standby.
func (n *Node) send(e effect) {
	for _, l := range n.Replicas {
		n.sendTo(l, e)
	}
}

// sendTo sends the effect of a commit to a standby.
func (n *Node) sendTo(l *failover.Link[*Node], e effect) {
	l.Send("replicate", func() {
		r := l.Replica.Server
		r.serve(forPeer, nil)
		r.Position = max(r.Position, e.position)
		r.data.Replicate(e.changes)
		r.settle()
		if n.cluster.options.Synchronous > 0 {
			l.Ack("ack", func() { n.Do(func() { n.heard(l, e.position) }) })
		}
	})
}

// heard handles an acknowledgement, which has the place in the log up to which the standby has it.
func (n *Node) heard(l *failover.Link[*Node], position int64) {
	l.Acked = max(l.Acked, position)
	n.waitsForAck = slices.DeleteFunc(n.waitsForAck, func(w ackWait) bool {
		if !n.acknowledged(w.effect.position) {
			return false
		}
		w.session.back.Wake()
		return true
	})
	n.settle()
}

// acknowledged reports whether enough standbys have the log up to a place.
func (n *Node) acknowledged(position int64) bool {
	count := 0
	for _, l := range n.Replicas {
		if l.Acked >= position {
			count++
		}
	}
	return count >= n.cluster.options.Synchronous
}

// resync makes the node follow the source from the source's present data, of which it has none that is not on the disk.
// Commits that wait for standbys are in the source's log, and not in its data yet: they follow the copy. Clients of the
// node are disconnected when it arrives.
func (n *Node) resync(source *Node) {
	source.flush()
	copied, position := source.data.Copy(), source.Position
	for _, w := range source.waitsForAck {
		position = min(position, w.effect.position-1)
	}
	var l *failover.Link[*Node]
	l = n.Resync(source.part, "full copy", func() {
		n.disconnect()
		n.data.Load(copied)
		if n.cluster.options.Synchronous > 0 {
			l.Ack("ack", func() { source.Do(func() { source.heard(l, position) }) })
		}
	})
	for _, w := range source.waitsForAck {
		source.sendTo(l, w.effect)
	}
}
