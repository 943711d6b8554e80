package checker

import "github.com/lockpick-dev/lockpick/model"

// TruthfulExtend is violated when Extend reports success though no authority had
// the lock for the acquisition from Extend's call to its return, or only because it
// was taken anew after the Acquire's return (it was lost in between). It is also
// violated if the extended lease had ended when Extend returned, by Until or,
// without one, by the store, and the process was not stopped since, or if the
// lease's own client had removed it. It is the lock's fault, unless a store that
// forgets has come back to an earlier record of the same holder, or a clock that jumped
// back has kept one past its end. Not applicable if no Extend reported success, or if it
// is not known who has the lock.
const TruthfulExtend = "truthful-extend"

var truthfulExtend = Property{
	ID: TruthfulExtend, Letter: "E", Legend: "Extend reports success for a lost lock",
	About: "Extend reports success only for a lock that was held without a gap, and still is",
	Description: model.Description{
		Asks:   "Extend reports success only if the lock was held without a gap.",
		Window: "extended what was not held",
		Breaks: model.AtEnd,
	},
	Doc: "`Extend` reports success only if the lock was held without a gap, and is still held when it returns. An `Extend` that acquires " +
		"the lock anew hides that another client may have held it in between.",
	MayBeLimit: true, NeedsHolder: true,
	Verdict: (*Judge).truthfulExtend,
}

// truthfulExtend judges each Extend that reported success.
func (j *Judge) truthfulExtend() model.Verdict {
	return j.truthful(model.Extend, "No Extend reported success.", func(op, x *model.Operation, key string) (sentence, cause string) {
		told := j.who(op) + " was told that it had extended its lease, "
		switch {
		case !j.heldDuring(x, key, op.Call.Seq, op.Return.Seq):
			return told + "but did not hold the lock any more", Untrue
		case !j.withoutGap(x, key, op):
			return told + "but the lock had not been its own all the time", j.causeOfGap(op, x, key)
		case op.Leased && op.Until <= op.Return.At && !j.stoppedSince(op, op.Until):
			return told + "when the new end had passed already", ExtendedTooLate
		case j.plainlyHeld(x, key, op.Return):
			return "", ""
		}
		switch cause, _ = j.causeOfUntruth(op, x, key); cause {
		case RemovedByItself:
			return told + "but had removed the lock itself before it returned", cause
		case ExtendedTooLate:
			return told + "when the lease had ended already, though its process was running", cause
		}
		return "", ""
	})
}
