package simredis

import (
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// effect is what a primary did to one key, with an absolute expiry: the unit
// of replication. Without an entry the key was deleted.
type effect struct {
	key   string
	entry *entry
	by    model.Origin
}

func (e effect) size() int64 {
	size := int64(len(e.key)) + 16
	if e.entry != nil {
		size += e.entry.value.size()
	}
	return size
}

// link is the replication stream from a primary to one replica.
type link struct {
	replica *Node
	lane    int64
	last    time.Duration // when the last message arrives
	broken  bool
	acks    int64 // the lane of acknowledgements, once there is one
	acked   int64 // how much of the stream the replica has acknowledged
}

// follow makes the node a replica of the source, with its keyspace as it is.
func (n *Node) follow(source *Node) *link {
	n.primary, n.source = false, source
	l := &link{replica: n, lane: n.world.Network().NewLane()}
	source.replicas = append(source.replicas, l)
	n.offset = source.offset
	return l
}

// leave ends the stream from the node's source; what is under way is lost.
func (n *Node) leave() {
	if n.source == nil {
		return
	}
	n.source.replicas = slices.DeleteFunc(n.source.replicas, func(l *link) bool {
		l.broken = l.broken || l.replica == n
		return l.replica == n
	})
	n.source, n.syncing = nil, false
}

// replicate sends what the last command did to every replica,
// asynchronously. It is one message, so that a replica has all of a
// transaction's or a script's effects or none, as in Redis.
func (n *Node) replicate() {
	if len(n.effects) == 0 {
		return
	}
	n.scheduleExpiry()
	effects := n.effects
	n.effects = nil
	keys := make([]string, len(effects))
	for i, e := range effects {
		n.offset += e.size()
		keys[i] = e.key
	}
	offset := n.offset
	for _, l := range n.replicas {
		n.send(l, "replicate "+strings.Join(keys, " "), func(r *Node) {
			r.offset = offset
			for _, e := range effects {
				r.apply(e)
			}
			r.scheduleExpiry()
		})
	}
}

// resync makes the node follow the source from the source's present state.
func (n *Node) resync(source *Node) {
	n.leave()
	l := n.follow(source)
	snapshot, offset := source.data.clone(), source.offset
	n.offset, n.syncing = 0, true
	source.send(l, "full resync", func(r *Node) {
		r.offset, r.syncing = offset, false
		r.load(snapshot)
	})
	if len(source.waiters) > 0 { // they have asked before it came
		source.askAck(l)
	}
}

// send puts a message on a replication stream. It is lost if the sender
// crashes, or the stream ends, before it has arrived.
func (n *Node) send(l *link, what string, receive func(*Node)) {
	l.last = n.world.Network().Propagate(n.Actor, l.replica.Actor, l.lane, l.last, func(sent time.Duration, late bool) {
		e := sim.Event{Kind: sim.EventDeliver, Actor: l.replica.Name(), Peer: n.Name(), Sent: sent, Late: late, Detail: what}
		if l.broken || n.down {
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
	n.versions[f.key]++
	switch {
	case f.entry != nil:
		now := *f.entry
		n.enter(f.key, &now)
		n.observeWrite(f.key, old, &now, f.by)
	case old != nil:
		n.enter(f.key, nil)
		if !old.hidden {
			n.observeKey(model.RecordDeleted, f.key, old, f.by)
		}
	}
	n.refresh(f.key)
}

// load replaces the keyspace. What the node alone had, or had otherwise, is
// dropped.
func (n *Node) load(snapshot keyspace) {
	old := n.data
	n.data, n.journal = snapshot, nil
	for _, key := range old.keys() {
		e, now := old[key], snapshot[key]
		if !e.hidden && (now == nil || !now.same(e)) {
			n.observeKey(model.RecordDropped, key, e, model.Origin{})
		}
		n.versions[key]++
		n.refresh(key)
	}
	for _, key := range snapshot.keys() {
		e, before := snapshot[key], old[key]
		switch {
		case before == nil || before.hidden || !e.same(before):
			n.observeKey(model.RecordCreated, key, e, e.owner)
		case !e.expires.Equal(before.expires):
			n.observeWrite(key, before, e, model.Origin{})
		}
		n.versions[key]++
		n.refresh(key)
	}
	n.scheduleExpiry()
}
