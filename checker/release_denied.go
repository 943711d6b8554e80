package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// releaseDenied: violated when a Release answers that the lock was not held
// although the same Release has removed the acquisition's own key. A request
// that is sent again after its reply was lost finds the key gone, so sound
// locks do this, too.
func (j *judge) releaseDenied() model.Verdict {
	looked := false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		op := j.h.Operation(o.By.Op)
		if o.Kind != model.RecordDeleted || o.Authority == "" || op == nil || op.Kind != model.Release || j.acquisitionOf(o.Owner) != op.Acquisition {
			continue
		}
		if !slices.Contains(j.lockKeys(), o.Key) {
			continue
		}
		if looked = true; op.NotHeld {
			return with(violated(j.who(op)+" was told that it had not held the lock, after its release had removed its own "+j.record()+".",
				o.Stamp, op.Return, []int{op.Acquisition, op.ID}, []int64{o.Seq}), Untrue)
		}
	}
	if !looked {
		return notApplicable("No Release removed the " + j.record() + " of its own lock.")
	}
	return holds()
}
