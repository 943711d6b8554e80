package scenarios

import "time"

// contention is the calm scenario: several clients want the lock at once, and nothing
// fails. Segments have ordinary latencies, in any order. Holds and round trips stay well
// under the TTL for any tape.
var contention = &Scenario{
	ID:      "contention",
	Summary: "several clients want the lock at once; nothing fails and nothing is late",
	Params:  Params{Clients: 3, Rounds: 2, Followers: 1, TTL: 2 * time.Second},
	Happenings: []Happening{
		{Name: "a client waited while another held the lock", In: waitedForHolder},
	},
	Remedies: []Remedy{fencedLock},
}
