package storage

import "slices"

// RowMode is a mode of a lock on a row.
type RowMode uint8

// The modes, from the weakest.
const (
	KeyShare RowMode = iota
	Share
	NoKeyUpdate
	Update
)

// queueModes are the modes in which those who wait for a row lock their place in the queue; two modes conflict if these do.
var queueModes = [...]TableMode{KeyShare: AccessShare, Share: RowShare, NoKeyUpdate: Exclusive, Update: AccessExclusive}

func (m RowMode) conflictsWith(o RowMode) bool {
	return conflicts[queueModes[m]]&queueModes[o].bit() != 0
}

// mark is a transaction's mark on a tuple: it has locked it, or replaced or deleted it.
type mark struct {
	by     *xact
	mode   RowMode
	update bool
}

// marks are the marks on a tuple: PostgreSQL's xmax. They are never changed, but replaced by others.
type marks struct {
	list  []mark
	multi bool // a MultiXact has them
}

// updater returns the mark of the transaction that has replaced or deleted the tuple, unless it has rolled back.
func (m *marks) updater() *mark {
	if m == nil {
		return nil
	}
	for i := range m.list {
		if m.list[i].update && !m.list[i].by.isAborted() {
			return &m.list[i]
		}
	}
	return nil
}

// isRunning reports whether a transaction that has made one of the marks goes on.
func (m *marks) isRunning() bool {
	return slices.ContainsFunc(m.list, func(k mark) bool { return k.by.isRunning() })
}

// onlyLock reports whether all marks are locks; even one that has rolled a change back counts as a change.
func (m *marks) onlyLock() bool {
	return !slices.ContainsFunc(m.list, func(k mark) bool { return k.update })
}

// strongest returns the strongest of the modes.
func (m *marks) strongest() (mode RowMode) {
	for _, k := range m.list {
		mode = max(mode, k.mode)
	}
	return mode
}

// heldBy reports whether a transaction has one of the marks, and whether it is as strong as a mode.
func (m *marks) heldBy(t *Txn, mode RowMode) (strong, any bool) {
	for _, k := range m.list {
		if k.by.txn == t && !k.by.isAborted() {
			any, strong = true, strong || k.mode >= mode
		}
	}
	return strong, any
}

// conflicting returns the marks of others with which a mode conflicts: of locks those of transactions that go on, of changes
// those that were not rolled back. It reports whether the transaction has a mark itself.
func (m *marks) conflicting(t *Txn, mode RowMode) (list []mark, own bool) {
	for _, k := range m.list {
		switch {
		case k.by.isAborted():
		case k.by.txn == t:
			own = true
		case mode.conflictsWith(k.mode) && (k.update || k.by.isRunning()):
			list = append(list, k)
		}
	}
	return list, own
}

// sleeps reports whether a lock in a mode has to wait for the marks, as heap_lock_tuple decides it.
func (m *marks) sleeps(t *Txn, mode RowMode) bool {
	if !m.multi && m.list[0].by.txn == t {
		return false
	}
	switch mode {
	case KeyShare:
		return m.strongest() == Update
	case Share:
		return !m.onlyLock() || m.strongest() >= NoKeyUpdate
	case NoKeyUpdate:
		if m.multi {
			list, _ := m.conflicting(t, mode)
			return len(list) > 0
		}
		return !m.onlyLock() || m.list[0].mode != KeyShare
	}
	return true
}

// kept returns the marks that a version has which replaces one with the marks: the locks of those who go on.
func (m *marks) kept() *marks {
	switch {
	case m == nil || !m.isRunning():
		return nil
	case m.multi:
		return m
	}
	return &marks{list: []mark{{m.list[0].by, KeyShare, false}}}
}

// with returns the marks with another one: compute_new_xmax_infomask.
func (m *marks) with(k mark) *marks {
	if m == nil {
		return &marks{list: []mark{k}}
	}
	if !m.multi {
		o := m.list[0]
		switch {
		case o.by == k.by && o.by.isRunning():
			k.mode = max(k.mode, o.mode)
			return &marks{list: []mark{k}}
		case o.by.isRunning(), o.update && o.by.isCommitted():
			return &marks{[]mark{o, k}, true}
		}
		return &marks{list: []mark{k}}
	}
	var list []mark
	for _, o := range m.list {
		if o == k {
			return m
		}
		if o.by.isRunning() || o.update && o.by.isCommitted() {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return &marks{list: []mark{k}}
	}
	return &marks{append(list, k), true}
}
