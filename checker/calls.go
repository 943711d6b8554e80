package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/model"
)

// calls judges the calls of an object that is no mutex.
type calls struct{ base *Judge }

// verdict judges an object that is no mutex by linearizable: whether its calls have an order that the model of its kind
// allows. A monitor decides if the kind has one and it is certain; otherwise porcupine searches within
// Options.SearchSteps.
//
// An Acquire that fails may have had the object for a moment and given it back, so failed tries are judged only if the run
// is not troubled.
// failed tries are judged only in a run that is not troubled.
func (j calls) verdict() model.Verdict {
	spec := j.base.o.Spec
	if len(j.base.h.Calls) == 0 {
		return notApplicable("Nobody called anything.")
	}
	if c := j.lapsed(); c != nil && !holders.Leased(spec.Kind) {
		return notApplicable("The lease of " + j.base.who(c.Acquire) + " ended by itself, which a plain " + string(spec.Kind) + " knows nothing of.")
	}
	calls := j.effective(j.base.h.Calls)
	if j.troubled() {
		calls = slices.Clone(calls)
		for i := range calls {
			calls[i].Try = false
		}
	}
	if err := spec.CheckAll(calls); err != nil {
		return undecided("The calls cannot be judged: " + err.Error() + ".")
	}
	r, err := monitor.Judge(spec, calls, monitor.Bound{Steps: j.base.o.SearchSteps})
	switch {
	case err != nil:
		return undecided("The calls cannot be judged: " + err.Error() + ".")
	case r.Status == model.Undecided:
		return undecided(r.Doubt)
	case r.Status == model.Holds:
		return holds()
	}
	return j.outOfOrder(r.Violation)
}

// effective leaves out calls that asked for something, whose outcome is unknown and that changed nothing at an authority.
// Clients that retry while no node serves make many such calls, and the search for an order would not end. A release is
// kept, since the end of its lease has the same effect later. A call is kept if its client later changed something outside
// of any call. If the history does not show who made a change, all calls are kept.
func (j calls) effective(calls []model.Call) []model.Call {
	changed, outside := map[int]bool{}, map[string]int64{} // the last such change of each client
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Key == "" || o.Authority == "" {
			continue
		}
		if changed[o.By.Op] = true; o.By.Op == 0 {
			outside[o.By.Client] = o.Seq
		}
	}
	if len(changed) == 0 {
		return calls
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c model.Call) bool {
		return c.Outcome == model.Unknown && c.Op.Waits() && !changed[c.ID] && outside[c.Client] < c.Call
	})
}

// outOfOrder returns the verdict on calls that have no legal order.
func (j calls) outOfOrder(v *monitor.Violation) model.Verdict {
	var ops []int
	from, to := j.base.h.End, j.base.h.End
	for _, id := range v.Calls {
		op := j.base.h.Operation(id)
		if op == nil {
			continue // a crash
		}
		ops = append(ops, id)
		from = holders.Earlier(from, op.Call)
		for _, s := range []model.Stamp{op.Call, op.Return} {
			if s.Seq == v.At {
				to = s
			}
		}
	}
	return WithCause(violated(v.Sentence, from, to, ops, nil), j.causeOfNoOrder(ops, to))
}

// causeOfNoOrder returns the cause of calls without an order. For an object with holders it is the cause of their overlap,
// if there is one. Otherwise it is one of these: the store forgot a call's effect; a caller was held up for longer than
// the lease of what the store kept for it; a request of a call that had returned took effect as late as that. The last two
// need a record that ended by itself.
// store has kept all.
func (j calls) causeOfNoOrder(ops []int, to model.Stamp) string {
	if holders.Holdable(j.base.o.Spec.Kind) {
		if v := overlaps(j).verdict(); v.Status == model.Violated {
			j.base.behind = v.Operations
			return v.Cause
		}
	}
	if cause := j.base.Forgetting(0, to.Seq); cause != "" {
		for id := range j.base.h.Operations {
			j.base.behind = append(j.base.behind, id+1) // it may have been the effect of any
		}
		return cause
	}
	for i := range j.base.h.Operations {
		op := &j.base.h.Operations[i]
		if len(ops) > 0 && !slices.Contains(ops, op.ID) || op.Call.Seq > to.Seq || !j.ranOutFor(op, to) {
			continue
		}
		if d, cause := j.base.ClientDelay(op, 0, to.At); d >= j.base.h.TTL {
			j.base.behind = []int{op.ID}
			return cause
		}
	}
	if late := j.tookEffectLate(to); late != nil {
		j.base.behind = []int{late.ID}
		return model.HolderLate
	}
	return model.NotEstablished
}

