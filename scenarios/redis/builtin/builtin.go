package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/expect"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// Locks are the built-in locks over Redis, in the order in which they are listed.
func Locks() []scenarios.Lock {
	return slices.Concat(oneKeyLocks, fencedLocks, pullLocks, redissonLocks, severalLocks, sharedLocks, flawed(flawedLocks), flawed(flawedSeveralLocks))
}

// flawed are the locks, marked as flawed.
func flawed(locks []scenarios.Lock) []scenarios.Lock {
	list := slices.Clone(locks)
	for i := range list {
		list[i].Flawed = true
	}
	return list
}

// Families are the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "One key, with an expiry", Expectations: oneKeyExpectations},
		{Title: "One key, with a fencing token", Expectations: fencedExpectations},
		{Title: "For production: knows the end of its lease", Expectations: pullExpectations},
		{Title: "Redisson's family", Expectations: redissonExpectations},
		{Title: "On several servers", Expectations: severalExpectations},
		{Title: "Redisson's other kinds: shared locks and meetings", Expectations: sharedExpectations},
		{Title: "Flawed, as often written", Expectations: flawedExpectations},
		{Title: "Flawed, on several servers", Expectations: flawedSeveralExpectations},
	}
}
