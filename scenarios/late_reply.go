package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// lateReply delays answers: until half of the lease is over, until all of it is, or until
// the client has hung up and retried. A lock that counts its lease from the answer, and
// not from the request, still believes in it when it is over.
var lateReply = &Scenario{
	ID:      "late-reply",
	Summary: "an answer of {store} comes late, perhaps when the lease that it grants is over",
	Params:  Params{Clients: 2, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.LateReplies)},
	Happenings: []Happening{
		{Name: "an Acquire succeeded by an answer that came later than its lease lasts", In: acquiredLate},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}
