package checker

import (
	"github.com/lockpick-dev/lockpick/model"
)

// MutualExclusion is violated when the claims of two clients, or of two threads,
// overlap. It is the clients' view: both Acquires reported success. Claims
// that touch do not overlap. Not applicable if no Acquire succeeded.
const MutualExclusion = "mutual-exclusion"

var mutualExclusion = Property{
	ID: MutualExclusion, Letter: "H", Legend: "two holders",
	About: "no two clients claim the lock at once",
	Description: model.Description{
		Asks:    "No two clients believe at the same time that they hold the lock.",
		Window:  "several clients believe that they hold it",
		Pair:    "both believe that they hold it",
		Subject: model.Overlap, Consequence: 1,
	},
	Doc: "No two clients, nor two threads of one client, believe at once that they hold the lock. A belief lasts from the return of " +
		"`Acquire` to the call of `Release`, or to the end that the lease itself claims (`Until`, `Lost`). In the picture, the only node " +
		"that had c1's key crashed before it had replicated it.",
	MayBeLimit: true,
	Verdict:    func(j *Judge) model.Verdict { return overlaps{j}.verdict() },
}
