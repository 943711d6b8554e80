package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// TruthfulRelease is violated when the first Release of an acquisition reports success although no authority had the lock
// for that acquisition at any time from its call to its return. (An authority that is cut off counts: its clients cannot
// know.) A second Release may report success: the lock is released. So may the Release of an inner hold that sends no
// request while the thread still believes in an outer hold: the outer hold's Release is judged. Always the lock's fault.
// Not applicable if no Release reported success, or if the holder of the lock is unknown.
const TruthfulRelease = "truthful-release"

var truthfulRelease = Property{
	ID: TruthfulRelease, Letter: "F", Legend: "Release reports success for a lock that it no longer held",
	About: "Release reports success only for a lock that was still the acquisition's own",
	Description: model.Description{
		Asks:   "Release reports success only if the lock was still its own.",
		Window: "released what was not its own",
		Breaks: model.AtEnd,
	},
	Doc:         "`Release` reports success only if the lock was still its own: success means for the caller that nobody else held the lock.",
	NeedsHolder: true,
	Verdict:     func(j *Judge) model.Verdict { return truthfulReleaseJudge{j}.verdict() },
}

// truthfulReleaseJudge judges a history by truthful-release.
type truthfulReleaseJudge struct{ base *Judge }

// verdict judges the first Release of each acquisition.
func (j truthfulReleaseJudge) verdict() model.Verdict {
	return j.base.truthful(model.Release, "No Release reported success.", func(op, x *model.Operation, key string) (sentence, cause string) {
		if j.base.Released(x.ID) != op.ID || j.leavesInner(op) || j.base.HeldDuring(x, key, op.Call.Seq, op.Return.Seq) {
			return "", ""
		}
		return j.base.who(op) + " was told that it had released the lock, which it did not hold any more", j.base.UnlessStale(model.Untrue, op, op.Return.Seq)
	})
}

// leavesInner reports whether a Release sends no request and its thread still believes in another hold, by a clock that
// may be off.
func (j truthfulReleaseJudge) leavesInner(op *model.Operation) bool {
	outer := j.base.Entered(op)
	if outer == nil || !holders.AsksNobody(op) {
		return false
	}
	off := j.base.ClockError(outer.Client, outer.Call.At, op.Call)
	return slices.ContainsFunc(j.base.ClaimsOf(outer.ID), func(i int) bool {
		c := j.base.Claims()[i]
		c.Until += off
		return c.Stands(op.Call)
	})
}
