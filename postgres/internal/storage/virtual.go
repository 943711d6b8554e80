package storage

import (
	"fmt"
	"slices"
)

// virtualID returns the number that each transaction has: the backend's and a count of its transactions.
func (t *Txn) virtualID() string { return fmt.Sprintf("%d/%d", t.backend.id, t.local) }

// WaitForLockers waits until the transactions have ended that have a table locked in modes with which a mode conflicts:
// CREATE INDEX CONCURRENTLY does.
func (b *Backend) WaitForLockers(t *Table, mode TableMode) error {
	var list []*Txn
	if l := b.db.locks[lockTag{table: t}]; l != nil {
		for _, h := range l.holdings {
			if h.backend != b && h.mask()&conflicts[mode] != 0 {
				list = append(list, h.backend.txn)
			}
		}
	}
	return b.waitForVirtual(list)
}

// WaitForSnapshots waits until the other transactions have ended that may still read by a snapshot from before. Those are
// the ones of statements that are being executed, even if these wait for something, and at the higher levels all that have
// had a snapshot.
func (b *Backend) WaitForSnapshots() error {
	var list []*Txn
	for _, o := range b.db.backends {
		t := o.txn
		if o != b && t != nil && !t.ended && (len(t.active)+len(t.held) > 0 || t.Level != ReadCommitted && t.snapshot != nil) {
			list = append(list, t)
		}
	}
	return b.waitForVirtual(list)
}

// waitForVirtual waits for the ends of transactions, one after the other.
func (b *Backend) waitForVirtual(list []*Txn) error {
	for _, t := range list {
		if t.ended || t.failed && len(t.stack) == 1 {
			continue
		}
		g := lockTag{virtual: t}
		if b.db.locks[g] == nil { // its owner has the lock, but the lock manager learns of it only now
			l := &lock{tag: g}
			h := &holding{t.backend, l, []grant{{Exclusive, t.top(), 1}}}
			l.holdings = []*holding{h}
			t.backend.held = append(t.backend.held, h)
			b.db.locks[g] = l
		}
		r := request{tag: g, mode: ShareLock, owner: b.txn.current()}
		if _, err := b.acquire(r); err != nil {
			return err
		}
		b.release(r.tag, r.mode, r.owner)
	}
	return nil
}

// virtual returns the backend's lock on the number of its transaction, unless the lock manager has it.
func (b *Backend) virtual() []LockInfo {
	if t := b.txn; t != nil && !t.ended && !slices.ContainsFunc(b.held, func(h *holding) bool { return h.lock.tag.virtual == t }) {
		return []LockInfo{{LockType: "virtualxid", VirtualXID: t.virtualID(), PID: b.pid, Mode: Exclusive.String(), Granted: true}}
	}
	return nil
}
