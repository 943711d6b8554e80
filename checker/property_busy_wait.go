package checker

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// BusyWait is a weak property. It is violated when an Acquire has sent [model.Spinning] (a hundred) requests or more in a
// row, each at the instant at which its process had the answer to the one before. This costs the store and the client much
// but harms no lock. Requests that belong to no operation, such as those of a client library for all threads of a process,
// do not count. Not applicable if no Acquire that waits was called.
const BusyWait = "busy-wait"

var busyWait = Property{
	ID: BusyWait, Letter: "b", Legend: "a waiting client asks the store without a pause",
	About: "a client that waits for the lock does not ask the store again and again without a pause",
	Description: model.Description{
		Asks:   "A waiter does not ask {store} again and again without a pause.",
		Window: "asks without a pause",
	},
	Doc: "A waiting `Acquire` sends a hundred requests or more in a row, each as soon as it has the answer to the one before. It costs the " +
		"store and the client much and harms no lock.",
	Weak:    true,
	Verdict: judgeBusyWait,
}

// judgeBusyWait names the first Acquire that sent too many requests in a row.
func judgeBusyWait(j *Judge) model.Verdict {
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
				if c := j.CrashAfter(op.Client, op.Call.Seq); c.Happened() {
					to = c
				}
			}
			sentence := j.who(op) + " sent " + strconv.Itoa(op.BackToBack) + " requests in a row while it waited for the lock, each at the instant at which it had the answer to the one before."
			return WithCause(violated(sentence, op.Call, to, []int{op.ID}, nil), model.Spins)
		}
	}
	if !looked {
		return notApplicable("No Acquire that waits was called.")
	}
	return holds()
}
