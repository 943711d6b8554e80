package simredis

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// nobody is not the number of a node.
const nobody = 255

// member is a node's part in a Redis Cluster, with its knowledge of the others, which may be
// wrong.
type member struct {
	node   *Node
	bus    *Shards
	number int // of the node in the cluster
	id     string

	peers     []peer       // all nodes, itself included
	slots     [Slots]uint8 // the number of the node that serves each slot
	migrating map[int]int  // slots that go to another node, by its number
	importing map[int]int  // slots that come from another node, by its number
	epoch     int64        // the highest that it has heard of
	voted     int64        // the epoch of its last vote

	healthy  bool          // its cluster is up, as far as it knows
	closed   bool          // it has been shown as a master that serves nobody
	minority bool          // it reaches no majority of masters
	rejoins  time.Duration // when a master serves again at the earliest
	ballot   *ballot       // of a replica that is a candidate, or is about to be one
	handover *handover     // the manual failover that it takes part in
	transfer *transfer     // the MIGRATE under way
	lanes    []lane        // to each node

	life      int  // grows when its process ends or stops
	rejoining bool // it looks again when it may serve
}

// peer is a node's knowledge of another one, or of itself.
type peer struct {
	master  int   // the number of the master that it follows; nobody for a master
	epoch   int64 // its config epoch
	offset  int64 // how much of the replication stream it has
	suspect bool  // PFAIL: it was not heard of for the node timeout
	failed  bool  // FAIL: a majority of masters suspects it
	// failedAt is when it failed; silent is when it was heard of last, never if it is heard of; and voted is
	// when the node last voted for a replica of it.
	failedAt, silent, voted time.Duration
	reports                 []int // which masters suspect it, in the order of their reports
}

const heardOf = time.Duration(-1)

func newMember(b *Shards, n *Node, number int) *member {
	return &member{
		node: n, bus: b, number: number, id: sha1Hex("node " + n.Name()),
		migrating: map[int]int{}, importing: map[int]int{}, healthy: true,
	}
}

// begin makes the member know the cluster as it is at the start: shards of a number of nodes each, of which the first is the master.
func (m *member) begin(shards, size int, slots *[Slots]uint8) {
	m.slots = *slots
	m.epoch = int64(shards * size) // redis-cli gives every node an epoch
	m.peers, m.lanes = make([]peer, shards*size), make([]lane, shards*size)
	for i := range m.peers {
		p := &m.peers[i]
		p.master, p.silent, p.voted = i-i%size, heardOf, heardOf
		p.epoch = int64(1 + i%size*shards + i/size)
		if i%size == 0 {
			p.master = nobody
		}
	}
}

// share shares out the slots evenly among the first nodes of shards of a number of nodes each.
func share(shards, size int) (owners [Slots]uint8) {
	for shard := range shards {
		for slot := firstSlot(shard, shards); slot < firstSlot(shard+1, shards); slot++ {
			owners[slot] = uint8(shard * size)
		}
	}
	return owners
}

// firstSlot returns the first slot of a shard, by redis-cli's way to share them out.
func firstSlot(shard, shards int) int {
	return int(float64(shard)*(Slots/float64(shards)) + 0.5)
}

// self returns what the member knows of itself.
func (m *member) self() *peer { return &m.peers[m.number] }

// isMaster reports whether the member takes itself for a master.
func (m *member) isMaster() bool { return m.self().master == nobody }

// master is the master whose slots a node serves, or has copies of, as far as the member knows: that node itself if it is one.
func (m *member) masterOf(number int) int {
	if p := m.peers[number]; p.master != nobody {
		return p.master
	}
	return number
}

// claims reports whether the member takes itself for the master of a slot, and by which config epoch.
func (m *member) claims(slot int) (epoch int64, claims bool) {
	return m.self().epoch, m.isMaster() && int(m.slots[slot]) == m.number
}

// owned returns the number of slots that each node owns, as far as the member knows.
func (m *member) owned() []int {
	counts := make([]int, len(m.peers))
	for _, owner := range &m.slots {
		if owner != nobody {
			counts[owner]++
		}
	}
	return counts
}

// quorum returns how many masters with slots are a majority of them.
func (m *member) quorum() int {
	size := 0
	for _, n := range m.owned() {
		if n > 0 {
			size++
		}
	}
	return size/2 + 1
}

// keysIn returns the keys of a slot that the node has, in order.
func (m *member) keysIn(slot int) (keys []string) {
	for _, key := range m.node.data.keys() {
		if Slot(key) == slot {
			keys = append(keys, key)
		}
	}
	return keys
}

// find returns the number of the node with the ID, if there is one.
func (m *member) find(id string) (number int, known bool) {
	for _, other := range m.bus.members {
		if other.id == id {
			return other.number, true
		}
	}
	return nobody, false
}

// assign gives a slot to another node, nobody for none. The subscribers of its sharded channels learn that it has moved.
func (m *member) assign(slot, owner int) {
	if int(m.slots[slot]) == owner {
		return
	}
	m.slots[slot] = uint8(owner)
	m.node.dropShardChannels(slot)
}

// update decides whether the cluster is up, as far as the member knows: all slots are served, and it reaches a majority
// of the masters. A master that returns serves only after a while, so that it can first learn of a node that has taken
// its place.
func (m *member) update() {
	defer m.bus.show()
	defer m.showClosed()
	now := m.node.world.Now()
	up := true
	for _, owner := range &m.slots {
		if owner == nobody || m.peers[owner].failed {
			up = false
			break
		}
	}
	reachable := 0
	for i, n := range m.owned() {
		if p := m.peers[i]; n > 0 && !p.suspect && !p.failed {
			reachable++
		}
	}
	was := m.minority
	if m.minority = reachable < m.quorum(); m.minority {
		up = false
	} else if was {
		m.rejoins = now + min(max(m.bus.options.NodeTimeout, 500*time.Millisecond), 5*time.Second)
	}
	if up && !m.healthy && m.isMaster() && now < m.rejoins {
		m.rejoin()
		return
	}
	m.healthy = up
}

// showClosed reports a master that refuses all requests, or serves again.
func (m *member) showClosed() {
	closed := m.isMaster() && !m.healthy
	if closed == m.closed {
		return
	}
	kind := model.Opened
	if closed {
		kind = model.Closed
	}
	m.closed = closed
	m.node.Observe(model.Observation{Kind: kind})
}

// rejoin looks again when a master may serve.
func (m *member) rejoin() {
	if m.rejoining {
		return
	}
	m.rejoining = true
	m.after(m.rejoins-m.node.world.Now(), func() {
		m.rejoining = false
		m.update()
	})
}
