package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TruthfulRelease is violated when the first Release of an acquisition reports
// success though no authority had the lock for that acquisition at any time from
// its call to its return. (An authority that is cut off counts: its clients cannot
// know.) A second Release may report success: the lock is released. So may one of
// an inner hold that asks no server, while the thread still believes in a hold that
// it entered before: the Release of that is judged. Always the lock's fault. Not
// applicable if no Release reported success, or if it is not known who has the lock.
const TruthfulRelease = "truthful-release"

var truthfulRelease = Property{
	ID: TruthfulRelease, Letter: "F", Legend: "Release reports success for a lock that it no longer held",
	About: "Release reports success only for a lock that was still the acquisition's own",
	Description: model.Description{
		Asks:   "Release reports success only if the lock was still its own.",
		Window: "released what was not its own",
		Breaks: model.AtEnd,
	},
	Doc:         "`Release` reports success only if the lock was still its own: success tells the caller that nobody else held the lock.",
	NeedsHolder: true,
	Verdict:     (*Judge).truthfulRelease,
}

// truthfulRelease judges the first Release of each acquisition.
func (j *Judge) truthfulRelease() model.Verdict {
	return j.truthful(model.Release, "No Release reported success.", func(op, x *model.Operation, key string) (sentence, cause string) {
		if j.released[x.ID] != op.ID || j.leavesInner(op) || j.heldDuring(x, key, op.Call.Seq, op.Return.Seq) {
			return "", ""
		}
		return j.who(op) + " was told that it had released the lock, which it did not hold any more", j.unlessStale(Untrue, op, op.Return.Seq)
	})
}

// leavesInner reports whether a Release asks no server and leaves its thread with another hold that it
// believes in, by a clock that may be off.
func (j *Judge) leavesInner(op *model.Operation) bool {
	outer := j.entered(op)
	if outer == nil || !asksNobody(op) {
		return false
	}
	off := j.clockError(outer.Client, outer.Call.At, op.Call)
	return slices.ContainsFunc(j.claimsOf(outer.ID), func(i int) bool {
		c := j.claims[i]
		c.until += off
		return c.stands(op.Call)
	})
}

// stoppedSince reports whether a process did not run from a time to the return of
// the operation, and so could not look at its clock again.
func (j *Judge) stoppedSince(op *model.Operation, since time.Duration) bool {
	return since < op.Return.At && j.ran(op.Client, since, op.Return.At) <= moment
}

// causeOfGap says why an Extend succeeded on a lock that had been lost in between: a
// store that forgets may come back to an earlier record of the same holder, or have
// a late one, and one whose clock jumps back keeps a record past its end. Not so if the
// Extend itself took the lock anew: on one server, or on a quorum of several; on fewer of
// them it may be a late request of Acquire.
func (j *Judge) causeOfGap(op, x *model.Operation, key string) string {
	gap, found := j.firstGap(op, x, key)
	anew := func(t *tenure) bool { return t.by.Op == op.ID && t.from.Seq > op.Call.Seq && !t.resumed }
	if !found || j.quorate(key, x, op.Call.Seq, endless-1, anew) {
		return Untrue
	}
	back := func(t *tenure) bool { return t.from.Seq > gap.Seq && j.cameBack(t) }
	if !j.quorate(key, x, op.Call.Seq, op.Return.Seq, func(t *tenure) bool { return !back(t) }) {
		return StoreForgot // and came back with what had been over
	}
	if !j.quorate(key, x, op.Call.Seq, op.Return.Seq, func(t *tenure) bool { return !back(t) && !j.outlives(t, op.Call) }) {
		return StoreClockJumped // and kept what was to be over
	}
	cause, ended := j.causeOfEnd(j.parts(x, key, gap), gap)
	switch off := j.clockError(x.Client, x.Call.At, op.Call); {
	case storeLost(cause), cause == WrongShard, cause == RemovedByAnother, cause == StaleRead:
		return cause
	case cause == "" && off > 0 && off >= op.Call.At-ended:
		return ClientClockOff
	}
	return Untrue
}

// outlives reports whether a tenure that was to end by a place goes on by the clock of its node, which
// has jumped back since its end was set.
func (j *Judge) outlives(t *tenure, at model.Stamp) bool {
	until, given := j.grantedUntil(t, at.Seq)
	return until <= at.At && until-j.jumped(t.node, given.Seq, at.Seq) > at.At
}

// cameBack reports whether a tenure began because its node came back with it, or was
// promoted, and not because of a request.
func (j *Judge) cameBack(t *tenure) bool {
	return t.resumed || slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool {
		return o.Kind == model.Returned && o.Place() == t.node && o.Seq < t.from.Seq && o.At == t.from.At
	})
}

// firstGap is the first place, from the return of an acquisition to the return of an
// Extend of it, at which an authority that is up, or a quorum of the servers, did not
// have the lock for it.
func (j *Judge) firstGap(op, x *model.Operation, key string) (at model.Stamp, found bool) {
	p := servingAt{Judge: j, key: key}
	gone := func(s model.Stamp) bool { return s.Seq >= x.Return.Seq && !p.down && !p.has(x, s.Seq) }
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > x.Return.Seq && p.seen < x.Return.Seq && gone(x.Return) {
			return x.Return, true
		}
		if o.Seq > op.Return.Seq {
			break
		}
		if p.see(o); gone(o.Stamp) {
			return o.Stamp, true
		}
	}
	return at, false
}

// truthful judges the operations of a kind that reported success: lies says
// what is untrue, and why.
func (j *Judge) truthful(kind model.OpKind, none string, lies func(op, x *model.Operation, key string) (sentence, cause string)) model.Verdict {
	key, ok := j.owned()
	switch {
	case !ok:
		return j.notSingle()
	case !j.everStored():
		return j.noneStored()
	}
	looked := false
	var found worst
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		x := j.acquisition(op)
		if op.Kind != kind || op.Result != model.OK || !op.Return.Happened() || x == nil || !acquired(x) {
			continue
		}
		looked = true
		if sentence, cause := lies(op, x, key); cause != "" {
			why := j.whyLost(x, key, op.Return.Seq)
			v := violated(because(sentence, why), op.Call, op.Return, append(why.ops, x.ID, op.ID), why.seqs)
			if found.add(with(v, cause)) {
				break
			}
		}
	}
	if !looked {
		return notApplicable(none)
	}
	return found.or(holds())
}

// withoutGap reports whether the acquisition had the lock when the operation
// took effect and from its Acquire's return until then. A tenure that began
// later is a new one, unless the node only went on with what it had.
func (j *Judge) withoutGap(x *model.Operation, key string, op *model.Operation) bool {
	if j.o.Nodes > 1 {
		return j.quorateThroughout(x, key, x.Return.Seq, op.Call.Seq)
	}
	return j.quorate(key, x, op.Call.Seq, op.Return.Seq, func(t *tenure) bool {
		return t.from.Seq <= x.Return.Seq || t.resumed || j.movedIn(t)
	})
}

// quorateThroughout reports whether the acquisition had the lock on a quorum of
// the servers from one event to another. They need not be the same all the time:
// some may come to it after the Acquire has returned.
func (j *Judge) quorateThroughout(x *model.Operation, key string, from, to int64) bool {
	at := func(seq int64) bool {
		return j.quorate(key, x, seq, seq, func(*tenure) bool { return true })
	}
	for _, t := range j.tenures() {
		if t.over != nil && t.over.Seq > from && t.over.Seq <= to && !at(t.over.Seq) {
			return false
		}
	}
	return at(from)
}
