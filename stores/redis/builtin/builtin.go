package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// Locks returns the built-in locks over Redis, in the order in which they are listed.
func Locks() []cell.Lock {
	list := slices.Concat(oneKeyLocks, fencedLocks, pullLocks, hotspotLocks, redissonLocks, severalLocks, shardedLocks, sharedLocks, watchedLocks,
		marked(flawedLocks), marked(flawedHotspotLocks), marked(flawedSeveralLocks), marked(flawedWatchedLocks), marked(flawedClusterLocks))
	for i := range list {
		list[i].Store = redisstore.Store
	}
	return list
}

// marked returns the locks, marked as flawed.
func marked(locks []cell.Lock) []cell.Lock {
	list := slices.Clone(locks)
	for i := range list {
		list[i].Flawed = true
	}
	return list
}

// Families returns the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "One key, with an expiry", Expectations: oneKeyExpectations},
		{Title: "One key, with a fencing token", Expectations: fencedExpectations},
		{Title: "For production: knows the end of its lease", Expectations: pullExpectations},
		{Title: "Redisson's family", Expectations: redissonExpectations},
		{Title: "On several servers", Expectations: severalExpectations},
		{Title: "On one of several servers", Expectations: shardedExpectations},
		{Title: "Redisson's other kinds: shared locks and meetings", Expectations: sharedExpectations},
		{Title: "Where sentinels choose the primary", Expectations: watchedExpectations},
		{Title: "Flawed, as often written", Expectations: flawedExpectations},
		{Title: "Flawed, before the store", Expectations: flawedHotspotExpectations},
		{Title: "Flawed, on several servers", Expectations: flawedSeveralExpectations},
		{Title: "Flawed, where sentinels choose the primary", Expectations: flawedWatchedExpectations},
		{Title: "Flawed, in a Redis Cluster", Expectations: flawedClusterExpectations},
	}
}
