package storage

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// LockTable locks a table until the transaction ends, or a savepoint from before is rolled back to.
func (b *Backend) LockTable(t *Table, mode TableMode) error {
	_, err := b.lockTable(t, mode, false)
	return err
}

func (b *Backend) lockTable(t *Table, mode TableMode, nowait bool) (bool, error) {
	return b.acquire(request{tag: lockTag{table: t}, mode: mode, owner: b.txn.current(), nowait: nowait})
}

// LockTableExplicitly is LockTable for LOCK TABLE: it is observed.
func (b *Backend) LockTableExplicitly(t *Table, mode TableMode, nowait bool) error {
	got, err := b.lockTable(t, mode, nowait)
	switch {
	case err != nil:
		return err
	case !got:
		return pgerror.New(pgerror.LockNotAvailable, "could not obtain lock on relation %q", t.Name)
	}
	if mode >= Exclusive {
		b.db.take(b, Place{Kind: PlaceTable, Table: t}, nil)
	}
	return nil
}

// LockInfo is a row of pg_locks.
type LockInfo struct {
	LockType   string // "relation", "tuple", "transactionid", "virtualxid", "spectoken" or "advisory"
	Table      *Table // nil unless it is one of a relation or a tuple
	Tuple      *Tuple
	XID        int64
	Key        AdvisoryKey
	VirtualXID string
	PID        int32
	Mode       string // "ExclusiveLock"
	Granted    bool
}

// Locks returns all locks, granted and waited for: those of each backend together, in the order of their first requests.
func (db *Database) Locks() (list []LockInfo) {
	for _, b := range db.backends {
		list = append(list, b.virtual()...)
		for _, h := range b.held {
			for mode := AccessShare; mode <= AccessExclusive; mode++ {
				if h.mask()&mode.bit() != 0 {
					list = append(list, h.lock.tag.info(b, mode, true))
				}
			}
		}
		if w := b.waits; w != nil && !w.granted {
			list = append(list, w.lock.tag.info(b, w.mode, false))
		}
	}
	return list
}

func (g lockTag) info(b *Backend, mode TableMode, granted bool) LockInfo {
	i := LockInfo{LockType: g.event(), Table: g.table, Tuple: g.tuple, Key: g.advisory, PID: b.pid, Mode: mode.String(), Granted: granted}
	if g.tuple != nil {
		i.Table = g.tuple.table
	}
	if g.xact != nil {
		i.XID = g.xact.id
	}
	if g.virtual != nil {
		i.VirtualXID = g.virtual.virtualID()
	}
	return i
}

// byOID orders things by their OIDs.
func byOID[T any](list []T, oid func(T) uint32) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(oid(a), oid(b)) })
}
