package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// MutualExclusion is violated when the claims of two clients, or of two threads,
// overlap. It is the clients' view: both were told that they hold the lock. Claims
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
	Verdict:    (*Judge).mutualExclusion,
}

// mutualExclusion names the first two claims that overlap: the one whose start makes
// it too many, and the oldest in its way that still stands then. Of a read-write lock
// one of the two writes. Of a semaphore all claims that overlap have more permits than
// there are.
func (j *Judge) mutualExclusion() model.Verdict {
	switch {
	case !holdable(j.o.Spec.Kind):
		return notApplicable("A " + string(j.o.Spec.Kind) + " is held by nobody.")
	case len(j.claims) == 0:
		return notApplicable(noneAcquired)
	}
	var found worst
	var room [8]*claim
	standing := room[:0] // in the order of their starts
	for i := range j.claims {
		c := &j.claims[i]
		if !c.stands(c.start) {
			continue
		}
		kept := standing[:0]
		for _, old := range standing {
			if old.stands(c.start) {
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

// tooMany judges a claim that starts while others stand, and reports whether
// nothing worse can be found.
func (j *Judge) tooMany(standing []*claim, c *claim, found *worst) (enough bool) {
	if total := j.o.Spec.Permits; counted(j.o.Spec.Kind) {
		taken := j.amount(c)
		for _, old := range standing {
			taken += j.amount(old)
		}
		return taken > total && found.add(j.overdrawn(append(standing, c), taken))
	}
	for _, old := range standing {
		if !sameThread(old.op, c.op) && (j.excludes(old) || j.excludes(c)) && found.add(j.bothHeld(old, c)) {
			return true
		}
	}
	return false
}

// bothHeld is the verdict on two claims that overlap, the second of which
// started later.
func (j *Judge) bothHeld(a, b *claim) model.Verdict {
	to := earlier(j.end(a), j.end(b))
	why := j.whyBoth(a.op, b.op)
	sentence := j.who(a.op) + " and " + j.who(b.op) + " both held the lock " + forTime(to.At-b.start.At)
	if j.o.Spec.Kind == model.KindReadWrite {
		sentence = j.who(a.op) + " held the lock " + j.mode(a) + " and " + j.who(b.op) + " held it " + j.mode(b) + " at once " + forTime(to.At-b.start.At)
	}
	return with(violated(because(sentence, why), b.start, to,
		append(why.ops, a.op.ID, b.op.ID, j.released[a.op.ID], j.released[b.op.ID]),
		why.seqs), j.causeOfOverlap(a, b, b.start))
}

// overdrawn is the verdict on claims of more permits than there are, the last of
// which started last.
func (j *Judge) overdrawn(claims []*claim, taken int64) model.Verdict {
	last := claims[len(claims)-1]
	to := j.end(last)
	var names []string
	var ops []int
	cause := ""
	for _, c := range claims {
		to = earlier(to, j.end(c))
		cause = graver(cause, j.causeNotHeld(c, last.start))
		ops = append(ops, c.op.ID, j.released[c.op.ID])
		if who := j.who(c.op); !slices.Contains(names, who) {
			names = append(names, who)
		}
	}
	sentence := wording.And(names) + " held " + number(taken) + " permits of " + number(j.o.Spec.Permits) + " " + forTime(to.At-last.start.At) + "."
	if cause == "" {
		cause = GrantedToBoth
	}
	return with(violated(sentence, last.start, to, ops, nil), cause)
}
