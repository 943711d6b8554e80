package checker

import "github.com/lockpick-dev/lockpick/model"

// promptCancel: violated when an operation whose context has ended took longer
// than the bound in which its process could have returned: in which it ran, and
// no request of its was under way. To wait for an answer until a timeout is the
// business of the client library.
func (j *judge) promptCancel() model.Verdict {
	looked := false
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		if !op.Cancelled.Happened() {
			continue
		}
		looked = true
		if op.Idle <= j.o.CancelBound {
			continue
		}
		to, and := op.Return, "waited "+forTime(op.Idle)+" without a request under way before it returned"
		if !to.Happened() {
			to, and = j.h.End, "waited "+forTime(op.Idle)+" without a request under way and did not return"
		}
		return with(violated("After its context had ended "+j.deed(op)+" "+and+".", op.Cancelled, to, []int{op.ID}, nil), IgnoredContext)
	}
	if !looked {
		return notApplicable("No context ended.")
	}
	return holds()
}
