package simmysql

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/internal/failover"
)

// effect is what a commit did: to one row, or to the tables themselves.
type effect struct {
	define *definition
	image
	by model.Origin // of the commit
}

// image is a committed row; without values it is deleted.
type image struct {
	table  string
	key    []value
	values []value
	owner  model.Origin
}

// ackWait is a commit that waits for a replica.
type ackWait struct {
	txn      *txn
	position int64
}

// ship sends the changes of a transaction to the replicas, and reports whether it has to wait
// for one of them.
func (n *Node) ship(t *txn) (waits bool) {
	var list []effect
	t.by = t.session.origin()
	for _, r := range t.changed {
		if v := r.newest; v != nil && v.by == t && n.has(r.table) {
			list = append(list, effect{image: image{r.table.name, r.entry.key, v.values, v.owner}, by: t.by})
		}
	}
	if len(list) == 0 || t.session.loads {
		return false
	}
	n.send(list)
	if !n.cluster.options.SemiSync || n.fallenBack || len(n.Replicas) == 0 {
		return false
	}
	n.waitsForAck = append(n.waitsForAck, ackWait{t, n.Position})
	t.session.waitFor(n.cluster.options.SemiSyncTimeout, "replication falls back to asynchronous", n.fallBack)
	return true
}

// fallBack ends the waits for replicas: replication is asynchronous from now on.
func (n *Node) fallBack() {
	n.fallenBack = true
	n.acknowledged(n.Position)
}

// acknowledged ends the waits for commits up to a position.
func (n *Node) acknowledged(position int64) {
	list := n.waitsForAck
	n.waitsForAck = nil
	for _, w := range list {
		if w.position > position {
			n.waitsForAck = append(n.waitsForAck, w)
			continue
		}
		w.txn.wake()
	}
}

// stopWaitingForAck lets a commit go on without a replica: it is in the log, from which nothing takes it
// back.
func (t *txn) stopWaitingForAck() {
	n := t.session.node
	n.waitsForAck = slices.DeleteFunc(n.waitsForAck, func(w ackWait) bool { return w.txn == t })
	t.session.stopWaiting()
}

// abandonAcks takes commits that wait for a replica off their sessions, which end. Recover
// completes them.
func (n *Node) abandonAcks(end *ending) {
	for _, w := range n.waitsForAck {
		w.txn.observeEnd(model.TransactionCommitted)
		w.txn.end(end)
		n.recovers = append(n.recovers, w.txn)
	}
	n.waitsForAck = nil
}

// recover completes the commits that waited for a replica when the server's process, or all sessions,
// came to their end.
func (n *Node) recover() {
	list := n.recovers
	n.recovers = nil
	for _, t := range list {
		n.commit(t)
	}
	n.purge()
}

// send sends effects to every replica as one message.
func (n *Node) send(list []effect) {
	n.Position++
	position := n.Position
	for _, l := range n.Replicas {
		l.Send("replicate", func() {
			r := l.Replica.Server
			r.serve(forPeer)
			r.Position = position
			r.apply(list)
			if n.cluster.options.SemiSync {
				l.Ack("ack", func() { n.Do(func() { n.heard(l, position) }) })
			}
		})
	}
}

// heard is the arrival of an acknowledgement: how many commits the replica has.
func (n *Node) heard(l *failover.Link[*Node], position int64) {
	l.Acked = max(l.Acked, position)
	if l.Acked == n.Position {
		n.fallenBack = false
	}
	n.acknowledged(position)
	n.wakeAll()
}

// apply does to a replica what was done to its source.
func (n *Node) apply(list []effect) {
	t := n.applier()
	n.revision++
	for i := range list {
		f := &list[i]
		if f.define != nil {
			n.redefine(*f.define)
			continue
		}
		n.install(t, &f.image, f.by)
	}
	n.purgeable = append(n.purgeable, t)
	n.purge()
}

// applier is a transaction that is committed already, for what a source has committed.
func (n *Node) applier() *txn {
	n.commits++
	return &txn{session: newSession(n, 0, nil), number: n.commits, ended: true, view: -1}
}

// install makes a row what it is at the source. Locks of clients of the replica do not
// hinder it.
func (n *Node) install(t *txn, m *image, by model.Origin) {
	tab := n.tables[tableKey(m.table)]
	ix := tab.clustered()
	var r *row
	if e := ix.exact(m.key); e != nil {
		r = e.row
	} else {
		r = &row{table: tab}
		r.entry = &entry{index: ix, key: m.key, row: r}
		ix.insert(r.entry)
	}
	old := r.committed()
	r.newest = &version{values: m.values, by: t, older: r.newest, owner: m.owner}
	t.changed = append(t.changed, r)
	for _, ix := range tab.indexes[1:] {
		r.index(t, ix, old, m.values)
	}
	if i := tab.autoIncrement(); i >= 0 && m.values != nil {
		tab.counter = max(tab.counter, m.values[i].i)
	}
	if len(ix.columns) == 0 {
		tab.hidden = max(tab.hidden, m.key[0].i)
	}
	n.observeChange(r, old, r.newest, by)
}

// index makes another index have the row as it is from now on.
func (r *row) index(t *txn, ix *index, old *version, values []value) {
	if old != nil && old.values != nil {
		if e := ix.exact(ix.keyOf(old.values, r.entry.key)); e != nil {
			e.deleted, e.by = true, t
			t.marked = append(t.marked, e)
		}
	}
	if values == nil {
		return
	}
	key := ix.keyOf(values, r.entry.key)
	if e := ix.exact(key); e != nil {
		e.deleted, e.by = false, t
		return
	}
	ix.insert(&entry{index: ix, key: key, row: r, by: t})
}

// resync makes the node follow the source from the source's present data.
func (n *Node) resync(source *Node) {
	copied := source.copy()
	n.Resync(source.part, "full copy", func() { n.load(copied) })
}

// copied is all of a node's data.
type copied struct {
	tables []*table // without rows, but with the last numbers
	images []image
}

func (n *Node) copy() (c copied) {
	for _, name := range n.names {
		t := n.tables[name]
		c.tables = append(c.tables, t.withNumbers())
		for _, e := range t.clustered().entries {
			if v := e.row.committed(); v != nil && v.values != nil {
				c.images = append(c.images, image{t.name, e.key, v.values, v.owner})
			}
		}
	}
	return c
}

// load replaces the data. What the node alone had, or had otherwise, is dropped.
func (n *Node) load(c copied) {
	old := n.copy()
	for _, m := range old.images {
		i := slices.IndexFunc(c.images, func(o image) bool { return o.is(&m) })
		if i >= 0 && slices.EqualFunc(c.images[i].values, m.values, same) {
			continue
		}
		e := n.tables[tableKey(m.table)].clustered().exact(m.key)
		n.observeRow(model.Observation{Kind: model.RecordDropped, Owner: m.owner}, e.row, e.row.committed())
	}
	n.tables, n.names = map[string]*table{}, nil
	for _, t := range c.tables {
		n.redefine(definition{create: t})
	}
	t := n.applier()
	n.revision++
	for _, m := range c.images {
		kept := slices.ContainsFunc(old.images, func(o image) bool { return o.is(&m) && slices.EqualFunc(o.values, m.values, same) })
		n.restore(t, &m, kept)
	}
}

// is reports whether two images are of one row.
func (m *image) is(o *image) bool { return m.table == o.table && orderAll(m.key, o.key) == 0 }

// restore enters a row of a full copy. It is not observed if the node had it already.
func (n *Node) restore(t *txn, m *image, kept bool) {
	n.silent = kept
	n.install(t, m, m.owner)
	n.silent = false
}
