package storage

import "github.com/lockpick-dev/lockpick/postgres/internal/pgerror"

// AdvisoryKey is the key of an advisory lock.
type AdvisoryKey struct {
	A, B int32
	// Pair is set for the keys of two numbers. A key of one number has its upper half in A and its lower one in B.
	Pair bool
}

// Key64 returns the key of one number.
func Key64(key int64) AdvisoryKey { return AdvisoryKey{A: int32(key >> 32), B: int32(key)} }

// Key32 returns the key of two numbers.
func Key32(a, b int32) AdvisoryKey { return AdvisoryKey{A: a, B: b, Pair: true} }

// Number returns the number of a key of one number.
func (k AdvisoryKey) Number() int64 { return int64(k.A)<<32 | int64(uint32(k.B)) }

// advisoryMode returns the lock manager's mode of an advisory lock.
func advisoryMode(exclusive bool) TableMode {
	if exclusive {
		return Exclusive
	}
	return ShareLock
}

// AdvisoryLock locks a key, for the session or for the transaction. With try it reports false instead of waiting.
func (b *Backend) AdvisoryLock(key AdvisoryKey, exclusive, perTransaction, try bool) (got bool, err error) {
	r := request{tag: lockTag{advisory: key, isKey: true}, mode: advisoryMode(exclusive), nowait: try}
	if perTransaction {
		r.owner = b.txn.current()
	}
	return b.acquire(r)
}

// AdvisoryUnlock gives one of the session's locks up. If it has none, a warning is sent, and the result is false.
func (b *Backend) AdvisoryUnlock(key AdvisoryKey, exclusive bool) bool {
	mode := advisoryMode(exclusive)
	if b.release(lockTag{advisory: key, isKey: true}, mode, nil) {
		return true
	}
	b.client.Notice(pgerror.Warning("01000", "you don't own a lock of type %s", mode))
	return false
}

// AdvisoryUnlockAll gives all advisory locks of the session up.
func (b *Backend) AdvisoryUnlockAll() {
	b.releaseAll(func(h *holding, owner *xact) bool { return h.lock.tag.isKey && owner == nil })
}
