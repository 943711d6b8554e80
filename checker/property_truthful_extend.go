package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// TruthfulExtend is violated when Extend reports success although no authority had the lock for the acquisition between
// Extend's call and its return, or had it only because the lock was taken anew after the Acquire's return (it was lost in
// between). It is also violated if the extended lease had ended when Extend returned, by Until or, without one, by the
// store, and the process had run since, or if the lease's own client had removed it. It is the lock's fault, unless a
// store that forgets returned to an earlier record of the same holder, or a clock that jumped back kept a record past its
// end. Not applicable if no Extend reported success, or if the holder of the lock is unknown.
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
	Verdict: func(j *Judge) model.Verdict { return truthfulExtendJudge{j}.verdict() },
}

// truthfulExtendJudge judges a history by truthful-extend.
type truthfulExtendJudge struct{ base *Judge }

// verdict judges each Extend that reported success.
func (j truthfulExtendJudge) verdict() model.Verdict {
	return j.base.truthful(model.Extend, "No Extend reported success.", func(op, x *model.Operation, key string) (sentence, cause string) {
		claimed := j.base.who(op) + " was told that it had extended its lease, "
		switch {
		case !j.base.HeldDuring(x, key, op.Call.Seq, op.Return.Seq):
			return claimed + "but did not hold the lock any more", model.Untrue
		case !j.withoutGap(x, key, op):
			return claimed + "but the lock had not been its own all the time", j.causeOfGap(op, x, key)
		case op.Leased && op.Until <= op.Return.At && !j.base.StoppedSince(op, op.Until):
			return claimed + "when the new end had passed already", model.ExtendedTooLate
		case j.base.HeldAt(x, key, op.Return):
			return "", ""
		}
		switch cause, _ = j.base.CauseOfUntruth(op, x, key); cause {
		case model.RemovedByItself:
			return claimed + "but had removed the lock itself before it returned", cause
		case model.ExtendedTooLate:
			return claimed + "when the lease had ended already, though its process was running", cause
		}
		return "", ""
	})
}

// withoutGap reports whether the acquisition had the lock when the operation
// took effect and from its Acquire's return until then. A tenure that began
// later is a new one, unless the node only went on with what it had.
func (j truthfulExtendJudge) withoutGap(x *model.Operation, key string, op *model.Operation) bool {
	if j.base.o.Nodes > 1 {
		return j.quorateThroughout(x, key, x.Return.Seq, op.Call.Seq)
	}
	return j.base.OnQuorum(key, x, op.Call.Seq, op.Return.Seq, func(t *holders.Tenure) bool {
		return t.From.Seq <= x.Return.Seq || j.base.Continues(t)
	})
}

// quorateThroughout reports whether the acquisition had the lock on a quorum of the servers from one event to another. The
// quorum may change: some servers may grant the lock after the Acquire has returned.
func (j truthfulExtendJudge) quorateThroughout(x *model.Operation, key string, from, to int64) bool {
	at := func(seq int64) bool {
		return j.base.OnQuorum(key, x, seq, seq, func(*holders.Tenure) bool { return true })
	}
	for _, t := range j.base.Tenures() {
		if t.Over != nil && t.Over.Seq > from && t.Over.Seq <= to && !at(t.Over.Seq) {
			return false
		}
	}
	return at(from)
}

// firstGap returns the first place, between the returns of an acquisition and of its Extend, at which no authority that is
// up, or no quorum of the servers, had the lock for it.
func (j truthfulExtendJudge) firstGap(op, x *model.Operation, key string) (at model.Stamp, found bool) {
	p := j.base.NewServing(key)
	gone := func(s model.Stamp) bool { return s.Seq >= x.Return.Seq && !p.Down && !p.Has(x, s.Seq) }
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Seq > x.Return.Seq && p.Seen < x.Return.Seq && gone(x.Return) {
			return x.Return, true
		}
		if o.Seq > op.Return.Seq {
			break
		}
		if p.See(o); gone(o.Stamp) {
			return o.Stamp, true
		}
	}
	return at, false
}

// causeOfGap returns why an Extend succeeded on a lock that had been lost in between: a store that forgets may return to
// an earlier record of the same holder, or receive a late one, and one whose clock jumps back keeps a record past its end.
// It is neither if the Extend itself took the lock anew: on the one server, or on a quorum of several. On fewer servers
// that may be a late request of Acquire.
func (j truthfulExtendJudge) causeOfGap(op, x *model.Operation, key string) string {
	gap, found := j.firstGap(op, x, key)
	anew := func(t *holders.Tenure) bool { return t.By.Op == op.ID && t.From.Seq > op.Call.Seq && !t.Resumed }
	if !found || j.base.OnQuorum(key, x, op.Call.Seq, spans.Endless-1, anew) {
		return model.Untrue
	}
	back := func(t *holders.Tenure) bool { return t.From.Seq > gap.Seq && j.cameBack(t) }
	if !j.base.OnQuorum(key, x, op.Call.Seq, op.Return.Seq, func(t *holders.Tenure) bool { return !back(t) }) {
		return model.StoreForgot // and restored a record that had ended
	}
	if !j.base.OnQuorum(key, x, op.Call.Seq, op.Return.Seq, func(t *holders.Tenure) bool { return !back(t) && !j.outlives(t, op.Call) }) {
		return model.StoreClockJumped // and kept a record that was to end
	}
	cause, ended := j.base.CauseOfEnd(j.base.Parts(x, key, gap), gap)
	switch off := j.base.ClockError(x.Client, x.Call.At, op.Call); {
	case endings.StoreLost(cause), cause == model.WrongShard, cause == model.RemovedByAnother, cause == model.StaleRead:
		return cause
	case cause == "" && off > 0 && off >= op.Call.At-ended:
		return model.ClientClockOff
	}
	return model.Untrue
}

// outlives reports whether a tenure lasts beyond its end because the clock of its node has jumped back since that end was
// set.
func (j truthfulExtendJudge) outlives(t *holders.Tenure, at model.Stamp) bool {
	until, given := j.base.GrantedUntil(t, at.Seq)
	return until <= at.At && until-j.base.Jumped(t.Node, given.Seq, at.Seq) > at.At
}

// cameBack reports whether a tenure began because its node restarted with the record or was promoted, and not because of a
// request.
func (j truthfulExtendJudge) cameBack(t *holders.Tenure) bool {
	return t.Resumed || slices.ContainsFunc(j.base.h.Observations, func(o model.Observation) bool {
		return o.Kind == model.Returned && o.Place() == t.Node && o.Seq < t.From.Seq && o.At == t.From.At
	})
}
