package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// ReleaseDenied is a weak property. It is violated when a Release reports ErrNotHeld
// after it has removed the acquisition's own key itself. A request that is sent
// again because its answer was lost finds the key gone, and few locks detect that.
const ReleaseDenied = "release-denied"

var releaseDenied = Property{
	ID: ReleaseDenied, Letter: "d", Legend: "Release removes its own key and says that it was not held",
	About: "Release does not remove its own lock and say that it was not held",
	Description: model.Description{
		Asks:   "Release does not say “not held” after removing its own lock.",
		Window: "removed, yet told “not held”",
	},
	Doc: "`Release` has removed its own lock, and says that it was not held. A request that is sent again because its answer was lost " +
		"finds nothing left to remove.",
	Weak:    true,
	Verdict: judgeReleaseDenied,
}

// judgeReleaseDenied names the first Release that removed the key and denied it.
func judgeReleaseDenied(j *Judge) model.Verdict {
	looked := false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		op := j.h.Operation(o.By.Op)
		if o.Kind != model.RecordDeleted || o.Authority == "" || op == nil || op.Kind != model.Release || j.AcquisitionOf(o.Owner) != op.Acquisition {
			continue
		}
		if !slices.Contains(j.LockKeys(), o.Key) {
			continue
		}
		if looked = true; op.NotHeld {
			return WithCause(violated(j.who(op)+" was told that it had not held the lock, after its release had removed its own "+j.record()+".",
				o.Stamp, op.Return, []int{op.Acquisition, op.ID}, []int64{o.Seq}), model.Untrue)
		}
	}
	if !looked {
		return notApplicable("No Release removed the " + j.record() + " of its own lock.")
	}
	return holds()
}
