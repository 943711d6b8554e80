package locktest

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// Client is one client process as the lock under test sees it: the store's addresses, a
// dialer, a clock and a random source. Packages of stores make connections of it.
type Client = cell.Client

// Scenario is a situation for a lock that [With] adds to those of Lockpick. Its fields may change in any version.
type Scenario = cell.Scenario

// LockName is the name of the lock that all clients of a run compete for.
const LockName = cell.LockName

// Subject is what [CheckSubject] and [ExploreSubject] test: a kind of lock, with the
// constructor that makes it for a client process. The functions of this package make one; its methods may change in any version.
type Subject = cell.Subject

// Mutex is a lock that one client holds at a time: what [Check] tests.
func Mutex(newLock func(*Client) lock.Locker) Subject { return cell.Mutex(newLock) }

// Reentrant is a mutex whose owner, named by [lock.WithOwner], acquires it again while it holds
// it, and releases it as often.
func Reentrant(newLock func(*Client) lock.Locker) Subject { return cell.Reentrant(newLock) }

// ReadWrite is a lock that many readers or one writer hold at a time. Readers acquire it again
// while they hold it, and writers become readers.
func ReadWrite(newLock func(*Client) lock.RWLocker) Subject { return cell.ReadWrite(newLock) }

// PlainReadWrite is a [ReadWrite] whose owners cannot take either side of it again.
func PlainReadWrite(newLock func(*Client) lock.RWLocker) Subject { return cell.PlainReadWrite(newLock) }

// Semaphore has a number of permits, of which clients take several at once. With 0 permits it
// has one fewer than there are threads of all clients, so that one thread has to wait; Spec
// of [Client] has the number.
func Semaphore(permits int, newLock func(*Client) lock.Semaphore) Subject {
	return cell.Semaphore(permits, newLock)
}

// PermitSemaphore is a [Semaphore] whose permits have an ID and a lease each. Clients take one
// at a time.
func PermitSemaphore(permits int, newLock func(*Client) lock.PermitSemaphore) Subject {
	return cell.PermitSemaphore(permits, newLock)
}

// Latch is closed until it has been counted down to zero. Each thread of all clients counts
// down once; Spec of [Client] has their number.
func Latch(newLock func(*Client) lock.Latch) Subject { return cell.Latch(newLock) }

// Barrier lets its parties go on when all have arrived, and begins again. Each thread of all
// clients is a party; Spec of [Client] has their number.
func Barrier(newLock func(*Client) lock.Barrier) Subject { return cell.Barrier(newLock) }

// Stock is a number of items from which clients serve orders; items is the initial number.
// Clients fill a stock that is a [lock.Filler].
func Stock(items int, newLock func(*Client) lock.Stock) Subject { return cell.Stock(items, newLock) }
