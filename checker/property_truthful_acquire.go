package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TruthfulAcquire is violated when Acquire reports success although no authority gave the lock to the acquisition before
// the return, or its own clean-up had removed it, or the lease had ended by then, as granted, and the process had run
// since: it could have looked at its clock. It is judged with or without Until. It is no violation if, before the return,
// the store forgot the record or another client removed it, or if a clock was off. Always the lock's fault. Not applicable
// if no Acquire succeeded, or if the holder of the lock is unknown. It is known that there is none if the store was
// observed and has no record.
const TruthfulAcquire = "truthful-acquire"

var truthfulAcquire = Property{
	ID: TruthfulAcquire, Letter: "A", Legend: "Acquire reports success for a lock that was not granted, or whose lease has ended",
	About: "Acquire reports success only for a lock that the store has given, and before the lease is over",
	Description: model.Description{
		Asks:   "Acquire reports success only for a lock that {store} has given, and while that lasts.",
		Window: "acquired, but not held",
		Breaks: model.AtEnd,
	},
	Doc: "`Acquire` reports success only if the store has granted the lock to it, and before the lease is over. An answer may come later " +
		"than the lease lasts that it grants: look at the clock before returning, with or without an `Until`, and count from before the " +
		"request. A time-out is no grant.",
	NeedsHolder: true,
	Verdict:     func(j *Judge) model.Verdict { return truthfulAcquireJudge{j}.verdict() },
}

// truthfulAcquireJudge judges a history by truthful-acquire.
type truthfulAcquireJudge struct{ base *Judge }

// verdict names the first Acquire whose success is untrue.
func (j truthfulAcquireJudge) verdict() model.Verdict {
	key, ok := j.base.LockRecord()
	switch {
	case len(j.base.Claims()) == 0:
		return notApplicable(noneAcquired)
	case j.base.NothingStored():
		return j.falselyAcquired(j.base.Claims()[0].Acquire, key, model.NeverGranted, 0)
	case !ok, j.base.Several() && j.base.o.Ownership == nil:
		return j.base.notSingle()
	case !j.base.EverStored():
		return j.base.noneStored()
	}
	for i := range j.base.Claims() {
		c := &j.base.Claims()[i]
		if c.Start != c.Acquire.Return || j.base.HeldAt(c.Acquire, key, c.Acquire.Return) {
			continue
		}
		if cause, ended := j.base.CauseOfUntruth(c.Acquire, c.Acquire, key); cause != "" {
			return j.falselyAcquired(c.Acquire, key, cause, ended)
		}
	}
	return holds()
}

func (j truthfulAcquireJudge) falselyAcquired(x *model.Operation, key, cause string, ended time.Duration) model.Verdict {
	sentence := j.base.who(x) + " was told that it had acquired the lock, "
	why, from := j.base.whyLost(x, key, x.Return.Seq), x.Call
	switch cause {
	case model.NeverGranted:
		to := j.base.grantedInstead(x, key)
		sentence += "which the store had not given to it" + prefixed(", but to ", to.text)
		why.text, why.ops, why.seqs = "", nil, to.seqs
	case model.RemovedByItself:
		sentence += "which it had removed itself"
	default:
		from = j.base.StampAt(ended)
		sentence += "when its lease had ended " + (x.Return.At - ended).Round(time.Microsecond).String() + " ago, though its process was running"
	}
	return WithCause(violated(because(sentence, why), from, x.Return, append(why.ops, x.ID), why.seqs), cause)
}
