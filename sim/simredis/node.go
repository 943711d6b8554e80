package simredis

import (
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Node is one Redis server: an actor, a clock, a keyspace, and an engine that
// executes commands one at a time. Only the conductor uses it.
type Node struct {
	*sim.Actor
	cluster *Cluster
	world   *sim.World
	address string
	clock   *sim.Timepiece

	primary bool
	down    bool
	life    int // grows with every crash: what an earlier life sent is lost

	data   keyspace
	engine *miniredis.Miniredis // made when first needed
	expiry func()               // cancels the next expiry's event
	expAt  time.Time

	conns     map[*conn]bool
	queue     []job
	working   bool          // an event is scheduled for the head of the queue
	busyUntil time.Duration // executing until then

	// While a command runs:
	executing *conn
	nested    bool     // the next command that the engine sees is a script's
	touched   []string // keys that it may have changed
	readOnly  bool     // a script tried to write on a replica

	source   *Node // whom a replica follows
	offset   int64 // how much of the replication stream it has
	replicas []*link
	subs     subscriptions
}

func newNode(c *Cluster, number int) *Node {
	n := &Node{
		Actor:   c.world.NewActor(c.options.Name + strconv.Itoa(number)),
		cluster: c,
		world:   c.world,
		address: c.address(number),
		clock:   c.world.NewTimepiece(0, 0),
		data:    keyspace{},
		conns:   map[*conn]bool{},
		subs:    subscriptions{},
	}
	n.listen()
	return n
}

// Address is the node's own address.
func (n *Node) Address() string { return n.address }

// Clock is the node's clock. Expiry runs by it, in whole milliseconds. After
// a jump call [Node.ClockJumped].
func (n *Node) Clock() *sim.Timepiece { return n.clock }

// Down reports whether the node has crashed and not come back.
func (n *Node) Down() bool { return n.down }

// IsPrimary reports whether the node takes itself for a primary.
func (n *Node) IsPrimary() bool { return n.primary }

// Offset is how much of the replication stream the node has: of a primary,
// how much it has written.
func (n *Node) Offset() int64 { return n.offset }

// Lag is how much of its source's stream the replica does not have yet.
func (n *Node) Lag() int64 {
	if n.source == nil {
		return 0
	}
	return n.source.offset - n.offset
}

// now is the node's own time.
func (n *Node) now() time.Time { return n.clock.At(n.world.Now()).Truncate(time.Millisecond) }

func (n *Node) listen() {
	n.world.Network().Listen(n.address, n.Actor, func(s *sim.ServerConn) sim.Handler { return newConn(n, s) })
}

// Crash ends the node's process: its connections are reset, what it had in
// flight is lost, dials are refused. Its keyspace stays as on a disk that was
// written to the last moment.
func (n *Node) Crash() {
	if n.down {
		return
	}
	n.down = true
	n.life++
	n.world.Fault(n.Actor, sim.FaultCrash, 0)
	n.observe(model.Observation{Kind: model.Crashed})
	n.queue, n.engine = nil, nil
	n.subs = subscriptions{}
	n.conns = map[*conn]bool{}
	n.scheduleExpiry()
	if n.source != nil {
		n.source.drop(n)
		n.source = nil
	}
	n.world.Network().Crash(n.Actor)
}

// up brings a crashed node back with its keyspace.
func (n *Node) up() {
	if !n.down {
		return
	}
	n.down = false
	n.busyUntil = n.world.Now()
	n.listen()
	n.observe(model.Observation{Kind: model.Returned})
}

// promote makes a replica a primary.
func (n *Node) promote() {
	if n.source != nil {
		n.source.drop(n)
		n.source = nil
	}
	n.primary = true
	n.observe(model.Observation{Kind: model.Promoted})
	now := n.now()
	for _, key := range n.data.keys() {
		if e := n.data[key]; e.hidden || !e.expires.IsZero() && !e.expires.After(now) {
			delete(n.data, key)
			if !e.hidden {
				n.observeKey(model.KeyExpired, key, e, model.Origin{})
			}
		}
	}
	n.engine = nil // rebuilt from the keyspace when needed
	n.scheduleExpiry()
}

// ClockJumped makes the node look at its clock again, after it has jumped:
// absolute expiries stay, so what is left of every TTL changes.
func (n *Node) ClockJumped() {
	if n.engine != nil {
		n.rebuild()
	}
	n.expire()
	n.scheduleExpiry()
}

// observe reports something about the node.
func (n *Node) observe(o model.Observation) {
	e := n.world.Log(sim.Event{Kind: sim.EventNote, Actor: n.Name(), Peer: o.By.Client, Conn: o.By.Conn, Detail: describe(o)})
	o.Stamp = model.Stamp{Seq: e.Seq, At: e.At}
	o.Node, o.Primary = n.Name(), n.primary
	n.cluster.observe(o)
}

func describe(o model.Observation) string {
	if o.Key == "" {
		return string(o.Kind)
	}
	return string(o.Kind) + " " + o.Key
}

// observeKey reports what happened to a key; e is the key as it is now, or as
// it was before it went.
func (n *Node) observeKey(k model.ObservationKind, key string, e *entry, by model.Origin) {
	n.observe(n.keyObservation(k, key, e, by))
}

func (n *Node) keyObservation(k model.ObservationKind, key string, e *entry, by model.Origin) model.Observation {
	o := model.Observation{Kind: k, Key: key, Value: e.value.String(), Owner: e.owner, By: by}
	if !e.expires.IsZero() {
		o.ExpiresAt = n.clock.When(e.expires)
	}
	return o
}

// expire lets go of the keys whose time has come. A primary deletes them and
// says so to its replicas; a replica only hides them.
func (n *Node) expire() {
	now := n.now()
	if n.expAt.IsZero() || n.expAt.After(now) {
		return
	}
	for _, key := range n.data.keys() {
		e := n.data[key]
		if e.expires.IsZero() || e.hidden || e.expires.After(now) {
			continue
		}
		n.observeKey(model.KeyExpired, key, e, model.Origin{})
		if n.primary {
			delete(n.data, key)
			n.replicate(effect{key: key})
		} else {
			e.hidden = true
		}
	}
	n.scheduleExpiry()
}

// scheduleExpiry makes the next expiry an event of its own, so that it is
// observed when it happens and not when somebody looks.
func (n *Node) scheduleExpiry() {
	var next time.Time
	if !n.down {
		next = n.data.nextExpiry()
	}
	if next.Equal(n.expAt) {
		return
	}
	n.expAt = next
	if n.expiry != nil {
		n.expiry()
		n.expiry = nil
	}
	if !next.IsZero() {
		n.expiry = n.world.At(n.Actor, n.clock.When(next), sim.EventWork, sim.EventOptions{}, func() {
			n.expiry = nil
			n.expire()
		})
	}
}
