package checker

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// busyWait: violated when an Acquire has sent many requests in a row, each as soon as it had
// the answer to the one before.
func (j *judge) busyWait() model.Verdict {
	looked := false
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		if op.Kind != model.Acquire || op.Try {
			continue
		}
		looked = true
		if op.BackToBack >= model.Spinning {
			to := op.Return
			if !to.Happened() {
				to = j.h.End
				if c := j.crashAfter(op.Client, op.Call.Seq); c.Happened() {
					to = c
				}
			}
			sentence := j.who(op) + " sent " + strconv.Itoa(op.BackToBack) + " requests in a row while it waited for the lock, each at the instant at which it had the answer to the one before."
			return with(violated(sentence, op.Call, to, []int{op.ID}, nil), Spins)
		}
	}
	if !looked {
		return notApplicable("No Acquire that waits was called.")
	}
	return holds()
}
