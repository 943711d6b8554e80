package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// overlaps judges a history by mutual-exclusion, and finds the overlap behind calls without an order.
type overlaps struct{ base *Judge }

// verdict names the first two claims that overlap: the one whose start violates the property, and the oldest conflicting
// one that is still active then. For a read-write lock one of the two writes; for a semaphore all overlapping claims
// together have more permits than exist.
func (j overlaps) verdict() model.Verdict {
	switch {
	case !holders.Holdable(j.base.o.Spec.Kind):
		return notApplicable("A " + string(j.base.o.Spec.Kind) + " is held by nobody.")
	case len(j.base.Claims()) == 0:
		return notApplicable(noneAcquired)
	}
	var found worst
	var room [8]*model.Claim
	standing := room[:0] // in the order of their starts
	for i := range j.base.Claims() {
		c := &j.base.Claims()[i]
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

// tooMany judges a claim that starts while others are active, and reports whether no worse violation can be found.
func (j overlaps) tooMany(standing []*model.Claim, c *model.Claim, found *worst) (enough bool) {
	if total := j.base.o.Spec.Permits; holders.Counted(j.base.o.Spec.Kind) {
		taken := j.amount(c)
		for _, old := range standing {
			taken += j.amount(old)
		}
		return taken > total && found.add(j.overdrawn(append(standing, c), taken))
	}
	for _, old := range standing {
		if !holders.SameThread(old.Acquire, c.Acquire) && (j.excludes(old) || j.excludes(c)) && found.add(j.bothHeld(old, c)) {
			return true
		}
	}
	return false
}

// bothHeld returns the verdict on two claims that overlap, the second of which
// started later.
func (j overlaps) bothHeld(a, b *model.Claim) model.Verdict {
	to := holders.Earlier(j.base.ClaimEnd(a), j.base.ClaimEnd(b))
	why := j.base.whyBoth(a.Acquire, b.Acquire)
	sentence := j.base.who(a.Acquire) + " and " + j.base.who(b.Acquire) + " both held the lock " + forTime(to.At-b.Start.At)
	if j.base.o.Spec.Kind == model.KindReadWrite {
		sentence = j.base.who(a.Acquire) + " held the lock " + j.mode(a) + " and " + j.base.who(b.Acquire) + " held it " + j.mode(b) + " at once " + forTime(to.At-b.Start.At)
	}
	return WithCause(violated(because(sentence, why), b.Start, to,
		append(why.ops, a.Acquire.ID, b.Acquire.ID, j.base.Released(a.Acquire.ID), j.base.Released(b.Acquire.ID)),
		why.seqs), j.base.CauseOfOverlap(a, b, b.Start))
}

// overdrawn returns the verdict on claims of more permits than exist. The last of them started last.
func (j overlaps) overdrawn(claims []*model.Claim, taken int64) model.Verdict {
	last := claims[len(claims)-1]
	to := j.base.ClaimEnd(last)
	var names []string
	var ops []int
	cause := ""
	for _, c := range claims {
		to = holders.Earlier(to, j.base.ClaimEnd(c))
		cause = endings.Graver(cause, j.base.CauseNotHeld(c, last.Start))
		ops = append(ops, c.Acquire.ID, j.base.Released(c.Acquire.ID))
		if who := j.base.who(c.Acquire); !slices.Contains(names, who) {
			names = append(names, who)
		}
	}
	sentence := wording.And(names) + " held " + number(taken) + " permits of " + number(j.base.o.Spec.Permits) + " " + forTime(to.At-last.Start.At) + "."
	if cause == "" {
		cause = model.GrantedToBoth
	}
	return WithCause(violated(sentence, last.Start, to, ops, nil), cause)
}

// amount returns the number of permits of a claim.
func (j overlaps) amount(c *model.Claim) int64 {
	if said := j.base.h.CallOf(c.Acquire.ID); said != nil {
		return said.Amount()
	}
	return 1
}

// excludes reports whether the claim is exclusive.
func (j overlaps) excludes(c *model.Claim) bool {
	said := j.base.h.CallOf(c.Acquire.ID)
	return said == nil || said.Op != model.AcquireRead
}

// mode returns the verb for how a read-write lock is held.
func (j overlaps) mode(c *model.Claim) string {
	if j.excludes(c) {
		return "for writing"
	}
	return "for reading"
}
