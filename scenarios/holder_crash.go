package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// holderCrash kills a client process, perhaps while it holds the lock, perhaps while the
// request that takes or releases the lock is in flight. Nobody releases it then. The other
// clients must get the lock when the dead holder's lease has ended. A lock without expiry,
// or one that sets expiry in a second request, keeps them out for ever.
var holderCrash = &Scenario{
	ID:      "holder-crash",
	Summary: "a client process is killed, perhaps while it holds the lock",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.Crashes)},
	Happenings: []Happening{
		{Name: "a client crashed while it held the lock", In: crashedHolding},
		{Name: "a client crashed while its request for the lock was under way, and was granted it", In: grantedToTheDead},
	},
	Remedies: []Remedy{expiringLock},
}
