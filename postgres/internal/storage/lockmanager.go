package storage

import (
	"fmt"
	"slices"
)

// TableMode is a mode of a lock on a table, and of other locks of the lock manager.
type TableMode uint8

// The modes, from the weakest.
const (
	AccessShare TableMode = 1 + iota
	RowShare
	RowExclusive
	ShareUpdateExclusive
	ShareLock
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// modeNames are the names in pg_locks.
var modeNames = [...]string{
	AccessShare: "AccessShareLock", RowShare: "RowShareLock", RowExclusive: "RowExclusiveLock",
	ShareUpdateExclusive: "ShareUpdateExclusiveLock", ShareLock: "ShareLock", ShareRowExclusive: "ShareRowExclusiveLock",
	Exclusive: "ExclusiveLock", AccessExclusive: "AccessExclusiveLock",
}

// String returns the mode's name in pg_locks: "AccessShareLock".
func (m TableMode) String() string { return modeNames[m] }

// modes is a set of modes.
type modes uint16

func (m TableMode) bit() modes { return 1 << m }

// conflicts are the modes with which each conflicts.
var conflicts = [...]modes{
	AccessShare:          set(AccessExclusive),
	RowShare:             set(Exclusive, AccessExclusive),
	RowExclusive:         set(ShareLock, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareUpdateExclusive: set(ShareUpdateExclusive, ShareLock, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareLock:            set(RowExclusive, ShareUpdateExclusive, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareRowExclusive:    set(RowExclusive, ShareUpdateExclusive, ShareLock, ShareRowExclusive, Exclusive, AccessExclusive),
	Exclusive:            set(RowShare, RowExclusive, ShareUpdateExclusive, ShareLock, ShareRowExclusive, Exclusive, AccessExclusive),
	AccessExclusive:      set(AccessShare, RowShare, RowExclusive, ShareUpdateExclusive, ShareLock, ShareRowExclusive, Exclusive, AccessExclusive),
}

func set(list ...TableMode) (s modes) {
	for _, m := range list {
		s |= m.bit()
	}
	return s
}

// lockTag is what a lock of the lock manager is on. One of its fields is set; a transaction with a token is a
// speculative insertion.
type lockTag struct {
	table    *Table
	tuple    *Tuple
	xact     *xact
	virtual  *Txn // its virtual id
	token    int64
	advisory AdvisoryKey
	isKey    bool // it is an advisory lock
}

// event returns the name of the wait in pg_stat_activity, and the type in pg_locks.
func (g lockTag) event() string {
	switch {
	case g.table != nil:
		return "relation"
	case g.tuple != nil:
		return "tuple"
	case g.token != 0:
		return "spectoken"
	case g.xact != nil:
		return "transactionid"
	case g.virtual != nil:
		return "virtualxid"
	}
	return "advisory"
}

// String describes the tag, as PostgreSQL does in deadlocks.
func (g lockTag) String() string {
	switch {
	case g.table != nil:
		return fmt.Sprintf("relation %d of database %d", g.table.OID, databaseOID)
	case g.tuple != nil:
		return fmt.Sprintf("tuple %s of relation %d of database %d", g.tuple.CTID(), g.tuple.table.OID, databaseOID)
	case g.token != 0:
		return fmt.Sprintf("speculative token %d of transaction %d", g.token, g.xact.id)
	case g.xact != nil:
		return fmt.Sprintf("transaction %d", g.xact.id)
	case g.virtual != nil:
		return "virtual transaction " + g.virtual.virtualID()
	}
	kind := 1
	if g.advisory.Pair {
		kind = 2
	}
	return fmt.Sprintf("advisory lock [%d,%d,%d,%d]", databaseOID, uint32(g.advisory.A), uint32(g.advisory.B), kind)
}

// lock is a lock of the lock manager, with those who have it, or once asked for it, in the order of their first requests,
// and the queue of those who wait.
type lock struct {
	tag      lockTag
	holdings []*holding
	queue    []*Backend
}

// holding is what a backend has of a lock.
type holding struct {
	backend *Backend
	lock    *lock
	grants  []grant
}

// grant is a mode that was granted, and how often.
type grant struct {
	mode  TableMode
	owner *xact // nil for the session
	count int
}

func (h *holding) mask() (s modes) {
	for _, g := range h.grants {
		s |= g.mode.bit()
	}
	return s
}

func (h *holding) grant(mode TableMode, owner *xact) {
	i := slices.IndexFunc(h.grants, func(g grant) bool { return g.mode == mode && g.owner == owner })
	if i >= 0 {
		h.grants[i].count++
		return
	}
	is := h.mask()&mode.bit() != 0
	h.grants = append(h.grants, grant{mode, owner, 1})
	if !is && mode == Exclusive && h.lock.tag.isKey {
		h.backend.db.take(h.backend, Place{Kind: PlaceAdvisory, Advisory: h.lock.tag.advisory}, nil)
	}
}

// ungranted is called when grants were taken away.
func (h *holding) ungranted(had modes) {
	b, g := h.backend, h.lock.tag
	lost := had &^ h.mask()
	if lost&Exclusive.bit() != 0 && g.isKey {
		b.db.give(b, Place{Kind: PlaceAdvisory, Advisory: g.advisory}, b.ending)
	}
	strong := Exclusive.bit() | AccessExclusive.bit()
	if g.table != nil && lost&strong != 0 && h.mask()&strong == 0 {
		b.db.give(b, Place{Kind: PlaceTable, Table: g.table}, b.ending)
	}
	h.tidy()
	if lost != 0 {
		h.lock.wakeup()
	}
}

// tidy forgets the holding, and the lock, if nothing is left of them.
func (h *holding) tidy() {
	b, l := h.backend, h.lock
	if len(h.grants) == 0 && (b.waits == nil || b.waits.granted || b.waits.holding != h) {
		b.held = slices.DeleteFunc(b.held, func(o *holding) bool { return o == h })
		l.holdings = slices.DeleteFunc(l.holdings, func(o *holding) bool { return o == h })
	}
	if len(l.holdings) == 0 && len(l.queue) == 0 {
		delete(b.db.locks, l.tag)
	}
}

// holding returns what a backend has of the lock with a tag.
func (b *Backend) holding(g lockTag) *holding {
	if i := slices.IndexFunc(b.held, func(h *holding) bool { return h.lock.tag == g }); i >= 0 {
		return b.held[i]
	}
	return nil
}

// conflicting reports whether others have the lock in conflicting modes.
func (l *lock) conflicting(b *Backend, mode TableMode) bool {
	return slices.ContainsFunc(l.holdings, func(h *holding) bool { return h.backend != b && h.mask()&conflicts[mode] != 0 })
}
