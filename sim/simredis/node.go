package simredis

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Node is one Redis server: an actor, a clock, a keyspace, and an engine that executes commands one
// at a time. It has an Address of its own. IsPrimary reports whether it takes itself for a primary,
// Lag returns how much of its source's stream a replica does not have yet, Down reports whether it
// has crashed and not returned, and Hangs whether it hangs. Only the conductor may use a Node.
type Node struct {
	*part
	cluster *Cluster
	member  *member // of a Redis Cluster; nil if the node is no part of one
	world   *sim.World
	clock   *sim.Timepiece
	follows *Node // the source that its configuration names, nil of a primary

	// life grows whenever the node loses all of its connections. Jobs of an earlier
	// life in its queue are lost.
	life int

	data     keyspace
	journal  journal              // how to undo what is not on the disk yet
	crashed  time.Duration        // when it went down last
	versions map[string]int64     // of keys: how often they have changed
	engine   *miniredis.Miniredis // made when first needed
	lua      *interpreter         // made when first needed
	scripts  map[string]*script   // by their hashes
	random   *rand.Rand           // made when first needed
	expiry   func()               // cancels the next expiry's event
	expAt    time.Time            // when that is, by the node's clock

	meter     func(command string) time.Duration // nil: the service time of the options
	queue     []job
	working   bool          // an event is scheduled for the head of the queue
	busyUntil time.Duration // executing, or hanging, until then
	subs      subscriptions
	tracks    trackers
	counts    commandCounts

	holdsBack bool      // writes, until another has taken its place
	heldBack  []*waiter // the connections of such writes, in their order

	effects []effect // of the command under execution: not replicated yet
	waiters []*waiter
	good    goodReplicas

	priority int           // decides before the offset which replica is promoted
	unlinked time.Duration // since when its link to its source is down; never while it is up
}

func newNode(c *Cluster, number int) {
	n := &Node{
		cluster:  c,
		world:    c.world,
		data:     keyspace{},
		versions: map[string]int64{},
		scripts:  map[string]*script{},
	}
	address := c.options.Subnet + "." + strconv.Itoa(number) + ":6379"
	n.part = c.Add(n, c.name(number), address, func(s *sim.ServerConn) sim.Handler { return newConn(n, s) }, n.resync)
	n.clock = c.world.NewTimepiece(0, 0)
	n.good.node, n.unlinked, n.priority = n, never, usualPriority
	if number > 1 && number == 1+c.options.Preferred {
		n.Prefer()
	}
}

// Clock returns the node's clock. Expiry runs by it, in whole milliseconds. After
// a jump call [Node.ClockJumped].
func (n *Node) Clock() *sim.Timepiece { return n.clock }

// Offset returns the number of bytes of the replication stream that the node has or,
// for a primary, has written.
func (n *Node) Offset() int64 { return n.Position }

// now returns the node's own time.
func (n *Node) now() time.Time { return n.clock.At(n.world.Now()).Truncate(time.Millisecond) }

// draws returns the node's own stream of random numbers. It is seeded when a command
// first needs it, so that runs without such commands have no decision about a seed.
func (n *Node) draws() *rand.Rand {
	if n.random == nil {
		seed := n.world.Choose(sim.Decision{Kind: sim.Seed, Actor: n.Name(), Options: 1 << 31})
		n.random = sim.NewRand(uint64(seed), n.Name())
	}
	return n.random
}

// Crash ends the node's process: its connections are reset, its messages in flight are
// lost, dials are refused. Its keyspace remains, as on a disk that was written to the
// last moment.
func (n *Node) Crash() {
	if !n.part.Crash(n.Observe) {
		return
	}
	n.crashed = n.world.Now()
	_ = n.Held() // what has arrived while it hung is lost
	n.disconnect()
	n.world.Network().Crash(n.Actor)
	n.engine, n.lua, n.random = nil, nil, nil
	n.scripts = map[string]*script{}
	n.counts = nil
	n.scheduleExpiry()
	n.Leave()
	n.cluster.changed()
	if n.member != nil {
		n.member.stop()
	}
}

// disconnect resets all connections, each client by an event of its own.
func (n *Node) disconnect() {
	n.life++
	n.queue, n.working = nil, false
	n.subs, n.tracks = nil, trackers{}
	for len(n.waiters) > 0 {
		n.forget(n.waiters[0])
	}
	n.holdsBack, n.heldBack = false, nil
	for _, c := range n.world.Network().Conns(n.Actor) {
		c.Reset(n.Actor)
	}
}

// up brings a crashed node back with its keyspace.
func (n *Node) up() {
	n.busyUntil = n.world.Now()
	n.Start()
	n.Observe(model.Observation{Kind: model.Returned})
	n.reveal() // its clock may have gone back meanwhile
	n.scheduleExpiry()
	n.cluster.changed()
}

// follow makes the node a replica of another, with its data. If it is up and acted as a primary, its
// clients are disconnected.
func (n *Node) follow(source *Node) {
	wasPrimary := n.IsPrimary()
	n.resync(source)
	switch {
	case n.Down():
		n.up()
	case wasPrimary:
		n.disconnect()
		n.Observe(model.Observation{Kind: model.Returned})
	}
}

// promoted makes the changes of a replica that has become a primary.
func (n *Node) promoted() {
	now := n.now()
	for _, key := range n.data.keys() {
		switch e := n.data[key]; {
		case e.hidden:
			n.enter(key, nil)
			n.invalidate(key)
		case e.expired(now):
			n.removeExpired(key)
		}
	}
	n.replicate()
	n.broadcast()
	n.cluster.changedLinks()
}

// lookup returns a key of the node that is not hidden, or nil.
func (n *Node) lookup(key string) *entry {
	if e := n.data[key]; e != nil && !e.hidden {
		return e
	}
	return nil
}

// change enters a command's change of a key; now is nil if it deleted the key.
func (n *Node) change(key string, now *entry, by model.Origin) {
	old := n.data[key]
	n.touched(key)
	n.effects = append(n.effects, effect{key, now, by})
	n.enter(key, now)
	if now == nil {
		n.observeKey(model.RecordDeleted, key, old, by)
	} else {
		n.observeWrite(key, old, now, by)
	}
}

// put gives a key a value and an expiry, zero for none; the request's client
// owns it from now on.
func (n *Node) put(r *request, key string, v value, expires time.Time) {
	n.change(key, &entry{value: v, expires: expires, owner: r.by()}, r.by())
	n.refresh(key)
}

// dropKey removes a key that the node has lost.
func (n *Node) dropKey(key string) {
	e := n.data[key]
	n.enter(key, nil)
	n.touched(key)
	n.effects = append(n.effects, effect{key: key})
	n.observeKey(model.RecordDropped, key, e, model.Origin{})
	n.refresh(key)
}

// remove deletes a key, if there is one.
func (n *Node) remove(r *request, key string) { n.delete(key, r.by()) }

func (n *Node) delete(key string, by model.Origin) {
	if n.data[key] != nil {
		n.change(key, nil, by)
		n.refresh(key)
	}
}

// removeExpired deletes a primary's key that has expired.
func (n *Node) removeExpired(key string) {
	e := n.data[key]
	n.enter(key, nil)
	n.touched(key)
	n.effects = append(n.effects, effect{key: key})
	n.observeKey(model.RecordExpired, key, e, model.Origin{})
	n.refresh(key)
}
