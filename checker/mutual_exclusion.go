package checker

import "github.com/lockpick-dev/lockpick/model"

// mutualExclusion: violated when the claims of two clients (or of two threads)
// overlap. The pair named is the first to overlap: the claim whose start makes
// two, and the oldest that still stands then.
func (j *judge) mutualExclusion() model.Verdict {
	if len(j.claims) == 0 {
		return notApplicable(noneAcquired)
	}
	var room [8]*claim
	standing := room[:0] // in the order of their starts
	for i := range j.claims {
		c := &j.claims[i]
		if !c.stands(c.start) {
			continue
		}
		kept := standing[:0]
		for _, old := range standing {
			if !old.stands(c.start) {
				continue
			}
			if !sameThread(old.op, c.op) {
				return j.bothHeld(old, c)
			}
			kept = append(kept, old)
		}
		kept = append(kept, c)
		standing = kept
	}
	return holds()
}

const noneAcquired = "No Acquire succeeded."

func sameThread(a, b *model.Operation) bool {
	return a.Client == b.Client && a.Thread == b.Thread
}

// bothHeld is the verdict on two claims that overlap, the second of which
// started later.
func (j *judge) bothHeld(a, b *claim) model.Verdict {
	to := earlier(j.end(a), j.end(b))
	why := j.whyBoth(a.op, b.op)
	sentence := j.who(a.op) + " and " + j.who(b.op) + " both held the lock " + forTime(to.At-b.start.At)
	return violated(because(sentence, why), b.start, to,
		append(why.ops, a.op.ID, b.op.ID, j.released[a.op.ID], j.released[b.op.ID]),
		why.seqs)
}
