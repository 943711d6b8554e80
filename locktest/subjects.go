package locktest

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// Client is one client process as the lock under test sees it: the store's addresses, a dialer, a clock and a random
// source. Packages of stores connect by it.
type Client = cell.Client

// Scenario is a situation for a lock that [With] adds to those of Lockpick. Its fields may change in any version.
type Scenario = cell.Scenario

// LockName is the name of the lock for which all clients of a run compete.
const LockName = cell.LockName

// Subject is what [CheckSubject] and [ExploreSubject] test: a kind of lock, with the
// constructor that makes it for a client process. The functions of this package make one; its methods may change in any version.
type Subject = cell.Subject

// Mutex is a lock that one client holds at a time, as in [Check].
func Mutex(newLock func(*Client) lock.Locker) Subject { return cell.Mutex(newLock) }

// Reentrant is a mutex that its owner, named by [lock.WithOwner], may acquire again while holding it. The owner releases
// it as many times.
func Reentrant(newLock func(*Client) lock.Locker) Subject { return cell.Reentrant(newLock) }

// ReadWrite is a lock that many readers or one writer hold at a time. A reader may acquire it again while holding it, and
// a writer may become a reader.
func ReadWrite(newLock func(*Client) lock.RWLocker) Subject { return cell.ReadWrite(newLock) }

// PlainReadWrite is a [ReadWrite] whose owners cannot take either side of it again.
func PlainReadWrite(newLock func(*Client) lock.RWLocker) Subject { return cell.PlainReadWrite(newLock) }

// Semaphore has a number of permits; clients take several at once. If permits is 0 it has one fewer than all clients have
// threads, so that one thread must wait; Spec of [Client] has the number.
func Semaphore(permits int, newLock func(*Client) lock.Semaphore) Subject {
	return cell.Semaphore(permits, newLock)
}

// PermitSemaphore is a [Semaphore] whose permits have an ID and a lease each. Clients take one at a time.
func PermitSemaphore(permits int, newLock func(*Client) lock.PermitSemaphore) Subject {
	return cell.PermitSemaphore(permits, newLock)
}

// Latch is closed until it has been counted down to zero. Each thread of all clients counts down once; Spec of [Client]
// has their number.
func Latch(newLock func(*Client) lock.Latch) Subject { return cell.Latch(newLock) }

// Barrier holds its parties until all have arrived, and then starts again. Each thread of all clients is a party; Spec of
// [Client] has their number.
func Barrier(newLock func(*Client) lock.Barrier) Subject { return cell.Barrier(newLock) }

// Stock is a number of items from which clients serve orders; items is the initial number. If the stock is a
// [lock.Filler], clients also fill it.
func Stock(items int, newLock func(*Client) lock.Stock) Subject { return cell.Stock(items, newLock) }
