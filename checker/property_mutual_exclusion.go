package checker

import (
	"github.com/lockpick-dev/lockpick/model"
)

// MutualExclusion is violated when the claims of two clients, or of two threads,
// overlap. It is the clients' view: both were told that they hold the lock. Claims
// that touch do not overlap. Not applicable if no Acquire succeeded.
const MutualExclusion = "mutual-exclusion"

// mutualExclusion names the first two claims that overlap: the one whose start makes
// it too many, and the oldest in its way that still stands then. Of a read-write lock
// one of the two writes. Of a semaphore all claims that overlap have more permits than
// there are.
func (j *Judge) mutualExclusion() model.Verdict {
	switch {
	case !holdable(j.o.Spec.Kind):
		return notApplicable("A " + string(j.o.Spec.Kind) + " is held by nobody.")
	case len(j.allClaims()) == 0:
		return notApplicable(noneAcquired)
	}
	var found worst
	var room [8]*model.Claim
	standing := room[:0] // in the order of their starts
	for i := range j.allClaims() {
		c := &j.allClaims()[i]
		if !c.Stands(c.Start) {
			continue
		}
		kept := standing[:0]
		for _, old := range standing {
			if old.Stands(c.Start) {
				kept = append(kept, old)
			}
		}
		if j.tooMany(kept, c, &found) {
			break
		}
		kept = append(kept, c)
		standing = kept
	}
	return found.or(holds())
}
