package lock

import "errors"

// ErrUpgrade is returned, wrapped, to an owner that acquires the writer's lock
// while it holds the reader's: it would wait for itself. The error is an
// [ErrNotAcquired] as well.
var ErrUpgrade = errors.New("lock: a reader cannot become a writer")

// An RWLocker is a lock that many readers or one writer hold at a time. It
// belongs to one client process and is safe for concurrent use, and so are its
// two lockers.
//
// An owner named by [WithOwner] that holds the writer's lock may take the reader's as
// well, and become a reader by giving up the writer's. A reader that asks for the
// writer's lock gets [ErrUpgrade].
type RWLocker interface {
	// Reader returns the shared lock of the readers.
	Reader() Locker
	// Writer returns the exclusive lock of a writer.
	Writer() Locker
}
