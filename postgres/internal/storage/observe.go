package storage

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// held is a lock that is observed: somebody has it.
type held struct {
	key     heldKey
	place   Place
	backend *Backend
	owners  []*xact      // the parts of the transaction that have it; none for locks of the lock manager
	since   int64        // the revision at which that was observed; 0 if it was not yet
	got     model.Origin // the request that got it
}

// heldKey identifies a place.
type heldKey struct {
	kind     PlaceKind
	table    *Table
	row      string
	advisory AdvisoryKey
}

func (p Place) id() heldKey {
	k := heldKey{kind: p.Kind, table: p.Table, advisory: p.Advisory}
	if p.Kind == PlaceRow {
		k.row = p.Table.keyText(p.Key)
	}
	return k
}

// primary returns the index of the primary key, or nil.
func (t *Table) primary() *Index {
	if i := slices.IndexFunc(t.Indexes, func(ix *Index) bool { return ix.Primary }); i >= 0 {
		return t.Indexes[i]
	}
	return nil
}

// keyText returns a text that is another one for each row.
func (t *Table) keyText(key []types.Value) string {
	ix := t.primary()
	if ix == nil {
		return strconv.FormatInt(key[0].(int64), 10)
	}
	texts := make([]string, len(key))
	for i, v := range key {
		if v != nil {
			texts[i] = strconv.Quote(types.Text(ix.Types[i], v))
		}
	}
	return strings.Join(texts, ",")
}

// place returns the place of the tuple's row.
func (t *Tuple) place() Place {
	key := []types.Value{t.line}
	if ix := t.table.primary(); ix != nil {
		if k, _, err := ix.Key(t.Row); err == nil { // it has columns only, and applies to all rows
			key = k
		}
	}
	return Place{Kind: PlaceRow, Table: t.table, Key: key}
}

// take notes that a backend has a lock from now on. That is reported when the event is settled, if it has it still: a
// statement that is a transaction by itself gives it up at once.
func (db *Database) take(b *Backend, p Place, x *xact) {
	k := p.id()
	h := db.held[k]
	if h != nil && h.backend != b {
		db.drop(h, nil)
		h = nil
	}
	if h == nil {
		h = &held{key: k, place: p, backend: b, got: b.client.Origin()}
		db.held[k] = h
		db.taken = append(db.taken, h)
	}
	if x != nil && !slices.Contains(h.owners, x) {
		h.owners = append(h.owners, x)
		x.holds = append(x.holds, h)
	}
}

// give notes that a backend has given up a lock of the lock manager.
func (db *Database) give(b *Backend, p Place, end *Ending) {
	if h := db.held[p.id()]; h != nil && h.backend == b {
		db.drop(h, end)
	}
}

// giveAll notes that a part of a transaction has given up all its rows.
func (db *Database) giveAll(x *xact, end *Ending) {
	for _, h := range x.holds {
		h.owners = slices.DeleteFunc(h.owners, func(o *xact) bool { return o == x })
		if len(h.owners) == 0 && db.held[h.key] == h {
			db.drop(h, end)
		}
	}
	x.holds = nil
}

// reassign makes the rows of a part of a transaction those of another.
func (db *Database) reassign(from, to *xact) {
	for _, h := range from.holds {
		h.owners = slices.DeleteFunc(h.owners, func(o *xact) bool { return o == from || o == to })
		h.owners = append(h.owners, to)
	}
	to.holds = append(to.holds, from.holds...)
	from.holds = nil
}

func (db *Database) drop(h *held, end *Ending) {
	delete(db.held, h.key)
	if h.since != 0 {
		h.backend.client.Unlocked(h.place, h.since, h.got, end)
	}
}

// reportTaken reports, at the end of an event, which locks are held since it began.
func (db *Database) reportTaken() {
	list := db.taken
	db.taken = nil
	for _, h := range list {
		if db.held[h.key] == h && h.since == 0 {
			h.since = db.NextRevision()
			h.backend.client.Locked(h.place, h.since, h.got)
		}
	}
}

