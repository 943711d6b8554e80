package expect_test

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// A lock with leases whose release does not look at the owner. A holder that stops for too long is a limit; that it
// then releases the lock of another client is a fault.
func Example() {
	blind := expect.Expectations{Lock: "mystore-blind", Reason: "It releases the lock whoever has it.", In: []expect.Expectation{
		{
			Scenario: "gc-pause",
			Must:     expect.Faults(checker.OwnerOnlyRelease),
			May:      expect.Either(expect.Faults(checker.MutualExclusion, checker.NoLostUpdate)),
		},
	}}
	in := blind.Under("gc-pause")
	missed, never := in.Unlike([]model.Violation{{Property: checker.MutualExclusion, Limit: true}, {Property: checker.Progress}})
	fmt.Println("not found:", missed[0].Property)
	fmt.Println("not allowed:", never[0].Property)
	// Output:
	// not found: owner-only-release
	// not allowed: progress
}
