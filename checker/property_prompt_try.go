package checker

import (
	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// PromptTry is a weak property. It is violated when a TryAcquire that has returned took longer than its client was held
// up, by more than a tenth of the lease (10 ms at least), and others claimed the lock for all that time: it has waited for
// them. Package endings defines how a client is held up. Not applicable if no TryAcquire returned.
const PromptTry = "prompt-try"

var promptTry = Property{
	ID: PromptTry, Letter: "t", Legend: "TryAcquire waits for the holder",
	About: "TryAcquire returns at once if the lock is held",
	Description: model.Description{
		Asks:   "TryAcquire returns at once if the lock is held.",
		Window: "tries, and waits",
		Breaks: model.AtEnd,
	},
	Doc: "A `TryAcquire` waits while another client has the lock, for longer than a tenth of the lease and than anything held it up: it " +
		"polls, waits in the store, or waits in a queue of its process. It harms no lock, but callers that must not wait.",
	Weak:    true,
	Verdict: judgePromptTry,
}

// judgePromptTry names the first TryAcquire that waited for others.
func judgePromptTry(j *Judge) model.Verdict {
	looked := false
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		if op.Kind != model.Acquire || !op.Try || !op.Return.Happened() {
			continue
		}
		looked = true
		if op.Return.At-op.Call.At <= j.LossBound() {
			continue
		}
		var list []endings.Stretch
		var rivals []int
		for n := range j.Claims() {
			c := &j.Claims()[n]
			from, to := max(c.Start.At, op.Call.At), min(j.ClaimEnd(c).At, op.Return.At)
			if !holders.SameThread(c.Acquire, op) && from < to {
				list, rivals = append(list, endings.Stretch{From: from, To: to}), append(rivals, c.Acquire.ID)
			}
		}
		waited, _ := endings.Union(list)
		held, _ := j.ClientDelay(op, op.Call.At, op.Return.At)
		if waited -= held; waited > j.LossBound() {
			sentence := j.who(op) + "'s TryAcquire took " + (op.Return.At - op.Call.At).String() + ", and waited " + forTime(waited) +
				" of it while " + j.who(j.h.Operation(rivals[0])) + " held the lock."
			return WithCause(violated(sentence, op.Call, op.Return, append(rivals, op.ID), nil), model.WaitsForHolder)
		}
	}
	if !looked {
		return notApplicable("No TryAcquire returned.")
	}
	return holds()
}