// ranOutFor reports whether, between the call of op and the given place, anything ended by itself that the store kept for
// op's client or for an operation open at the same time, such as that of another client at the barrier.
func (j calls) ranOutFor(op *model.Operation, to model.Stamp) bool {
	its := func(owner *model.Operation) bool {
		return owner != nil && (owner.Client == op.Client || !owner.Return.Happened() || owner.Return.Seq > op.Call.Seq)
	}
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Seq > to.Seq {
			break
		}
		if o.Kind == model.RecordExpired && o.Authority != "" && o.Seq > op.Call.Seq && its(j.base.h.Operation(o.Owner.Op)) {
			return true
		}
	}
	return j.base.o.Ownership != nil && slices.ContainsFunc(j.base.Tenures(), func(t holders.Tenure) bool {
		return t.Until != 0 && t.Until <= to.At && t.Until > op.Call.At && its(j.base.h.Operation(t.Acquisition))
	})
}

// tookEffectLate returns an operation that changed something in the store too late, by the given place, or nil: a request
// of it that was late by a lease or more took effect after its return, or a lease after a repetition of the request; or a
// repetition took effect a lease after the request, whose answer was late. By then what the store had kept for the first
// request has ended. It is nil if there is none.
func (j calls) tookEffectLate(to model.Stamp) *model.Operation {
	for i := range j.base.h.Observations {
		late := &j.base.h.Observations[i]
		op := j.base.h.Operation(late.By.Op)
		if late.Kind != model.Delayed || op == nil || late.For < j.base.h.TTL || late.Seq > to.Seq {
			continue
		}
		var first *model.Observation // its first effect
		for k := range j.base.h.Observations {
			o := &j.base.h.Observations[k]
			if o.Seq > to.Seq {
				break
			}
			if o.Authority == "" || o.Key == "" || o.By.Op != op.ID {
				continue
			}
			if first == nil {
				first = o
			}
			forgotten := o.Seq > late.Seq && o.By.Conn != first.By.Conn && o.At-first.At >= j.base.h.TTL
			returned := op.Return.Happened() && o.Seq > op.Return.Seq
			request := late.Node == op.Client && o.At >= late.At+late.For && (returned || forgotten)
			answer := !j.base.IsClient(late.Node) && first.Seq < late.Seq && forgotten
			if (request || answer) && j.ranOutFor(op, o.Stamp) {
				return op
			}
		}
	}
	return nil
}

// lapsed returns a claim whose lease ended by itself before it was given up, or nil.
func (j calls) lapsed() *model.Claim {
	for i := range j.base.Claims() {
		c := &j.base.Claims()[i]
		until := c.Stop
		if !until.Happened() {
			until = j.base.h.End
		}
		r := j.base.h.Operation(j.base.Released(c.Acquire.ID))
		lost := c.Acquire.Lost.Happened() && (r == nil || c.Acquire.Lost.Seq < r.Call.Seq)
		if lost || c.Timed && c.Until <= until.At {
			return c
		}
	}
	return nil
}

// troubled reports whether a fault struck, or an operation returned an error that
// leaves its outcome open.
func (j calls) troubled() bool {
	return j.base.h.Healed > 0 || slices.ContainsFunc(j.base.h.Operations, func(op model.Operation) bool {
		return op.Result == model.Unknown || op.Cancelled.Happened()
	})
}
