package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Isolation is an isolation level.
type Isolation uint8

// The isolation levels. READ UNCOMMITTED is READ COMMITTED.
const (
	ReadCommitted Isolation = iota
	RepeatableRead
	Serializable
)

// Characteristics are those of a transaction.
type Characteristics struct {
	Level      Isolation
	ReadOnly   bool
	Deferrable bool
}

// Txn is a transaction.
type Txn struct {
	// Characteristics may be changed before the first snapshot.
	Characteristics

	db        *Database
	backend   *Backend
	local     int     // how many its backend had begun, with it
	stack     []*xact // itself, and the savepoints in it
	commands  int     // so far
	snapshot  *Snapshot
	active    []*Snapshot // of the present command
	held      []*Snapshot // of queries that are read later
	serial    *serial     // nil unless it is serializable and has a snapshot
	ops       []op
	defined   []*Table // tables that it has created or altered
	dropped   []*Table
	truncated []*Table
	sequences []*Sequence // that it has created, altered or dropped
	defining  bool        // it has changed a definition
	wrote     bool        // it has changed or locked rows, or something else that the log has
	failed    bool
	ships     bool  // it waits for the host
	ended     bool  // it is over
	number    int64 // the commit's, from 1; 0 until then
	by        model.Origin
}

// xact is a transaction, or the part of it since a savepoint: PostgreSQL's transactions and subtransactions.
type xact struct {
	txn      *Txn
	id       int64  // 0 if it has none
	name     string // the savepoint's
	aborted  bool
	into     *xact // that it has become a part of
	undo     []func()
	onCommit []func()
	holds    []*held // rows that it has locked exclusively
}

// op is a change of a row: an insertion has no old version, a deletion no new one.
type op struct {
	by       *xact
	old, now *Tuple
}

// isAborted, isCommitted and isRunning report in which state it is.
func (x *xact) isAborted() bool {
	for ; x != nil; x = x.into {
		if x.aborted {
			return true
		}
	}
	return false
}

func (x *xact) isCommitted() bool { return x.txn.number > 0 && !x.isAborted() }

func (x *xact) isRunning() bool { return x.txn.number == 0 && !x.isAborted() }

// top and current are the transaction itself, and its innermost savepoint.
func (t *Txn) top() *xact     { return t.stack[0] }
func (t *Txn) current() *xact { return t.stack[len(t.stack)-1] }

// Begin begins a transaction.
func (b *Backend) Begin(c Characteristics) *Txn {
	b.local++
	b.txn = &Txn{Characteristics: c, db: b.db, backend: b, local: b.local}
	b.txn.stack = []*xact{{txn: b.txn}}
	return b.txn
}

// Txn returns the backend's transaction, or nil. One that has failed stays until Abort.
func (b *Backend) Txn() *Txn { return b.txn }

// ID returns the transaction's number, pg_current_xact_id, and assigns one if it has none; CurrentID returns 0 then.
func (t *Txn) ID() int64 {
	t.backend.assign(t.top())
	return t.top().id
}

// CurrentID is described with ID.
func (t *Txn) CurrentID() int64 { return t.top().id }

// HasSnapshot reports whether the transaction has had a snapshot.
func (t *Txn) HasSnapshot() bool { return t.snapshot != nil }

// Failed reports whether a statement has failed, so that the transaction accepts only its end or a return to a savepoint.
func (t *Txn) Failed() bool { return t.failed }

// assign gives numbers to a part of the transaction and those around it, and locks them: others wait for these locks.
func (b *Backend) assign(x *xact) {
	for _, o := range b.txn.stack {
		if o.id == 0 {
			b.db.xid++
			o.id = b.db.xid
			l := &lock{tag: lockTag{xact: o}}
			h := &holding{b, l, []grant{{Exclusive, o, 1}}}
			l.holdings = []*holding{h}
			b.held = append(b.held, h)
			b.db.locks[l.tag] = l
		}
		if o == x {
			return
		}
	}
}

// writer returns the part of the transaction that changes rows now.
func (b *Backend) writer() *xact {
	x := b.txn.current()
	b.assign(x)
	b.txn.wrote = true
	return x
}

// release gives up all that belongs to the transaction, which has ended.
func (t *Txn) release(end *Ending) {
	b := t.backend
	b.ending = end
	t.ended, t.snapshot, t.active = true, nil, nil
	b.db.giveAll(t.top(), end)
	b.releaseAll(func(_ *holding, owner *xact) bool { return owner != nil })
	b.ending = nil
	t.settle()
}

// Abort rolls the transaction back, if there is one.
func (b *Backend) Abort(end *Ending) {
	if b.txn == nil {
		return
	}
	b.abortAll(end)
	b.txn = nil
}

// abortAll rolls all back.
func (b *Backend) abortAll(end *Ending) {
	t := b.txn
	if t.ended {
		return
	}
	b.ending = end
	for len(t.stack) > 1 {
		b.abortPart()
		t.stack = t.stack[:len(t.stack)-1]
	}
	b.abortPart()
	t.serial.abort()
	t.release(end)
	b.db.purge()
}

// abortPart takes back the changes of the innermost part of the transaction, and gives up its locks.
func (b *Backend) abortPart() {
	x := b.txn.current()
	if x.aborted {
		return
	}
	x.aborted = true
	for i := len(x.undo) - 1; i >= 0; i-- {
		x.undo[i]()
	}
	x.undo, x.onCommit = nil, nil
	b.txn.forget(x)
	b.db.giveAll(x, b.ending)
	b.releaseAll(func(_ *holding, owner *xact) bool { return owner == x })
}

// forget removes the versions of rows that an aborted part has written.
func (t *Txn) forget(x *xact) {
	t.ops = slices.DeleteFunc(t.ops, func(o op) bool {
		if !o.by.isAborted() {
			return false
		}
		if o.now != nil {
			o.now.remove()
		}
		return true
	})
}

// Fail rolls back what an error takes back: the changes and locks since the last savepoint, or all if there is none.
// The transaction goes on as one that has failed. Without a block, call Abort.
func (b *Backend) Fail() {
	t := b.txn
	if t == nil {
		return
	}
	t.failed = true
	if len(t.stack) > 1 {
		b.abortPart()
		return
	}
	b.abortAll(&Ending{By: b.client.Origin()})
}

// NextCommand ends a statement, or a part of one whose effects the next part is to see.
func (b *Backend) NextCommand() {
	if t := b.txn; t != nil {
		t.commands++
		t.active = nil
	}
}

// OnCommit calls f when the transaction has committed, unless the savepoint in which it is now is rolled back.
func (b *Backend) OnCommit(f func()) {
	x := b.txn.current()
	x.onCommit = append(x.onCommit, f)
}

// OnAbort calls f when the transaction, or the savepoint in which it is now, is rolled back; the last such function first.
func (b *Backend) OnAbort(f func()) {
	x := b.txn.current()
	x.undo = append(x.undo, f)
}
