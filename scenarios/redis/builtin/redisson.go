package builtin

import (
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// beside is a key that a lock of a run keeps beside the one of its own name.
func beside(what string) string { return "{" + scenarios.LockName + "}:" + what }

// redissonLocks are those of Redisson's family whose record one can read as the
// value of one key.
var redissonLocks = []scenarios.Lock{
	{
		ID: "reentrant", Summary: "a hash with the holder's count; waiters are told of a release",
		Spec:      model.Spec{Kind: model.KindReentrant},
		Ownership: model.HashOwnership{Key: scenarios.LockName},
		New: func(c *scenarios.Client) lock.Locker {
			return redislocks.NewReentrant(connect(c), c.LockName(), lockOptions(c))
		},
	},
	{ID: "watchdog", Summary: "reentrant that is renewed every third of its lease", Renews: true, New: func(c *scenarios.Client) lock.Locker {
		return redislocks.NewWatchdog(connect(c), c.LockName(), redislocks.WatchdogOptions{Options: lockOptions(c)})
	}},
	{
		ID: "fair", Summary: "reentrant that is granted in the order of requests",
		Ownership: model.HashOwnership{Key: scenarios.LockName},
		Queue:     beside("queue"),
		New: func(c *scenarios.Client) lock.Locker {
			return redislocks.NewFair(connect(c), c.LockName(), redislocks.FairOptions{Options: lockOptions(c)})
		},
	},
}

// sharedLocks are those that several may have at once.
var sharedLocks = []scenarios.Lock{
	{
		ID: "readwrite", Summary: "many readers or one writer, in a hash, re-entrant",
		Spec:      model.Spec{Kind: model.KindReadWrite},
		Ownership: model.SortedSetOwnership{Key: beside("ends"), Start: scenarios.Epoch, Writers: "w:", Readers: "r:"},
		Make: func(c *scenarios.Client) any {
			return redislocks.NewReadWrite(connect(c), c.LockName(), lockOptions(c))
		},
	},
	{
		ID: "semaphore", Summary: "permits without leases, several at once",
		Spec:      model.Spec{Kind: model.KindSemaphore, Permits: 2},
		Ownership: model.HashOwnership{Key: scenarios.LockName, Besides: []string{"used"}},
		Make: func(c *scenarios.Client) any {
			return redislocks.NewSemaphore(connect(c), c.LockName(), int(c.Spec().Permits), lockOptions(c))
		},
	},
	{
		ID: "permit-semaphore", Summary: "permits, each with an ID and a lease",
		Spec:      model.Spec{Kind: model.KindPermitSemaphore},
		Ownership: model.SortedSetOwnership{Key: scenarios.LockName, Start: scenarios.Epoch},
		Make: func(c *scenarios.Client) any {
			return redislocks.NewPermitSemaphore(connect(c), c.LockName(), int(c.Spec().Permits), lockOptions(c))
		},
	},
	{
		ID: "latch", Summary: "opens when its count reaches zero",
		Spec: model.Spec{Kind: model.KindLatch},
		Make: func(c *scenarios.Client) any {
			return redislocks.NewLatch(connect(c), c.LockName(), lockOptions(c))
		},
	},
	{
		ID: "barrier", Summary: "lets its parties go on when all have arrived, and starts again",
		Spec: model.Spec{Kind: model.KindBarrier},
		Make: func(c *scenarios.Client) any {
			return redislocks.NewBarrier(connect(c), c.LockName(), c.Spec().Parties, lockOptions(c))
		},
	},
	{
		ID: "segmented", Summary: "a stock in segments, each under a lock of its own",
		Spec: model.Spec{Kind: model.KindStock, Stock: []int64{8}},
		Make: func(c *scenarios.Client) any {
			return redislocks.NewSegmented(connect(c), c.LockName(), redislocks.SegmentedOptions{Options: lockOptions(c), Segments: 3})
		},
	},
}
