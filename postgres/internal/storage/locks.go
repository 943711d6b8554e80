package storage

// TableMode is a mode of a lock on a table.
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

// String returns the mode's name in pg_locks: "AccessShareLock".
func (m TableMode) String() string { panic("not yet") }

// LockTable locks a table until the transaction ends, or a savepoint from before is rolled back to.
func (b *Backend) LockTable(t *Table, mode TableMode) error { panic("not yet") }

// LockTableExplicitly is LockTable for LOCK TABLE: it is observed.
func (b *Backend) LockTableExplicitly(t *Table, mode TableMode, nowait bool) error { panic("not yet") }

// AdvisoryKey is the key of an advisory lock.
type AdvisoryKey struct {
	A, B int32
	// Pair is set for the keys of two numbers. A key of one number has its upper half in A and its lower one in B.
	Pair bool
}

// Key64 returns the key of one number.
func Key64(key int64) AdvisoryKey { panic("not yet") }

// Key32 returns the key of two numbers.
func Key32(a, b int32) AdvisoryKey { panic("not yet") }

// AdvisoryLock locks a key, for the session or for the transaction. With try it reports false instead of waiting.
func (b *Backend) AdvisoryLock(key AdvisoryKey, exclusive, perTransaction, try bool) (got bool, err error) {
	panic("not yet")
}

// AdvisoryUnlock gives one of the session's locks up. If it has none, a warning is sent, and the result is false.
func (b *Backend) AdvisoryUnlock(key AdvisoryKey, exclusive bool) bool { panic("not yet") }

// AdvisoryUnlockAll gives all advisory locks of the session up.
func (b *Backend) AdvisoryUnlockAll() { panic("not yet") }

// LockInfo is a row of pg_locks.
type LockInfo struct {
	LockType   string // "relation", "tuple", "transactionid", "virtualxid", "advisory", ...
	Table      *Table // nil unless it is one of a relation or a tuple
	Tuple      *Tuple
	XID        int64
	Key        AdvisoryKey
	VirtualXID string
	PID        int32
	Mode       string // "ExclusiveLock"
	Granted    bool
}

// Locks returns all locks, granted and waited for, in a fixed order.
func (db *Database) Locks() []LockInfo { panic("not yet") }
