package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// truthfulRelease: violated when the first Release of an acquisition reports
// success though the store did not have the lock for it at any time from the
// call to the return. That a second Release reports success is no lie: it may
// mean that the lock is released.
func (j *judge) truthfulRelease() model.Verdict {
	return j.truthful(model.Release, "No Release reported success.", func(op, x *model.Operation, key string) (sentence, cause string) {
		if j.released[x.ID] != op.ID || j.heldDuring(x, key, op.Call.Seq, op.Return.Seq) {
			return "", ""
		}
		return j.who(op) + " was told that it had released the lock, which it did not hold any more", Untrue
	})
}

// truthfulExtend: violated when Extend reports success though the acquisition
// had not had the lock without a gap since its Acquire returned, or though the
// lease that it has now had ended, or been removed by its own client, when Extend
// returned.
func (j *judge) truthfulExtend() model.Verdict {
	return j.truthful(model.Extend, "No Extend reported success.", func(op, x *model.Operation, key string) (sentence, cause string) {
		told := j.who(op) + " was told that it had extended its lease, "
		switch {
		case !j.heldDuring(x, key, op.Call.Seq, op.Return.Seq):
			return told + "but did not hold the lock any more", Untrue
		case !j.withoutGap(x, key, op):
			return told + "but the lock had not been its own all the time", j.whyGap(op, x, key)
		case op.Leased && op.Until <= op.Return.At && !j.stoppedSince(op, op.Until):
			return told + "when the new end had passed already", ExtendedTooLate
		case j.plainlyHeld(x, key, op.Return):
			return "", ""
		}
		switch cause, _ = j.whyUntrue(op, x, key); cause {
		case RemovedByItself:
			return told + "but had removed the lock itself before it returned", cause
		case ExtendedTooLate:
			return told + "when the lease had ended already, though its process was running", cause
		}
		return "", ""
	})
}

// stoppedSince reports whether a process did not run from a time to the return of
// the operation, and so could not look at its clock again.
func (j *judge) stoppedSince(op *model.Operation, since time.Duration) bool {
	return since < op.Return.At && j.ran(op.Client, since, op.Return.At) <= moment
}

// whyGap says why an Extend succeeded on a lock that had been lost in between: a
// store that forgets may come back to an earlier record of the same holder, or have
// a late one. Not so if the Extend itself took the lock anew: on one server, or on a
// quorum of several; on fewer of them it may be a late request of Acquire.
func (j *judge) whyGap(op, x *model.Operation, key string) string {
	gap, found := j.firstGap(op, x, key)
	anew := func(t *tenure) bool { return t.by.Op == op.ID && t.from.Seq > op.Call.Seq && !t.resumed }
	if !found || j.quorate(key, x, anew) {
		return Untrue
	}
	if !j.quorate(key, x, func(t *tenure) bool {
		return t.overlaps(op.Call.Seq, op.Return.Seq) && (t.from.Seq <= gap.Seq || !j.cameBack(t))
	}) {
		return StoreForgot // and came back with what had been over
	}
	cause, ended := j.whyGone(j.parts(x, key, gap), gap)
	switch off := j.clockError(x.Client, x.Call.At, op.Call); {
	case cause == StoreForgot, cause == StoreClockJumped, cause == RemovedByAnother:
		return cause
	case cause == "" && off > 0 && off >= op.Call.At-ended:
		return ClientClockOff
	}
	return Untrue
}

// cameBack reports whether a tenure began because its node came back with it, or was
// promoted, and not because of a request.
func (j *judge) cameBack(t *tenure) bool {
	return t.resumed || slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool {
		return o.Kind == model.Returned && o.Place() == t.node && o.Seq < t.from.Seq && o.At == t.from.At
	})
}

// firstGap is the first place, from the return of an acquisition to the return of an
// Extend of it, at which an authority that is up, or a quorum of the servers, did not
// have the lock for it.
func (j *judge) firstGap(op, x *model.Operation, key string) (at model.Stamp, found bool) {
	p := servingAt{judge: j, key: key}
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
func (j *judge) truthful(kind model.OpKind, none string, lies func(op, x *model.Operation, key string) (sentence, cause string)) model.Verdict {
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
func (j *judge) withoutGap(x *model.Operation, key string, op *model.Operation) bool {
	if j.o.Nodes > 1 {
		return j.quorateThroughout(x, key, x.Return.Seq, op.Call.Seq)
	}
	return j.quorate(key, x, func(t *tenure) bool {
		since := t.from.Seq <= x.Return.Seq || t.resumed
		return since && t.overlaps(op.Call.Seq, op.Return.Seq)
	})
}

// quorateThroughout reports whether the acquisition had the lock on a quorum of
// the servers from one event to another. They need not be the same all the time:
// some may come to it after the Acquire has returned.
func (j *judge) quorateThroughout(x *model.Operation, key string, from, to int64) bool {
	at := func(seq int64) bool {
		return j.quorate(key, x, func(t *tenure) bool { return t.stands(seq) })
	}
	for _, t := range j.tenures() {
		if t.over != nil && t.over.Seq > from && t.over.Seq <= to && !at(t.over.Seq) {
			return false
		}
	}
	return at(from)
}
