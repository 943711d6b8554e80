package simredis

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// The bus of a Redis Cluster. Nodes do not ping each other here: the faults of the world show who hears whom. The
// contents of a ping, its header, are sent when they have changed, and when two nodes hear of each other again.

// The kinds of decisions of the bus.
const (
	// busPing: how long before the beginning of a silence a node sent the ping that is not
	// answered.
	busPing sim.Kind = "fault:bus-ping"
	// busGossip: how long a node takes to announce which nodes it suspects or follows.
	busGossip sim.Kind = "fault:bus-gossip"
	// busReconnect: how long two nodes that reach each other again take to notice.
	busReconnect sim.Kind = "fault:bus-reconnect"
	// busResume: whether a node that resumes after a hang executes the requests of clients first, or reads the bus.
	busResume sim.Kind = "fault:bus-resume"
	// busElection: the random part of a replica's delay before it asks for votes.
	busElection sim.Kind = "fault:bus-election"
)

// lane carries messages to another node; nil before the first.
type lane struct{ *server.Lane }

// header describes a node in each of its messages.
type header struct {
	from        int
	epoch       int64 // the highest that it has heard of
	config      int64 // of the slots: its own config epoch, or its master's
	master      int   // the node that it follows; nobody for a master
	offset      int64
	slots       []int // that it owns, or its master does
	suspects    []int // nodes that it suspects, or knows to have failed
	wantsAnswer bool  // it is a ping
	stopped     bool  // it is a master that holds writes back
}

// connected reports whether two nodes reach each other.
func (b *Shards) connected(m, other *member) bool {
	return b.reach.Connected(m.node.Actor, other.node.Actor)
}

// changed updates which nodes hear each other, after a node or a route has failed or
// returned.
func (b *Shards) changed() {
	for _, m := range b.members {
		if m.node.Down() || m.node.Hangs() {
			continue
		}
		for _, other := range b.members {
			if other != m {
				m.listen(other)
			}
		}
	}
}

// listen notes whether another node is heard of.
func (m *member) listen(other *member) {
	p := &m.peers[other.number]
	hears := m.bus.hears(m, other)
	switch {
	case hears && p.silent != heardOf:
		p.silent = heardOf
		wait := time.Duration(1+m.choose(busReconnect, 4)) * 25 * time.Millisecond // its cron runs each 100 ms
		m.after(wait, func() {
			if p.silent == heardOf {
				m.send(other, "ping", m.header(true))
			}
		})
	case !hears && p.silent == heardOf:
		since := m.node.world.Now()
		p.silent = since
		timeout := m.bus.options.NodeTimeout
		wait := timeout + time.Duration(m.choose(busPing, 5))*timeout/8
		m.after(wait, func() {
			if p.silent == since {
				m.suspect(other.number)
			}
		})
	}
}

// choose asks the tape.
func (m *member) choose(k sim.Kind, options int) int {
	return m.node.world.Choose(sim.Decision{Kind: k, Actor: m.node.Name(), Options: options})
}

// after calls f after d, unless the member's process ends or stops before.
func (m *member) after(d time.Duration, f func()) {
	life := m.life
	m.node.world.At(m.node.Actor, m.node.world.Now()+d, sim.EventWork, sim.EventOptions{}, func() {
		if m.life == life {
			m.node.world.Log(sim.Event{Kind: sim.EventWork, Actor: m.node.Name(), Detail: "cluster"})
			f()
		}
	})
}

// stop cancels the member's plans: its process has ended, or hangs.
func (m *member) stop() {
	m.life++
	m.ballot, m.rejoining = nil, false
	if m.node.Down() {
		m.handover, m.closed = nil, false
	}
	if m.node.Down() && m.transfer != nil {
		m.transfer.cancel()
		m.transfer = nil
	}
	m.bus.changed()
}

// again makes a member that returns look again for nodes that it hears, and ping them.
func (m *member) again() {
	for _, other := range m.bus.members {
		p := &m.peers[other.number]
		p.silent = heardOf
		if other != m && m.bus.hears(m, other) {
			p.silent = m.node.world.Now()
		}
	}
	m.bus.changed()
}

// resume is the end of a hang. What has arrived on the bus is read before the requests of clients, or after them.
func (m *member) resume() {
	held := m.node.Held()
	read := func() {
		for _, f := range held {
			f()
		}
		m.update()
		m.awaitHandover()
		m.stand()
	}
	if m.choose(busResume, 2) == 0 {
		m.after(10*time.Millisecond, read)
	} else {
		read()
	}
	m.again()
}

// send sends the header to another node.
func (m *member) send(to *member, what string, h header) { m.post(to, what, func() { to.hear(h) }) }

// post sends a message to another node. It is lost if one of the two ends before it has arrived. A node that hangs
// reads it later.
func (m *member) post(to *member, what string, read func()) {
	l := &m.lanes[to.number]
	if l.Lane == nil {
		l.Lane = server.NewLane(m.node.world, m.node.Actor, to.node.Actor)
	}
	mine, its := m.node.life, to.node.life
	l.Send(what, func() bool { return m.node.life != mine || to.node.life != its || to.node.Down() }, func() {
		to.node.Do(func() {
			if to.node.life == its && !to.node.Down() {
				read()
			}
		})
	})
}

