package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lostCommit loses the answer to a commit: the transaction was committed, and its client
// sees a connection that breaks. A client that takes that for a failure leaves its record
// behind, or does its work a second time. One that takes it for a success will be wrong
// another time, as the same error comes when the commit was lost on its way. It must
// read what became of it.
//
// A statement that is a transaction by itself counts as a commit, if it changes anything.
var lostCommit = &Scenario{
	ID:      "lost-commit",
	Summary: "a transaction is committed and its connection breaks before the answer arrives",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LostCommits)},
	Happenings: []Happening{
		{Name: "the answer to a commit that took the lock was lost", In: grantLost},
		{Name: "the answer to a commit that gave the lock back was lost", In: releaseAnswerLost},
	},
	Remedies: []Remedy{expiringLock, fencedLock},
}
