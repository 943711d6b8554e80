package checker

import "github.com/lockpick-dev/lockpick/model"

// PromptCancel is violated when an operation whose context has ended idles for
// longer than [Options].CancelBound in all before it returns (or the run ends). It
// idles ([model.Operation].Idle) while its process is not paused and has no request
// or connection attempt under way: a wait for an answer is the client library's
// own. Not applicable if no context ended.
const PromptCancel = "prompt-cancel"

var promptCancel = Property{
	ID: PromptCancel, Letter: "C", Legend: "does not return soon after its context has ended",
	About: "Acquire, Extend and Release return soon after their context has ended",
	Description: model.Description{
		Asks:   "Acquire, Extend and Release return soon after their context has ended.",
		Window: "cancelled, yet not back",
		Breaks: model.AtEnd,
	},
	Doc: "When its context ends, an `Acquire`, `Extend` or `Release` returns. Waiting for an answer of the store is the client library's " +
		"affair and does not count; sleeping on does.",
	Verdict: judgePromptCancel,
}

// judgePromptCancel names the first operation that idled for too long.
func judgePromptCancel(j *Judge) model.Verdict {
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
		return WithCause(violated("After its context had ended "+j.deed(op)+" "+and+".", op.Cancelled, to, []int{op.ID}, nil), model.IgnoredContext)
	}
	if !looked {
		return notApplicable("No context ended.")
	}
	return holds()
}
