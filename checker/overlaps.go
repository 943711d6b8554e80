package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

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

// tooMany judges a claim that starts while others stand, and reports whether
// nothing worse can be found.
func (j *Judge) tooMany(standing []*model.Claim, c *model.Claim, found *worst) (enough bool) {
	if total := j.o.Spec.Permits; counted(j.o.Spec.Kind) {
		taken := j.amount(c)
		for _, old := range standing {
			taken += j.amount(old)
		}
		return taken > total && found.add(j.overdrawn(append(standing, c), taken))
	}
	for _, old := range standing {
		if !sameThread(old.Acquire, c.Acquire) && (j.excludes(old) || j.excludes(c)) && found.add(j.bothHeld(old, c)) {
			return true
		}
	}
	return false
}

// bothHeld is the verdict on two claims that overlap, the second of which
// started later.
func (j *Judge) bothHeld(a, b *model.Claim) model.Verdict {
	to := earlier(j.end(a), j.end(b))
	why := j.whyBoth(a.Acquire, b.Acquire)
	sentence := j.who(a.Acquire) + " and " + j.who(b.Acquire) + " both held the lock " + forTime(to.At-b.Start.At)
	if j.o.Spec.Kind == model.KindReadWrite {
		sentence = j.who(a.Acquire) + " held the lock " + j.mode(a) + " and " + j.who(b.Acquire) + " held it " + j.mode(b) + " at once " + forTime(to.At-b.Start.At)
	}
	return with(violated(because(sentence, why), b.Start, to,
		append(why.ops, a.Acquire.ID, b.Acquire.ID, j.releasedBy(a.Acquire.ID), j.releasedBy(b.Acquire.ID)),
		why.seqs), j.causeOfOverlap(a, b, b.Start))
}

// overdrawn is the verdict on claims of more permits than there are, the last of
// which started last.
func (j *Judge) overdrawn(claims []*model.Claim, taken int64) model.Verdict {
	last := claims[len(claims)-1]
	to := j.end(last)
	var names []string
	var ops []int
	cause := ""
	for _, c := range claims {
		to = earlier(to, j.end(c))
		cause = graver(cause, j.causeNotHeld(c, last.Start))
		ops = append(ops, c.Acquire.ID, j.releasedBy(c.Acquire.ID))
		if who := j.who(c.Acquire); !slices.Contains(names, who) {
			names = append(names, who)
		}
	}
	sentence := wording.And(names) + " held " + number(taken) + " permits of " + number(j.o.Spec.Permits) + " " + forTime(to.At-last.Start.At) + "."
	if cause == "" {
		cause = model.GrantedToBoth
	}
	return with(violated(sentence, last.Start, to, ops, nil), cause)
}

// amount is how many permits a claim is of.
func (j *Judge) amount(c *model.Claim) int64 {
	if said := j.h.CallOf(c.Acquire.ID); said != nil {
		return said.Amount()
	}
	return 1
}

// excludes reports whether the claim is exclusive.
func (j *Judge) excludes(c *model.Claim) bool {
	said := j.h.CallOf(c.Acquire.ID)
	return said == nil || said.Op != model.AcquireRead
}

// mode says how a read-write lock is held.
func (j *Judge) mode(c *model.Claim) string {
	if j.excludes(c) {
		return "for writing"
	}
	return "for reading"
}
