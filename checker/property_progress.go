package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// Progress is violated when a client waits for the lock for longer than [Options].ProgressBound, counted from the
// beginning of the wait or from the healing of the world ([model.History].Healed), whichever is later. A wait continues
// over Acquires that fail, until one succeeds. It is a limit if a failover lost all that a stock was filled with. Clients that crash while they wait are excused. So is the lock while two
// elected nodes serve, since the store has not healed then. Undecided if the run was cut short, or ends during a wait that
// is within the bound. Not applicable without a bound, or if no client waited.
const Progress = "progress"

var progress = Property{
	ID: Progress, Letter: "S", Legend: "a waiting client never gets the lock",
	About: "once the world has healed, each client that waits for the lock gets it within the bound",
	Description: model.Description{
		Asks:   "Once all faults are over, whoever waits gets the lock before long.",
		Window: "waits and does not get it",
		Moment: "still waits for the lock, which it should have by now",
	},
	Doc: "Once everything has healed, each waiting client gets the lock within a bound: the TTL, the time-outs and retries of the client " +
		"library, and the queue ahead. A key without expiry, or a lost wake-up, violates it.",
	MayBeLimit: true,
	Verdict:    func(j *Judge) model.Verdict { return progressJudge{j}.verdict() },
}

// progressJudge judges a history by progress.
type progressJudge struct{ base *Judge }

// verdict names the first wait that is too long.
func (j progressJudge) verdict() model.Verdict {
	if j.base.o.ProgressBound <= 0 {
		return notApplicable("No bound is set within which waiting clients must acquire.")
	}
	if why := j.unowed(); why != "" {
		return notApplicable(why)
	}
	waits := j.base.Waits()
	var pending *model.Operation
	disagree := false
	for i := range waits {
		w := &waits[i]
		if j.waited(w) > j.base.o.ProgressBound {
			if !j.twoServe(w) {
				return j.starved(w)
			}
			disagree = true
		}
		if !w.Over.Happened() && !w.Last.Return.Happened() {
			pending = w.Last
		}
	}
	switch {
	case disagree:
		return notApplicable("Two nodes still take themselves for the one that serves, so the store has not healed.")
	case j.base.h.Cut != "":
		return undecided("The run was cut before progress could be judged: " + j.base.h.Cut + ".")
	case len(waits) == 0:
		return notApplicable("No client that lived on called Acquire.")
	case pending != nil:
		return undecided("The history ends while " + j.base.who(pending) + " still waits for " + j.base.Noun() + ", within the bound.")
	}
	return holds()
}

// owed returns when the wait begins to count.
func (j progressJudge) owed(w *holders.Wait) time.Duration {
	return max(w.First.Call.At, j.base.h.Healed)
}

// waited returns for how long the wait has counted.
func (j progressJudge) waited(w *holders.Wait) time.Duration {
	if w.Over.Happened() {
		return w.Over.At - j.owed(w)
	}
	return j.base.h.End.At - j.owed(w)
}

// twoServe reports whether, when a wait is overdue, a node still serves although others have elected another: the servers
// have not agreed yet. Nodes elected in one epoch never do.
func (j progressJudge) twoServe(w *holders.Wait) bool {
	to := w.Over
	if !to.Happened() {
		to = j.base.h.End
	}
	due := j.base.StampAt(j.owed(w) + j.base.o.ProgressBound)
	for i := range j.base.h.Observations {
		if o := &j.base.h.Observations[i]; o.Kind == model.Promoted && o.Epoch > 0 && o.Seq <= due.Seq {
			return j.base.ReplacedActs(o.Place(), due, to)
		}
	}
	return false
}

