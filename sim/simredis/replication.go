package simredis

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// effect is what a primary did to one key, with an absolute expiry: the unit
// of replication. Without a value the key was deleted.
type effect struct {
	key     string
	value   value
	expires time.Time
	owner   model.Origin
	by      model.Origin
}

func (e effect) size() int64 { return int64(len(e.key)) + e.value.size() + 16 }

// link is the replication stream from a primary to one replica.
type link struct {
	replica *Node
	lane    int64
	last    time.Duration // when the last message arrives
	broken  bool
}

// follow makes the node a replica of the source, with its keyspace as it is.
func (n *Node) follow(source *Node) *link {
	n.primary, n.source = false, source
	l := &link{replica: n, lane: n.world.Network().NewLane()}
	source.replicas = append(source.replicas, l)
	n.offset = source.offset
	return l
}

// drop ends the stream to a replica; what is under way is lost.
func (n *Node) drop(replica *Node) {
	n.replicas = slices.DeleteFunc(n.replicas, func(l *link) bool {
		l.broken = l.broken || l.replica == replica
		return l.replica == replica
	})
}

// replicate sends an effect to every replica, asynchronously.
func (n *Node) replicate(e effect) {
	n.offset += e.size()
	offset := n.offset
	for _, l := range n.replicas {
		n.send(l, "replicate "+e.key, func(r *Node) {
			r.offset = offset
			r.apply(e)
		})
	}
}

// resync makes the node follow the source from the source's present state.
func (n *Node) resync(source *Node) {
	if n.source != nil {
		n.source.drop(n)
	}
	l := n.follow(source)
	snapshot, offset := source.data.clone(), source.offset
	n.offset = 0
	source.send(l, "full resync", func(r *Node) {
		r.offset = offset
		r.load(snapshot)
	})
}

// send puts a message on a replication stream. It is lost if the sender
// crashes, or the stream ends, before it has arrived.
func (n *Node) send(l *link, what string, receive func(*Node)) {
	life := n.life
	l.last = n.world.Network().Propagate(n.Actor, l.replica.Actor, l.lane, l.last, func(sent time.Duration, late bool) {
		e := sim.Event{Kind: sim.EventDeliver, Actor: l.replica.Name(), Peer: n.Name(), Sent: sent, Late: late, Detail: what}
		if l.broken || n.life != life || l.replica.down {
			e.Kind = sim.EventDrop
			n.world.Log(e)
			return
		}
		n.world.Log(e)
		receive(l.replica)
	})
}

// apply does to a replica what was done to its source.
func (n *Node) apply(f effect) {
	old := n.data[f.key]
	if f.value.kind == "" {
		if old != nil {
			delete(n.data, f.key)
			if !old.hidden {
				n.observeKey(model.KeyDeleted, f.key, old, f.by)
			}
		}
	} else {
		now := &entry{value: f.value, expires: f.expires, owner: f.owner}
		n.data[f.key] = now
		n.observeWrite(f.key, old, now, f.by)
	}
	n.refresh(f.key)
	n.scheduleExpiry()
}

// load replaces the keyspace. What the node alone had is dropped.
func (n *Node) load(snapshot keyspace) {
	old := n.data
	n.data, n.engine = snapshot, nil
	for _, key := range old.keys() {
		e, now := old[key], snapshot[key]
		if !e.hidden && (now == nil || now.owner != e.owner) {
			n.observeKey(model.KeyDropped, key, e, model.Origin{})
		}
	}
	for _, key := range snapshot.keys() {
		if e, before := snapshot[key], old[key]; before == nil || before.owner != e.owner {
			n.observeKey(model.KeyCreated, key, e, e.owner)
		}
	}
	n.scheduleExpiry()
}

// observeWrite reports that a key was created or changed.
func (n *Node) observeWrite(key string, old, now *entry, by model.Origin) {
	if old == nil || old.hidden {
		n.observeKey(model.KeyCreated, key, now, by)
		return
	}
	o := n.keyObservation(model.KeyChanged, key, now, by)
	o.OldOwner = old.owner
	n.observe(o)
}