// net is what a transaction has made of a row: one of the tuples may be nil.
type net struct{ old, now *Tuple }

// nets returns what changes make of rows, in the order of the first changes.
func nets(ops []op) (list []*net) {
	rows := map[heldKey]*net{}
	at := func(t *Tuple, old *Tuple) *net {
		k := t.place().id()
		n := rows[k]
		if n == nil {
			n = &net{old: old}
			rows[k] = n
			list = append(list, n)
		}
		return n
	}
	for _, o := range ops {
		if o.old != nil {
			at(o.old, o.old).now = nil
		}
		if o.now != nil {
			at(o.now, nil).now = o.now
		}
	}
	return list
}

// entered reports the changes of a transaction that has committed, and notes which versions it has made old.
func (t *Txn) entered() {
	if len(t.ops) == 0 {
		return
	}
	db := t.db
	revision := db.NextRevision()
	for _, n := range nets(t.ops) {
		db.report(n, t.by, revision)
	}
	for _, o := range t.ops {
		if o.old != nil {
			db.deads = append(db.deads, dead{o.old, t.number})
		}
	}
	if !slices.Contains(db.unflushed, t) {
		t.ops = nil
	}
}

// report reports the change of a row.
func (db *Database) report(n *net, by model.Origin, revision int64) {
	c := RowChange{By: by}
	shown := n.now
	switch {
	case n.old == nil && n.now == nil:
		return
	case n.now == nil:
		shown = n.old
		c.Kind, c.Owner = model.RecordDeleted, n.old.owner
	case n.old == nil:
		n.now.created = revision
		c.Kind, c.Owner, c.ClockRead = model.RecordCreated, n.now.owner, n.now.read
	default:
		n.now.created = n.old.created
		c.Kind, c.Owner, c.OldOwner, c.ClockRead = model.RecordChanged, n.now.owner, n.old.owner, n.now.read
	}
	p := shown.place()
	c.Table, c.Key, c.Values, c.Created = p.Table, p.Key, shown.Row, shown.created
	db.host.Changed(c)
}

// contents returns the committed rows, in the order of tables and places.
func (db *Database) contents() (list []*Tuple) {
	s := db.committed()
	for _, t := range db.tables {
		for _, n := range t.heap {
			if s.Shows(n) {
				list = append(list, n)
			}
		}
	}
	return list
}

// committed returns a snapshot of all that is committed, and of nothing else.
func (db *Database) committed() *Snapshot { return &Snapshot{txn: &Txn{}, commits: db.commits} }

// reportLoss reports that the database has other rows than before: those that only the old contents had, or had with other
// values, as dropped; and those that only the new ones have as created by those who wrote them.
func (db *Database) reportLoss(before, after []*Tuple) {
	text := func(t *Tuple) string {
		texts := make([]string, len(t.Row))
		for i, v := range t.Row {
			if v != nil {
				texts[i] = "'" + types.Text(t.table.Columns[i].Type, v)
			}
		}
		return strings.Join(texts, "\x00")
	}
	id := func(t *Tuple) string {
		return strconv.FormatUint(uint64(t.table.OID), 10) + " " + t.place().id().row + "\x00" + text(t)
	}
	had, has := map[string]*Tuple{}, map[string]bool{}
	for _, t := range before {
		had[id(t)] = t
	}
	for _, t := range after {
		has[id(t)] = true
	}
	for _, t := range before {
		if !has[id(t)] {
			p := t.place()
			db.host.Changed(RowChange{Kind: model.RecordDropped, Table: p.Table, Key: p.Key, Values: t.Row, Created: t.created, Owner: t.owner})
		}
	}
	revision := db.NextRevision()
	for _, t := range after {
		if o := had[id(t)]; o != nil {
			t.created = o.created
			continue
		}
		db.report(&net{now: t}, t.owner, revision)
	}
}
