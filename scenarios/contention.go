package scenarios

import "time"

// contention is the calm one: several clients want the same lock at once, and
// nothing goes wrong. Segments have their ordinary latencies, in any order;
// holds and round trips are well under the TTL for any tape. A lock that
// breaks here is broken.
var contention = &Scenario{
	ID:      "contention",
	Summary: "several clients want the lock at once; nothing fails and nothing is late",
	Params:  Params{Clients: 3, Rounds: 2, Followers: 1, TTL: 2 * time.Second},
	Happenings: []Happening{
		{"a client waited while another held the lock", waitedForHolder},
	},
	Remedies: []Remedy{fencedLock},
}
