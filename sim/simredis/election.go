package simredis

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// The detection of a failed master, and its replacement by one of its replicas.

// ballot is the election in which a replica is a candidate.
type ballot struct {
	rank  int           // the number of its master's replicas that have more of the stream
	at    time.Duration // when it asks for votes
	epoch int64         // for which it has asked; 0 before
	votes int
}

// suspect notes that a node was not heard of for the node timeout. The member announces that a while later.
func (m *member) suspect(number int) {
	p := &m.peers[number]
	if p.failed {
		return
	}
	p.suspect = true
	m.update()
	m.gossip(func() bool { return p.suspect })
	m.convict(number)
}

// gossip announces news with the node's next ping, if still reports that it is valid then.
func (m *member) gossip(still func() bool) {
	wait := time.Duration(m.choose(busGossip, 3)) * m.bus.options.NodeTimeout / 4
	m.after(wait, func() {
		if still() {
			m.broadcast("ping")
		}
	})
}

// learnSuspects notes which nodes a master suspects.
func (m *member) learnSuspects(h header) {
	if h.master != nobody || m.owned()[h.from] == 0 {
		return
	}
	for i := range m.peers {
		p := &m.peers[i]
		known := slices.Index(p.reports, h.from)
		switch suspects := slices.Contains(h.suspects, i); {
		case suspects && known < 0:
			p.reports = append(p.reports, h.from)
		case !suspects && known >= 0:
			p.reports = slices.Delete(p.reports, known, known+1)
		}
		m.convict(i)
	}
}

// convict finds that a node has failed if a majority of the masters suspects it. All nodes get a message.
func (m *member) convict(number int) {
	p := &m.peers[number]
	if !p.suspect || p.failed {
		return
	}
	owned := m.owned()
	votes := 0
	if m.isMaster() && owned[m.number] > 0 {
		votes++
	}
	for _, r := range p.reports {
		if m.peers[r].silent == heardOf && m.peers[r].master == nobody && owned[r] > 0 {
			votes++
		}
	}
	if votes < m.quorum() {
		return
	}
	for _, other := range m.others() {
		m.post(other, "fail "+m.bus.members[number].node.Name(), func() { other.fail(number) })
	}
	m.fail(number)
}

// fail notes that a node has failed.
func (m *member) fail(number int) {
	p := &m.peers[number]
	if p.failed || number == m.number {
		return
	}
	p.suspect, p.failed, p.failedAt = false, true, m.node.world.Now()
	if p.silent == heardOf {
		m.answered(number) // the node that said so was behind
	}
	m.update()
	m.stand()
}

// ordered reports whether the member is a replica that may stand by an operator's
// order.
func (m *member) ordered() bool { return m.handover != nil && m.handover.ready }

// mayStand reports whether the member is a replica that may take its master's place: the master has slots, and has
// failed or is to be replaced by order.
func (m *member) mayStand() bool {
	master := m.self().master
	return master != nobody && (m.peers[master].failed || m.ordered()) && m.owned()[master] > 0
}

// stand makes a replica whose master has failed stand in an election, after a delay: its siblings with more of the stream go first.
func (m *member) stand() {
	if !m.mayStand() {
		if m.ballot != nil && m.ballot.epoch == 0 {
			m.ballot = nil
		}
		return
	}
	if m.ballot != nil {
		m.rank()
		m.count()
		return
	}
	master := m.self().master
	if p := m.peers[master]; !m.ordered() && p.silent != heardOf && m.node.world.Now()-p.silent > m.tooOld() {
		return
	}
	wait := time.Duration(0) // by order, at once
	if m.handover == nil {
		wait = 500*time.Millisecond + time.Duration(m.choose(busElection, 6))*100*time.Millisecond
	}
	m.ballot = &ballot{at: m.node.world.Now() + wait}
	m.rank()
	for _, o := range m.others() {
		if o.self().master == master {
			m.send(o, "pong", m.header(false)) // they learn its offset
		}
	}
	m.await(m.ballot)
}

// tooOld returns how long a replica may have been without its master and still stand: cluster-replica-validity-factor is 10.
func (m *member) tooOld() time.Duration { return 11*m.bus.options.NodeTimeout + 10*time.Second }

// rank postpones the election if another sibling has more of the stream.
func (m *member) rank() {
	rank := 0
	for i, p := range m.peers {
		if i != m.number && p.master == m.self().master && !p.failed && p.offset > m.node.Position {
			rank++
		}
	}
	if b := m.ballot; b.epoch == 0 && rank > b.rank && m.handover == nil {
		b.at += time.Duration(rank-b.rank) * time.Second
		b.rank = rank
	}
}

