package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// NeedlessFailure is a weak property. It is violated when an Acquire or a TryAcquire reports that it has not got the lock
// although, from its call to its return, no store had the lock for another acquisition, no other client claimed it or
// asked for it, its own context had not ended, its client was not held up, and no fault had struck since one lease before
// the call. What an earlier acquisition of the same client left in a store counts as another's. Not applicable if the
// holder of the lock is unknown, or if no Acquire reported a failure.
const NeedlessFailure = "needless-failure"

var needlessFailure = Property{
	ID: NeedlessFailure, Letter: "f", Legend: "Acquire fails while nobody has the lock",
	About: "Acquire does not fail while nobody has the lock or asks for it",
	Description: model.Description{
		Asks:   "Acquire does not fail while nobody has the lock.",
		Window: "free, yet not acquired",
		Breaks: model.AtEnd,
	},
	Doc: "An `Acquire` or a `TryAcquire` says that it has not got the lock, though nobody had it or asked for it, and no fault struck: a " +
		"process that believes what it knew before, say. The caller may try again, so it harms no lock.",
	Weak: true, NeedsHolder: true,
	Verdict: func(j *Judge) model.Verdict { return needlessFailureJudge{j}.verdict() },
}

// needlessFailureJudge judges a history by needless-failure.
type needlessFailureJudge struct{ base *Judge }

// verdict names the first Acquire that failed though nothing was in its way.
func (j needlessFailureJudge) verdict() model.Verdict {
	if _, ok := j.base.Readable(); !ok {
		return notApplicable("The history does not show who has the lock.")
	}
	looked := false
	for i := range j.base.h.Operations {
		op := &j.base.h.Operations[i]
		if op.Kind != model.Acquire || op.Result != model.Failed || !op.Return.Happened() {
			continue
		}
		if looked = true; !op.Cancelled.Happened() && !j.contended(op) && !j.struck(op) {
			sentence := j.base.who(op) + "'s acquire failed, though nobody had the lock or asked for it."
			return WithCause(violated(sentence, op.Call, op.Return, []int{op.ID}, nil), model.FailsNeedlessly)
		}
	}
	if !looked {
		return notApplicable("No Acquire answered that it had failed.")
	}
	return holds()
}

// contended reports whether another acquisition had, claimed, asked for or was giving up the lock at any time during an
// operation.
func (j needlessFailureJudge) contended(op *model.Operation) bool {
	during := func(from, to model.Stamp) bool {
		return from.At <= op.Return.At && (!to.Happened() || to.At >= op.Call.At)
	}
	return slices.ContainsFunc(j.base.Tenures(), func(t holders.Tenure) bool {
		return t.Overlaps(op.Call.Seq, op.Return.Seq) && (t.Unknown || t.Acquisition != op.ID)
	}) || slices.ContainsFunc(j.base.Claims(), func(c model.Claim) bool {
		return during(c.Start, j.base.ClaimEnd(&c))
	}) || slices.ContainsFunc(j.base.h.Operations, func(y model.Operation) bool {
		return y.ID != op.ID && (y.Kind == model.Acquire || y.Kind == model.Release) && during(y.Call, y.Return)
	})
}

// struck reports whether a fault struck during an operation or within one lease before it, or held up its client.
func (j needlessFailureJudge) struck(op *model.Operation) bool {
	if held, _ := j.base.ClientDelay(op, op.Call.At, op.Return.At); held > 0 {
		return true
	}
	return slices.ContainsFunc(j.base.h.Observations, func(o model.Observation) bool {
		return endings.IsFault(&o) && o.Seq < op.Return.Seq && o.At+o.For >= op.Call.At-j.base.h.TTL
	})
}
