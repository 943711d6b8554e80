package builtin

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// What is found together: as faults, if [expect.Limits] is not around it.
var (
	// Acquire says that it has the lock when the lease is over, and so two have it.
	tooLate = expect.Faults(checker.TruthfulAcquire)
	lateTwo = expect.All(tooLate, bothWrite)

	// Two clients hold the lock, as they know it, and both write.
	twoHolders = expect.Faults(checker.MutualExclusion, checker.Linearizable)
	bothWrite  = expect.All(twoHolders, expect.Faults(checker.NoLostUpdate))

	// The same of leases that report their end: what the store has is not what they
	// say.
	twoLeases = expect.Faults(checker.MutualExclusion, checker.LeaseHonesty)

	harm      = expect.Faults(checker.NoLostUpdate)
	leftKey   = expect.Faults(checker.NoOrphan)
	stuck     = expect.Faults(checker.Progress)
	twoTokens = expect.Faults(checker.Fencing)

	// Sound locks have these as well.
	lateKey   = expect.Faults(checker.LateOrphan)
	unthanked = expect.Faults(checker.ReleaseDenied)

	// What a release may do that does not look, in the step in which it removes the
	// key, whose that is. What it begins with is that it removes another's.
	removes      = expect.Faults(checker.OwnerOnlyRelease)
	blindRelease = expect.All(removes, expect.Faults(checker.TruthfulRelease), bothWrite)
)

// The reasons why sound locks violate weak properties.
const (
	askedTwice  = "The node executes a request for the lock after its retry, when the lock has been released."
	doneAlready = "The release was executed, its answer is lost, and it is requested again."
)
