package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// Progress is violated when a client waits for the lock for longer than
// [Options].ProgressBound, counted from when it began or, if that is later, from
// when the world had healed ([model.History].Healed). A wait continues over
// Acquires that fail, until one succeeds. Clients that crash while they wait are
// excused, and so is the lock while two nodes serve that were elected, since the
// store has not healed then. Undecided if the run was cut short, or ends during a wait that is within
// the bound. Not applicable without a bound, or if no client waited.
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
	Verdict: func(j *Judge) model.Verdict { return progressJudge{j}.verdict() },
}

// progressJudge judges a history by progress.
type progressJudge struct{ *Judge }

// verdict names the first wait that is too long.
func (j progressJudge) verdict() model.Verdict {
	if j.o.ProgressBound <= 0 {
		return notApplicable("No bound is set within which waiting clients must acquire.")
	}
	if why := j.unowed(); why != "" {
		return notApplicable(why)
	}
	waits := j.Waits()
	var pending *model.Operation
	disagree := false
	for i := range waits {
		w := &waits[i]
		if j.waited(w) > j.o.ProgressBound {
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
	case j.h.Cut != "":
		return undecided("The run was cut before progress could be judged: " + j.h.Cut + ".")
	case len(waits) == 0:
		return notApplicable("No client that lived on called Acquire.")
	case pending != nil:
		return undecided("The history ends while " + j.who(pending) + " still waits for " + j.Noun() + ", within the bound.")
	}
	return holds()
}

// owed returns when the wait begins to count.
func (j progressJudge) owed(w *holders.Wait) time.Duration { return max(w.First.Call.At, j.h.Healed) }

// waited returns for how long the wait has counted.
func (j progressJudge) waited(w *holders.Wait) time.Duration {
	if w.Over.Happened() {
		return w.Over.At - j.owed(w)
	}
	return j.h.End.At - j.owed(w)
}

// twoServe reports whether, when a wait is overdue, a node still acts as the one that serves although others have elected
// another: the servers have not agreed yet. Those that are elected in one epoch never do.
func (j progressJudge) twoServe(w *holders.Wait) bool {
	to := w.Over
	if !to.Happened() {
		to = j.h.End
	}
	due := j.StampAt(j.owed(w) + j.o.ProgressBound)
	for i := range j.h.Observations {
		if o := &j.h.Observations[i]; o.Kind == model.Promoted && o.Epoch > 0 && o.Seq <= due.Seq {
			return j.ReplacedActs(o.Place(), due, to)
		}
	}
	return false
}

// starved returns the verdict on a wait that went on for too long.
func (j progressJudge) starved(w *holders.Wait) model.Verdict {
	sentence := j.who(w.First) + " waited for " + j.Noun() + " " + forTime(j.waited(w))
	if j.h.Healed > w.First.Call.At {
		sentence += " after the world had healed"
	}
	due := j.owed(w) + j.o.ProgressBound
	to := w.Over
	if !to.Happened() {
		sentence += " and never got it"
		to = j.h.End
	}
	why := j.whyTaken(due)
	return WithCause(violated(because(sentence, why), j.StampAt(due), to,
		append(why.ops, w.First.ID, w.Last.ID), why.seqs), model.NotServed)
}

// whyTaken names the holder of the lock's key in the store at the given time, if
// there is one.
func (j progressJudge) whyTaken(at time.Duration) reason {
	if j.Several() {
		return reason{} // that somebody has it says nothing
	}
	key := j.LockKey()
	var last *model.Observation
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
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
	holder := j.h.Operation(j.AcquisitionOf(last.Owner))
	if holder == nil || j.Loss(holder.ID, key, j.StampAt(at).Seq) != nil {
		return reason{}
	}
	if last.ExpiresAt != 0 && last.ExpiresAt <= at {
		return reason{}
	}
	text := last.Node + " still had " + j.who(holder) + "'s " + j.record()
	if last.ExpiresAt == 0 && last.Session == "" {
		text += ", which has no expiry"
	}
	if crash := j.CrashAfter(holder.Client, holder.Call.Seq); crash.Happened() && crash.At <= at {
		text += ", and " + holder.Client + " had crashed"
		return reason{text, []int{holder.ID}, []int64{last.Seq, crash.Seq}}
	}
	return reason{text, []int{holder.ID}, []int64{last.Seq}}
}

// unowed says why waiters need not be served, or nothing: they wait for a client
// that has crashed, or that may not have arrived.
func (j progressJudge) unowed() string {
	if kind := j.o.Spec.Kind; kind != model.KindLatch && kind != model.KindBarrier {
		return ""
	}
	for i := range j.h.Calls {
		if c := &j.h.Calls[i]; c.Op == model.Crash {
			return c.Client + " crashed, for whom the others wait lawfully."
		}
	}
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		if j.o.Spec.Kind == model.KindBarrier && op.Result == model.Unknown && op.Return.Happened() && !op.Cancelled.Happened() {
			return j.who(op) + " got an error, which leaves open whether it has arrived at the barrier, and may be waited for in vain."
		}
	}
	return ""
}