// starved returns the verdict on a wait that went on for too long.
func (j progressJudge) starved(w *holders.Wait) model.Verdict {
	sentence := j.base.who(w.First) + " waited for " + j.base.Noun() + " " + forTime(j.waited(w))
	if j.base.h.Healed > w.First.Call.At {
		sentence += " after the world had healed"
	}
	due := j.owed(w) + j.base.o.ProgressBound
	to := w.Over
	if !to.Happened() {
		sentence += " and never got it"
		to = j.base.h.End
	}
	cause := model.NotServed
	if j.stockForgotten(due) {
		cause = model.StoreForgot
	}
	why := j.whyTaken(due)
	return WithCause(violated(because(sentence, why), j.base.StampAt(due), to,
		append(why.ops, w.First.ID, w.Last.ID), why.seqs), cause)
}

// whyTaken names the holder of the lock's key in the store at the given time, if any.
func (j progressJudge) whyTaken(at time.Duration) reason {
	if j.base.Several() {
		return reason{} // that somebody has it says nothing
	}
	key := j.base.LockKey()
	var last *model.Observation
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.At > at {
			break
		}
		if o.Authority != "" && o.Key == key && key != "" {
			last = o
		}
	}
	if last == nil || last.Kind != model.RecordCreated && last.Kind != model.RecordChanged {
		return reason{}
	}
	holder := j.base.h.Operation(j.base.AcquisitionOf(last.Owner))
	if holder == nil || j.base.Loss(holder.ID, key, j.base.StampAt(at).Seq) != nil {
		return reason{}
	}
	if last.ExpiresAt != 0 && last.ExpiresAt <= at {
		return reason{}
	}
	text := last.Node + " still had " + j.base.who(holder) + "'s " + j.base.record()
	if last.ExpiresAt == 0 && last.Session == "" {
		text += ", which has no expiry"
	}
	if crash := j.base.CrashAfter(holder.Client, holder.Call.Seq); crash.Happened() && crash.At <= at {
		text += ", and " + holder.Client + " had crashed"
		return reason{text, []int{holder.ID}, []int64{last.Seq, crash.Seq}}
	}
	return reason{text, []int{holder.ID}, []int64{last.Seq}}
}

// stockForgotten reports whether, at the given time, the serving node had none of the records that a stock was filled with, though nobody
// had removed them: a failover lost them, and there is nothing left that could be sold. Records that a stock is filled with are written
// outside of operations.
func (j progressJudge) stockForgotten(at time.Duration) bool {
	if j.base.o.Spec.Kind != model.KindStock {
		return false
	}
	type copied struct{ node, key string }
	serves, filled, has := "", map[string]bool{}, map[copied]bool{}
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.At > at {
			break
		}
		switch o.Kind {
		case model.Promoted:
			serves = o.Place()
		case model.RecordCreated:
			if o.Authority != "" {
				serves = o.Place()
			}
			if o.Owner.Op == 0 && o.Session == "" {
				filled[o.Key], has[copied{o.Place(), o.Key}] = true, true
			}
		case model.RecordDropped, model.RecordDeleted, model.RecordExpired:
			if delete(has, copied{o.Place(), o.Key}); o.Authority != "" && o.Kind != model.RecordDropped {
				delete(filled, o.Key)
			}
		}
	}
	for key := range filled { // unordered: none may be there
		if has[copied{serves, key}] {
			return false
		}
	}
	return len(filled) > 0
}

// unowed returns why waiters need not be served, or "": they wait for a client that has crashed, or that may not have
// arrived.
func (j progressJudge) unowed() string {
	if kind := j.base.o.Spec.Kind; kind != model.KindLatch && kind != model.KindBarrier {
		return ""
	}
	for i := range j.base.h.Calls {
		if c := &j.base.h.Calls[i]; c.Op == model.Crash {
			return c.Client + " crashed, for whom the others wait lawfully."
		}
	}
	for i := range j.base.h.Operations {
		op := &j.base.h.Operations[i]
		if j.base.o.Spec.Kind == model.KindBarrier && op.Result == model.Unknown && op.Return.Happened() && !op.Cancelled.Happened() {
			return j.base.who(op) + " got an error, which leaves open whether it has arrived at the barrier, and may be waited for in vain."
		}
	}
	return ""
}
