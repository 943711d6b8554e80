package lock

import "errors"

// ErrUpgrade is what an owner is told, wrapped, that asks for the writer's
// lock while it holds the reader's: it would wait for itself. The error is an
// [ErrNotAcquired] as well.
var ErrUpgrade = errors.New("lock: a reader cannot become a writer")

// An RWLocker is a lock that many readers or one writer hold at a time. It
// belongs to one client process and is safe for concurrent use, and so are its
// two lockers.
//
// An owner that [WithOwner] names and that holds the writer's lock may take the
// reader's as well, and so become a reader by giving the writer's up. The other
// way is refused with [ErrUpgrade].
type RWLocker interface {
	// Reader is the lock that other readers may hold at the same time.
	Reader() Locker
	// Writer is the lock that nobody else holds at the same time.
	Writer() Locker
}
