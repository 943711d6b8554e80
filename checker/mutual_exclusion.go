package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// mutualExclusion: violated when the claims of two clients (or of two threads)
// overlap: of a read-write lock if one of them writes, of a semaphore when there
// are more permits than it has in all that overlap. The pair named is the first
// to overlap: the claim whose start makes it too many, and the oldest in its way
// that still stands then.
func (j *judge) mutualExclusion() model.Verdict {
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
func (j *judge) tooMany(standing []*claim, c *claim, found *worst) (enough bool) {
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
	if j.o.Spec.Kind == model.KindReadWrite {
		sentence = j.who(a.op) + " held the lock " + j.mode(a) + " and " + j.who(b.op) + " held it " + j.mode(b) + " at once " + forTime(to.At-b.start.At)
	}
	return with(violated(because(sentence, why), b.start, to,
		append(why.ops, a.op.ID, b.op.ID, j.released[a.op.ID], j.released[b.op.ID]),
		why.seqs), j.overlapping(a, b, b.start))
}

// overdrawn is the verdict on claims of more permits than there are, the last of
// which started last.
func (j *judge) overdrawn(claims []*claim, taken int64) model.Verdict {
	last := claims[len(claims)-1]
	to := j.end(last)
	var names []string
	var ops []int
	cause := ""
	for _, c := range claims {
		to = earlier(to, j.end(c))
		cause = graver(cause, j.unbacked(c, last.start))
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
