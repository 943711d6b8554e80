package simredis

import (
	"slices"
	"strings"
	"time"
)

// A manual failover: an operator orders a replica to take its master's place, although the master is up.

// FailoverWay is the way of a manual failover: the argument of CLUSTER FAILOVER.
type FailoverWay int

// The ways.
const (
	// FailoverAgreed: the master first stops writes and reports the length of its stream. The replica asks for votes
	// when it has all of it.
	FailoverAgreed FailoverWay = iota
	// FailoverForced: the replica asks for votes at once, with the data that it has.
	FailoverForced
	// FailoverTakeOver: the replica takes the slots by a config epoch of its own, without
	// votes.
	FailoverTakeOver
)

// handover is the state of a manual failover at one of its two nodes.
type handover struct {
	until   time.Duration // when it is given up
	replica int           // at the master: the replica that takes its place; at that replica: nobody
	offset  int64         // at the replica: the length of the stream; -1 until the master reports it
	ready   bool          // at the replica: it may ask for votes
}

const (
	manualTimeout = 5 * time.Second // CLUSTER_MF_TIMEOUT

	errFailoverMaster = "ERR You should send CLUSTER FAILOVER to a replica"
	errFailoverDown   = "ERR Master is down or failed, please use CLUSTER FAILOVER FORCE"
)

// failoverCommand is CLUSTER FAILOVER.
func (m *member) failoverCommand(r *request) {
	way := FailoverAgreed
	if len(r.args) > 1 {
		r.out.WriteError("ERR unknown subcommand or wrong number of arguments for 'FAILOVER'. Try CLUSTER HELP.")
		return
	}
	if len(r.args) > 0 {
		switch strings.ToLower(r.args[0]) {
		case "force":
			way = FailoverForced
		case "takeover":
			way = FailoverTakeOver
		default:
			r.out.WriteError(errSyntax)
			return
		}
	}
	if reason := m.failover(way); reason != "" {
		r.out.WriteError(reason)
		return
	}
	r.out.WriteOK()
}

// Failover orders a replica of a Redis Cluster to take its master's place, and returns the error with which it
// refuses, empty if it does not. A replica that is down or hangs does nothing.
func (n *Node) Failover(way FailoverWay) (refused string) {
	switch {
	case n.member == nil:
		return errNoCluster
	case n.Down() || n.Hangs():
		return "down"
	}
	return n.member.failover(way)
}

func (m *member) failover(way FailoverWay) string {
	number := m.self().master
	if number == nobody {
		return errFailoverMaster
	}
	master := m.bus.members[number]
	if way == FailoverAgreed && (m.peers[number].failed || master.node.Down()) {
		return errFailoverDown
	}
	m.handOver(&handover{replica: nobody, offset: -1, ready: way == FailoverForced})
	switch way {
	case FailoverAgreed:
		m.post(master, "failover?", func() { master.stopWrites(m) })
	case FailoverForced:
		m.stand()
	case FailoverTakeOver:
		m.bumpEpoch()
		m.takeOver(m.self().epoch)
	}
	return ""
}

// handOver begins a manual failover, in place of the one under way. It is given up after a while.
func (m *member) handOver(h *handover) {
	m.endHandover()
	m.handover = h
	h.until = m.node.world.Now() + manualTimeout
	m.awaitHandover()
}

// awaitHandover gives up a manual failover when its time is over.
func (m *member) awaitHandover() {
	if h := m.handover; h != nil {
		m.after(max(0, h.until-m.node.world.Now()), func() {
			if m.handover == h {
				m.endHandover()
				m.stand()
			}
		})
	}
}

// endHandover ends the member's part in a manual failover, if it has one. A master goes on with the writes that have
// arrived.
func (m *member) endHandover() {
	m.handover = nil
	m.node.goOn()
}

// stopWrites makes a master hold writes back and report the length of its stream, since a replica is about to take its
// place. The master ignores a node that is not its replica as far as it knows.
func (m *member) stopWrites(replica *member) {
	if m.peers[replica.number].master != m.number || !m.isMaster() {
		return
	}
	m.handOver(&handover{replica: replica.number})
	m.node.holdsBack = true
	m.send(replica, "ping", m.header(true))
}

// handsOver reports whether the member is a master whose writes are stopped.
func (m *member) handsOver() bool { return m.handover != nil && m.handover.replica != nobody }

// learnEnd notes the length of the stream that a master with stopped writes reports.
func (m *member) learnEnd(h header) {
	if f := m.handover; f != nil && h.stopped && h.from == m.self().master && f.offset < 0 {
		f.offset = h.offset
		m.caughtUp()
	}
}

// caughtUp lets a replica stand if it has all of the stream of its master, whose writes are
// stopped.
func (m *member) caughtUp() {
	if f := m.handover; f != nil && !f.ready && f.offset >= 0 && m.node.Position >= f.offset && !m.node.Copying() {
		f.ready = true
		m.stand()
	}
}

// mayReplicate reports whether a command, or one of the transaction that it executes, may write: a master that holds writes
// back does not execute it.
func (s *spec) mayReplicate(c *conn) bool {
	if s.name == "exec" && c.tx != nil {
		return slices.ContainsFunc(c.tx.queue, func(r *request) bool { return r.mayReplicate(c) })
	}
	return s.write || slices.Contains([]string{"eval", "evalsha", "publish", "spublish"}, s.name)
}

// holdBack keeps a command until the node goes on with writes. Nothing else of its connection is executed before.
func (n *Node) holdBack(c *conn, words []string) {
	c.waiting = &waiter{conn: c, words: words, task: c.task, cancel: func() {}}
	n.heldBack = append(n.heldBack, c.waiting)
}

// goOn ends the stop of writes. It processes the commands that were held back, in order.
func (n *Node) goOn() {
	n.holdsBack = false
	for len(n.heldBack) > 0 {
		w := n.heldBack[0]
		n.forget(w)
		n.enqueue(job{conn: w.conn, words: w.words, task: w.task})
		for _, j := range w.held {
			n.enqueue(j)
		}
	}
}
