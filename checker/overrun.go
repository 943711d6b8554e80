package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// overrun: violated when the resource accepts an access (read or written) of a
// client whose lease had ended by then, after its own account: by Until or by
// Lost. Leases that tell neither cannot be overrun: their clients believe in
// them until they release.
func (j *judge) overrun() model.Verdict {
	looked := false
	var found worst
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Kind != model.ResourceRead && o.Kind != model.ResourceWritten {
			continue
		}
		op := j.h.Operation(o.By.Op)
		x := j.acquisition(op)
		if x == nil || !acquired(x) || !x.Leased && !x.Notifies {
			continue
		}
		looked = true
		end, over := j.leaseOver(x, o.Stamp)
		if over && !j.jumpedUnderWay(op, x, o.Stamp) && found.add(j.ranOver(x, op, end, o)) {
			break
		}
	}
	if !looked {
		return notApplicable("No lease that tells its end was used for an access.")
	}
	return found.or(holds())
}

// jumpedUnderWay reports whether a lease was over at an access only because the client's clock
// jumped ahead when the request was on its way: the access takes effect before the end that the
// client knew when it called.
func (j *judge) jumpedUnderWay(op, x *model.Operation, at model.Stamp) bool {
	if x.Lost.Happened() && x.Lost.Seq < at.Seq || at.At >= j.untilAt(&claim{op: x}, op.Call) {
		return false
	}
	if _, over := j.leaseOver(x, op.Call); over {
		return false
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Kind == model.ClockJumped && o.Node == op.Client && o.Ahead > 0 && o.Seq > op.Call.Seq && o.Seq < at.Seq {
			return true
		}
	}
	return false
}

// leaseOver reports whether the acquisition's lease was over at the place, and
// since when: since its end by the client's clock or since it was lost,
// whichever came first.
func (j *judge) leaseOver(x *model.Operation, at model.Stamp) (end model.Stamp, over bool) {
	lost := x.Lost.Happened() && x.Lost.Seq < at.Seq
	var last *claim
	for i := range j.claims {
		c := &j.claims[i]
		if c.op != x || c.start.Seq > at.Seq {
			continue
		}
		if !lost && (!c.timed || at.At < c.until) {
			return end, false
		}
		last = c
	}
	switch {
	case last == nil:
		return x.Lost, lost
	case !lost, last.timed && last.until < x.Lost.At:
		return j.stampAt(last.until), true
	}
	return x.Lost, true
}

func (j *judge) ranOver(x, op *model.Operation, end model.Stamp, o *model.Observation) model.Verdict {
	late := "just when"
	if d := o.At - end.At; d > 0 {
		late = model.Briefly(d) + " after"
	}
	sentence := j.deed(op) + " took effect " + late + " its lease had ended"
	why := j.whyHeldUp(op, end, o.Stamp)
	return with(violated(because(sentence, why), end, o.Stamp, append(why.ops, x.ID, op.ID), append(why.seqs, o.Seq)),
		j.overtookAccess(x, op, end, o))
}

// overtookAccess says why an access took effect when the lease had ended by its
// client's account: the client looked when it called, and something came between.
func (j *judge) overtookAccess(x, op *model.Operation, end model.Stamp, o *model.Observation) string {
	if end.At <= op.Call.At && end.Seq < op.Call.Seq {
		return j.unlooked(x, end.At, op.Call)
	}
	if _, cause := j.heldUp(op, op.Call.At, o.At); cause != "" {
		return cause
	}
	return HolderLate // it was on its way
}

// whyHeldUp says what held an operation up over the end of its lease: a pause
// of its process, or of its request.
func (j *judge) whyHeldUp(op *model.Operation, end, until model.Stamp) cause {
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > until.Seq {
			break
		}
		switch {
		case o.Kind == model.Paused && o.Node == op.Client && o.At+o.For > op.Call.At:
			return cause{text: op.Client + " was paused", seqs: []int64{o.Seq}}
		case o.Kind == model.Delayed && o.By.Op == op.ID:
			return cause{text: "its request was late", seqs: []int64{o.Seq}}
		}
	}
	return cause{}
}

// unlooked says why a client accesses the resource when its lease has ended before:
// its clock may have told it otherwise.
func (j *judge) unlooked(x *model.Operation, end time.Duration, at model.Stamp) string {
	if off := j.clockError(x.Client, x.Call.At, at); off > 0 && off >= at.At-end {
		return ClientClockOff
	}
	return HeldTooLong // one look would have told
}
