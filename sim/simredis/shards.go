package simredis

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// ShardsOptions describe a Redis Cluster.
type ShardsOptions struct {
	// Shards is the number of shards (default 3), and Replicas that of the replicas of each. There
	// are at most 254 nodes.
	Shards, Replicas int
	// NodeTimeout is cluster-node-timeout (default 15 s, as in Redis): how long a node is silent before
	// others suspect it, and how long a master without the majority goes on serving.
	NodeTimeout time.Duration
	// Service is the time that a node takes for one command (default 20 us).
	Service time.Duration
	// Name is the prefix of the nodes' names (default "redis"); they are numbered from 1, shard after
	// shard, and the first of a shard is its first master.
	Name string
	// Names are the nodes' names in that order, if they are not numbered from 1.
	Names []string
	// Subnet is the prefix of the nodes' addresses, an IPv4 literal without the last two numbers
	// (default "10.0"). The third number is that of the shard, from 1, and the last that of the node within it.
	Subnet string
	// Version is the kind and version of the server.
	Version Version
}

// Shards is a Redis Cluster: masters that share the hash slots, their replicas, and the bus between all
// nodes. Only the conductor may use it.
type Shards struct {
	world   *sim.World
	options ShardsOptions
	shards  []*Cluster
	members []*member
	reach   *server.Reach
	shown   []shownSlot // of those that have been moved
}

// NewShards adds a Redis Cluster to the world. It is healthy, and the slots are distributed evenly, as by
// redis-cli. Every observation of a node goes to observe.
func NewShards(w *sim.World, o ShardsOptions, observe func(model.Observation)) *Shards {
	if o.Shards == 0 {
		o.Shards = 3
	}
	if o.NodeTimeout == 0 {
		o.NodeTimeout = 15 * time.Second
	}
	if o.Name == "" {
		o.Name = "redis"
	}
	if o.Subnet == "" {
		o.Subnet = "10.0"
	}
	size := 1 + o.Replicas
	if o.Shards*size >= nobody {
		panic(fmt.Sprintf("simredis: a Redis Cluster of %d nodes is not supported", o.Shards*size))
	}
	for i := len(o.Names); i < o.Shards*size; i++ {
		o.Names = append(o.Names[:i:i], o.Name+strconv.Itoa(1+i))
	}
	b := &Shards{world: w, options: o}
	for i := range o.Shards {
		b.shards = append(b.shards, New(w, Options{
			Version:  o.Version,
			Replicas: o.Replicas, Service: o.Service, Names: o.Names[i*size : (i+1)*size],
			Subnet: o.Subnet + "." + strconv.Itoa(1+i),
		}, observe))
	}
	for i, n := range b.Nodes() {
		n.member = newMember(b, n, i)
		b.members = append(b.members, n.member)
	}
	slots := share(o.Shards, size)
	for _, m := range b.members {
		m.begin(o.Shards, size, &slots)
	}
	b.reach = server.NewReach(w, b.changed)
	return b
}

// Shards returns the shards as they were at the start: a master with its replicas. A node never leaves its shard
// here, even if it follows a master of another one.
func (b *Shards) Shards() []*Cluster { return b.shards }

// Nodes returns all nodes, shard after shard, in the order of their names.
func (b *Shards) Nodes() (list []*Node) {
	for _, c := range b.shards {
		list = append(list, c.Nodes()...)
	}
	return list
}

// Addresses returns the addresses of all nodes, in their order. Clients of a Redis Cluster may begin with any of them.
func (b *Shards) Addresses() (list []string) {
	for _, n := range b.Nodes() {
		list = append(list, n.Address())
	}
	return list
}

// Owner returns the node that really owns the key: among the masters that claim its slot, the one with the highest
// config epoch, whether it is up or not. Writes to another master are lost when that learns of the epoch. Owner
// returns nil if no master claims the slot, such as in a migration whose source was informed before the target.
func (b *Shards) Owner(key string) *Node { return b.ownerOf(Slot(key)) }

func (b *Shards) ownerOf(slot int) (owner *Node) {
	var most int64
	for _, m := range b.members {
		if epoch, claims := m.claims(slot); claims && (owner == nil || epoch > most) {
			owner, most = m.node, epoch
		}
	}
	return owner
}

// Claims reports whether the node takes itself for the master that owns the key's slot, and by which config epoch.
// It may be stale: see [Shards.Owner]. A node that is down claims what it did when it ended.
func (b *Shards) Claims(n *Node, key string) (epoch int64, claims bool) {
	if n.member == nil || n.member.bus != b {
		return 0, false
	}
	return n.member.claims(Slot(key))
}

// Serves reports whether the node would execute a command on the key: it is up, claims its slot, and its cluster is not down as far
// as it knows.
func (b *Shards) Serves(n *Node, key string) bool {
	_, claims := b.Claims(n, key)
	return claims && !n.Down() && n.member.healthy
}

// hears reports whether one node gets messages of another without delay.
func (b *Shards) hears(m, other *member) bool {
	return !other.node.Down() && !other.node.Hangs() && b.connected(m, other)
}
