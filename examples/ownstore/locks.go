package ownstore

import (
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/examples/ownstore/leases"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// Connect returns a client of the servers in a run.
func Connect(c *cell.Client) *leases.Client {
	return &leases.Client{Addresses: c.Addresses(), Dial: c.Dial}
}

// Sound makes the lock that releases only its own lease, and Blind the one that releases any.
func Sound(c *cell.Client) lock.Locker { return newLock(c, false) }
func Blind(c *cell.Client) lock.Locker { return newLock(c, true) }

func newLock(c *cell.Client, blind bool) lock.Locker {
	return &leases.Lock{Client: Connect(c), Name: c.LockName(), Owner: c.Name(), TTL: c.TTL(), Clock: c.Clock(), Blind: blind}
}

// Locks are the locks over the store.
func Locks() []cell.Lock {
	return []cell.Lock{
		{ID: "leases", Summary: "TAKE as a holder of its own, FREE as that", Store: Store, Subject: cell.Mutex(Sound)},
		{ID: "leases-blind", Summary: "TAKE, and DROP whoever has it", Store: Store, Subject: cell.Mutex(Blind), Flawed: true},
	}
}

var (
	// overrun is an access that takes effect when the lease is over.
	overrun = expect.Limits(expect.Faults(checker.Overrun))
	// orphan is a lease that nobody has: its TAKE arrived after the FREE that was to take it back.
	orphan = expect.Faults(checker.NoOrphan)
	// taken is what a release of another's lease does, and takenMay what may come with it.
	taken    = expect.Faults(checker.OwnerOnlyRelease)
	takenMay = expect.All(overrun, orphan, expect.Either(expect.Faults(
		checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate, checker.LeaseHonesty, checker.TruthfulRelease, checker.TruthfulAcquire)))
)

// Families are the locks with the violations that searches must and may find.
func Families() []expect.Family {
	in := func(must, may []model.Violation, ids ...string) (list []expect.Expectation) {
		for _, id := range ids {
			list = append(list, expect.Expectation{Scenario: id, Must: must, May: may})
		}
		return list
	}
	return []expect.Family{{Title: "Leases with a leader", Expectations: []expect.Expectations{
		{
			Lock: "leases", Reason: "It claims the lock from before it asks. So only a holder that is stopped or late after its last look comes too late.",
			In: slices.Concat(in(nil, overrun, "gc-pause", "two-step-release", "clock-skew", "hung-node", "partition", "watchdog-late", "late-reply", "election", "failover-loss"),
				in(nil, expect.All(overrun, orphan), "late-request", "cancel"), in(nil, expect.Limits(expect.Faults(checker.LeaseHonesty)), scenarios.Storm)),
		},
		{
			Lock: "leases-blind", Reason: "Its release ends the lease of whoever has it.",
			In: slices.Concat(in(taken, takenMay, "gc-pause", "two-step-release", "cancel"),
				in(nil, expect.All(taken, takenMay), "clock-skew", "late-reply", "late-request", "hung-node", "partition", "watchdog-late", "failover-loss", "node-restart", "election", "lost-reply")),
		},
	}}}
}