// await asks for votes when it is time.
func (m *member) await(b *ballot) {
	m.after(b.at-m.node.world.Now(), func() {
		switch {
		case m.ballot != b:
		case m.node.world.Now() < b.at:
			m.await(b)
		default:
			m.ask(b)
		}
	})
}

// ask asks all masters for their votes. If the votes are not enough, the replica asks again later.
func (m *member) ask(b *ballot) {
	m.epoch++
	b.epoch = m.epoch
	master := m.self().master
	h, failed, ordered := m.header(false), m.peers[master].failed, m.handover != nil
	for _, other := range m.others() {
		m.post(other, "vote?", func() {
			other.hear(h)
			if failed || ordered {
				other.vote(h, m, b, ordered)
			}
		})
	}
	timeout := max(2*m.bus.options.NodeTimeout, 2*time.Second)
	m.after(2*timeout, func() {
		if m.ballot == b {
			m.ballot = nil
			m.stand()
		}
	})
	m.after(timeout, func() {
		if m.ballot == b {
			b.epoch = -1 // votes that come later do not count
		}
	})
}

// vote decides whether a master votes for a replica: once for each epoch, and not for two replicas of one master within twice the
// node timeout. The master must have failed, unless an operator has ordered that it be replaced.
func (m *member) vote(h header, candidate *member, b *ballot, ordered bool) {
	now := m.node.world.Now()
	if !m.isMaster() || m.owned()[m.number] == 0 || h.epoch < m.epoch || m.voted >= m.epoch || h.master == nobody {
		return
	}
	p := &m.peers[h.master]
	if !p.failed && !ordered || p.voted != heardOf && now-p.voted < 2*m.bus.options.NodeTimeout {
		return
	}
	for _, slot := range h.slots {
		if owner := m.slots[slot]; owner != nobody && m.peers[owner].epoch > h.config {
			return
		}
	}
	m.voted, p.voted = m.epoch, now
	epoch := m.epoch
	m.post(candidate, "vote", func() { candidate.elect(b, epoch) })
}

// elect counts a vote. Votes count as long as the ballot lasts, even if the replica may not stand at the moment.
func (m *member) elect(b *ballot, epoch int64) {
	if m.ballot != b || epoch < b.epoch || b.epoch <= 0 {
		return
	}
	b.votes++
	m.count()
}

// count makes a replica that has the votes of the majority the master of its master's slots.
func (m *member) count() {
	if b := m.ballot; b.epoch > 0 && b.votes >= m.quorum() && m.mayStand() {
		m.takeOver(b.epoch)
	}
}

// takeOver makes a replica the master by a config epoch, with all slots of its master, and informs all nodes.
func (m *member) takeOver(epoch int64) {
	old := m.self().master
	m.ballot = nil
	m.self().master, m.self().epoch = nobody, epoch
	for _, slot := range m.slotsOf(old) {
		m.assign(slot, m.number)
	}
	m.node.cluster.servers.Elect(m.node.part, epoch, m.node.promoted)
	m.node.follows = nil
	m.update()
	m.broadcast("pong")
	m.endHandover()
}

// follow makes the member a replica of a master. Clients stay connected, except those that a WAIT blocks.
func (m *member) follow(master int) {
	was := m.isMaster()
	m.self().master, m.ballot, m.closed = master, nil, false
	clear(m.migrating)
	clear(m.importing)
	m.abandon()
	m.node.unblockAll()
	m.node.resync(m.bus.members[master].node)
	m.endHandover()
	m.gossip(func() bool { return m.self().master == master })
	if was {
		m.node.Observe(model.Observation{Kind: model.Returned})
	}
}

// drop removes the keys of a slot that another master has got.
func (m *member) drop(slot int) {
	for _, key := range m.keysIn(slot) {
		m.node.dropKey(key)
	}
	m.node.replicate()
}

// restart is the member's part in the restart of its process: it keeps its knowledge, and serves as a master only after
// it had time to learn of a new one.
func (m *member) restart(k Kept) error {
	n := m.node
	if !n.Down() {
		return fmt.Errorf("simredis: %s is up and cannot be started", n.Name())
	}
	n.up()
	if m.isMaster() {
		n.restore(k)
		n.expire()
		m.healthy, m.minority = false, false
		m.rejoins = n.world.Now() + 2*time.Second // CLUSTER_WRITABLE_DELAY
	} else {
		n.resync(m.bus.members[m.self().master].node)
	}
	for i := range m.peers {
		p := &m.peers[i]
		p.suspect, p.failed, p.reports = false, false, nil
	}
	m.update()
	for _, r := range m.bus.members {
		if r.self().master == m.number && !r.node.Down() {
			r.node.resync(n)
		}
	}
	m.again()
	return nil
}
