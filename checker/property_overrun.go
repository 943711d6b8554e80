package checker

import (
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// Overrun is violated when the resource accepts a read or a write of a client whose lease had ended before by the client's
// own account: by Until or by Lost. Careful clients look at their lease before each access, so a violation takes a pause
// or a late request between that look and the access. No lease without fencing prevents it. Not applicable if no lease
// with an Until or a Lost was used for an access.
const Overrun = "overrun"

var overrun = Property{
	ID: Overrun, Letter: "O", Legend: "access after the end of the lease",
	About: "no access reaches the resource after its client's claim has ended",
	Description: model.Description{
		Asks:   "No client touches the resource after its claim to the lock has ended.",
		Window: "access after the claim has ended",
		Breaks: model.AtEnd,
		Harm:   model.FirstHarm, Subject: model.LateAccess,
	},
	Doc: "No access reaches the resource after its client's own claim has ended. The client looks at its lease before each access; between " +
		"the look and the access the client may be paused, or the request may be late. This is the price of leases, and the reason for " +
		"fencing tokens.",
	MayBeLimit: true,
	Verdict:    func(j *Judge) model.Verdict { return overrunJudge{j}.verdict() },
}

// overrunJudge judges a history by overrun.
type overrunJudge struct{ base *Judge }

// verdict judges leases that say when they end. Clients believe in other leases until they release them.
func (j overrunJudge) verdict() model.Verdict {
	looked := false
	var found worst
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Kind != model.ResourceRead && o.Kind != model.ResourceWritten {
			continue
		}
		op := j.base.h.Operation(o.By.Op)
		x := j.base.Acquisition(op)
		if x == nil || !holders.Acquired(x) || !x.Leased && !x.Notifies {
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

// jumpedUnderWay reports whether a lease was over at an access only because the client's clock jumped ahead while the
// request was on its way: the access takes effect before the end that the client knew at its call.
func (j overrunJudge) jumpedUnderWay(op, x *model.Operation, at model.Stamp) bool {
	if x.Lost.Happened() && x.Lost.Seq < at.Seq || at.At >= (&model.Claim{Acquire: x}).UntilAt(j.base.h, op.Call) {
		return false
	}
	if _, over := j.leaseOver(x, op.Call); over {
		return false
	}
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Kind == model.ClockJumped && !o.Unread && o.Node == op.Client && o.Ahead > 0 && o.Seq > op.Call.Seq && o.Seq < at.Seq {
			return true
		}
	}
	return false
}

// leaseOver reports whether the acquisition's lease was over at the place. If it was, end is its end by the client's clock
// or its loss, whichever was first.
func (j overrunJudge) leaseOver(x *model.Operation, at model.Stamp) (end model.Stamp, over bool) {
	lost := x.Lost.Happened() && x.Lost.Seq < at.Seq
	var last *model.Claim
	for _, i := range j.base.ClaimsOf(x.ID) {
		c := &j.base.Claims()[i]
		if c.Start.Seq > at.Seq {
			continue
		}
		if !lost && (!c.Timed || at.At < c.Until) {
			return end, false
		}
		last = c
	}
	switch {
	case last == nil:
		return x.Lost, lost
	case !lost, last.Timed && last.Until < x.Lost.At:
		return j.base.StampAt(last.Until), true
	}
	return x.Lost, true
}

func (j overrunJudge) ranOver(x, op *model.Operation, end model.Stamp, o *model.Observation) model.Verdict {
	late := "just when"
	if d := o.At - end.At; d > 0 {
		late = model.Briefly(d) + " after"
	}
	sentence := j.base.deed(op) + " took effect " + late + " its lease had ended"
	why := j.whyHeldUp(op, end, o.Stamp)
	return WithCause(violated(because(sentence, why), end, o.Stamp, append(why.ops, x.ID, op.ID), append(why.seqs, o.Seq)),
		j.overtookAccess(x, op, end, o))
}

// overtookAccess returns why an access took effect after the lease had ended by its client's account. The client looked
// when it called; something delayed the access after that.
func (j overrunJudge) overtookAccess(x, op *model.Operation, end model.Stamp, o *model.Observation) string {
	if end.At <= op.Call.At && end.Seq < op.Call.Seq {
		return j.base.CauseOfAccess(x, end.At, op.Call)
	}
	if _, cause := j.base.ClientDelay(op, op.Call.At, o.At); cause != "" {
		return cause
	}
	return model.HolderLate // it was on its way
}

// whyHeldUp returns what held an operation up over the end of its lease: a pause of its process, or a delay of its
// request.
func (j overrunJudge) whyHeldUp(op *model.Operation, end, until model.Stamp) reason {
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Seq > until.Seq {
			break
		}
		switch {
		case o.Kind == model.Paused && o.Node == op.Client && o.At+o.For > op.Call.At:
			return reason{text: op.Client + " was paused", seqs: []int64{o.Seq}}
		case o.Kind == model.Delayed && o.By.Op == op.ID:
			return reason{text: "its request was late", seqs: []int64{o.Seq}}
		}
	}
	return reason{}
}
