package simredis

import (
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// effect is a primary's change of one key, with an absolute expiry: the unit of
// replication. Without an entry the key was deleted.
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

// replicate sends the effects of the last command to every replica, asynchronously.
// They are one message, so that a replica has all of a transaction's or a script's
// effects or none, as in Redis.
func (n *Node) replicate() {
	if len(n.effects) == 0 {
		return
	}
	n.scheduleExpiry()
	effects := n.effects
	n.effects = nil
	keys := make([]string, len(effects))
	for i, e := range effects {
		n.Position += e.size()
		keys[i] = e.key
	}
	offset := n.Position
	for _, l := range n.Replicas {
		l.Send("replicate "+strings.Join(keys, " "), func() {
			r := l.Replica.Server
			r.Position = offset
			for _, e := range effects {
				r.apply(e)
			}
			r.scheduleExpiry()
			r.broadcast()
			r.advanced()
		})
	}
}

// advanced is called when a replica has more of its source's stream.
func (n *Node) advanced() {
	if n.member != nil {
		n.member.caughtUp()
	}
}

// resync makes the node follow the source from the source's present state.
func (n *Node) resync(source *Node) {
	n.follows = source
	snapshot := source.data.clone()
	l := n.Resync(source.part, "full resync", func() {
		n.load(snapshot)
		n.cluster.changedLinks()
		n.advanced()
	})
	n.cluster.changedLinks()
	if len(source.waiters) > 0 { // they have asked before it came
		askAck(l)
	}
}

// apply applies an effect of its source to a replica.
func (n *Node) apply(f effect) {
	old := n.data[f.key]
	n.versions[f.key]++
	if f.entry != nil || old != nil {
		n.invalidate(f.key)
	}
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

// load replaces the keyspace. Keys that only the node had, or had with other values,
// are dropped.
func (n *Node) load(snapshot keyspace) {
	old := n.data
	n.data, n.journal = snapshot, nil
	n.invalidateAll()
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