// broadcast sends the member's header to all nodes that it reaches.
func (m *member) broadcast(what string) {
	for _, other := range m.others() {
		m.send(other, what, m.header(false))
	}
}

// others returns the other nodes that the member reaches. Those that hang read messages later.
func (m *member) others() []*member {
	return slices.DeleteFunc(slices.Clone(m.bus.members), func(o *member) bool {
		return o == m || o.node.Down() || !m.bus.connected(m, o)
	})
}

// header describes the member in each message. A replica has its master's slots.
func (m *member) header(ping bool) header {
	master := m.masterOf(m.number)
	h := header{
		from: m.number, epoch: m.epoch, config: m.peers[master].epoch, master: m.self().master,
		offset: m.node.Position, slots: m.slotsOf(master), wantsAnswer: ping, stopped: m.handsOver(),
	}
	for i, p := range m.peers {
		if p.suspect || p.failed {
			h.suspects = append(h.suspects, i)
		}
	}
	return h
}

// slotsOf returns the slots of a node.
func (m *member) slotsOf(number int) (list []int) {
	for slot, owner := range &m.slots {
		if int(owner) == number {
			list = append(list, slot)
		}
	}
	return list
}

// hear processes the header of another node.
func (m *member) hear(h header) {
	from := &m.peers[h.from]
	m.epoch = max(m.epoch, h.epoch)
	from.offset = h.offset
	m.answered(h.from)
	m.learnRole(h)
	if h.master == nobody {
		from.epoch = max(from.epoch, h.config)
		m.learnSlots(h.from, h.config, h.slots)
	}
	m.correct(h)
	if h.master == nobody && m.isMaster() && h.config == m.self().epoch && m.bus.members[h.from].id > m.id {
		m.epoch++ // a collision of epochs: the smaller ID moves on
		m.self().epoch = m.epoch
		m.broadcast("pong")
	}
	m.learnSuspects(h)
	m.learnEnd(h)
	m.update()
	m.stand()
	if h.wantsAnswer {
		m.send(m.bus.members[h.from], "pong", m.header(false))
	}
}

// answered notes that a node is heard of again. The failure of a master with slots is revoked only a while later.
func (m *member) answered(number int) {
	p := &m.peers[number]
	p.suspect = false
	if !p.failed {
		return
	}
	const undo = 2 // CLUSTER_FAIL_UNDO_TIME_MULT
	wait := p.failedAt + undo*m.bus.options.NodeTimeout - m.node.world.Now()
	if p.master != nobody || m.owned()[number] == 0 || wait <= 0 {
		p.failed = false
		return
	}
	since := p.failedAt
	m.after(wait, func() {
		if p.failed && p.failedAt == since && p.silent == heardOf {
			p.failed = false
			m.update()
			m.stand()
		}
	})
}

// learnRole notes the role that a node reports.
func (m *member) learnRole(h header) {
	p := &m.peers[h.from]
	if p.master == nobody && h.master != nobody {
		for _, slot := range m.slotsOf(h.from) {
			m.assign(slot, nobody)
		}
	}
	p.master = h.master
}

// learnSlots gives to a master the slots that it claims by its config epoch, unless their owner has a higher one.
func (m *member) learnSlots(owner int, epoch int64, slots []int) {
	master := m.masterOf(m.number)
	lost := false
	var dirty []int
	for _, slot := range slots {
		had := int(m.slots[slot])
		_, importing := m.importing[slot]
		if had == owner || importing || had != nobody && m.peers[had].epoch >= epoch {
			continue
		}
		lost = lost || had == master
		if had == m.number {
			dirty = append(dirty, slot)
		}
		m.assign(slot, owner)
	}
	switch {
	case lost && m.owned()[master] == 0:
		m.follow(owner)
	default:
		for _, slot := range dirty {
			m.drop(slot)
		}
	}
}

// correct informs a node that claims a slot of the master that owns it by a higher config epoch.
func (m *member) correct(h header) {
	for _, slot := range h.slots {
		owner := int(m.slots[slot])
		if owner == nobody || owner == h.from || owner == h.master || m.peers[owner].epoch <= h.config {
			continue
		}
		epoch, slots := m.peers[owner].epoch, m.slotsOf(owner)
		to := m.bus.members[h.from]
		m.post(to, "update", func() { to.updated(owner, epoch, slots) })
		return
	}
}

// updated is the arrival of an update about another master.
func (m *member) updated(owner int, epoch int64, slots []int) {
	p := &m.peers[owner]
	if p.epoch >= epoch || owner == m.number {
		return
	}
	p.master, p.epoch = nobody, epoch
	m.learnSlots(owner, epoch, slots)
	m.update()
	m.stand()
}
