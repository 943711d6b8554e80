package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/model"
)

// beside returns a key that a lock of a run keeps beside the one of its own name.
func beside(what string) string { return "{" + cell.LockName + "}:" + what }

// redissonLocks are those of Redisson's family whose record one can read as the
// value of one key.
var redissonLocks = []cell.Lock{
	{
		ID: "reentrant", Summary: "a hash with the holder's count; waiters are notified of a release",
		Reading: cell.Reading{Ownership: model.HashOwnership{Key: cell.LockName}},
		Subject: cell.Reentrant(func(c *cell.Client) lock.Locker {
			return redislocks.NewReentrant(connect(c), c.LockName(), lockOptions(c))
		}),
	},
	{ID: "watchdog", Summary: "reentrant that is renewed every third of its lease", Renews: true, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return redislocks.NewWatchdog(connect(c), c.LockName(), redislocks.WatchdogOptions{Options: lockOptions(c)})
	})},
	{
		ID: "fair", Summary: "reentrant that is granted in the order of requests",
		Reading: cell.Reading{Ownership: model.HashOwnership{Key: cell.LockName}, Queue: beside("queue")},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return redislocks.NewFair(connect(c), c.LockName(), redislocks.FairOptions{Options: lockOptions(c)})
		}),
	},
}

// sharedLocks are those that several may have at once.
var sharedLocks = []cell.Lock{
	{
		ID: "readwrite", Summary: "many readers or one writer, in a hash, re-entrant",
		Reading: cell.Reading{Ownership: model.SortedSetOwnership{Key: beside("ends"), Start: cell.Epoch, Writers: "w:", Readers: "r:"}},
		Subject: cell.ReadWrite(func(c *cell.Client) lock.RWLocker {
			return redislocks.NewReadWrite(connect(c), c.LockName(), lockOptions(c))
		}),
	},
	{
		ID: "semaphore", Summary: "permits without leases, several at once",
		Reading: cell.Reading{Ownership: model.HashOwnership{Key: cell.LockName, Besides: []string{"used"}}},
		Subject: cell.Semaphore(2, func(c *cell.Client) lock.Semaphore {
			return redislocks.NewSemaphore(connect(c), c.LockName(), int(c.Spec().Permits), lockOptions(c))
		}),
	},
	{
		ID: "permit-semaphore", Summary: "permits, each with an ID and a lease",
		Reading: cell.Reading{Ownership: model.SortedSetOwnership{Key: cell.LockName, Start: cell.Epoch}},
		Subject: cell.PermitSemaphore(0, func(c *cell.Client) lock.PermitSemaphore {
			return redislocks.NewPermitSemaphore(connect(c), c.LockName(), int(c.Spec().Permits), lockOptions(c))
		}),
	},
	{
		ID: "latch", Summary: "opens when its count reaches zero",
		Subject: cell.Latch(func(c *cell.Client) lock.Latch {
			return redislocks.NewLatch(connect(c), c.LockName(), lockOptions(c))
		}),
	},
	{
		ID: "barrier", Summary: "lets its parties go on when all have arrived, and starts again",
		Subject: cell.Barrier(func(c *cell.Client) lock.Barrier {
			return redislocks.NewBarrier(connect(c), c.LockName(), c.Spec().Parties, lockOptions(c))
		}),
	},
	{
		ID: "segmented", Summary: "a stock in segments, each under a lock of its own",
		Subject: cell.Stock(8, func(c *cell.Client) lock.Stock {
			return redislocks.NewSegmented(connect(c), c.LockName(), redislocks.SegmentedOptions{Options: lockOptions(c), Segments: 3})
		}),
	},
}
