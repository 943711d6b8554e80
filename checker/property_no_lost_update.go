package checker

import (
	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// NoLostUpdate is violated when the resource accepts a write whose client had not
// read the value that it overwrites. Clients read v and then write v+1, starting
// from 0, so the property says that critical sections had the effect of running one
// at a time. It detects harm; mutual-exclusion detects danger. Writes without an
// earlier Read of the same acquisition are not judged. Not applicable if no write
// was accepted.
const NoLostUpdate = "no-lost-update"

var noLostUpdate = Property{
	ID: NoLostUpdate, Letter: "U", Legend: "updates lost",
	About: "every accepted write follows from the value that its client had read",
	Description: model.Description{
		Asks:   "Every accepted write follows from the value that its client had read.",
		Window: "an update is lost",
		Harm:   model.LastHarm, Consequence: model.Damage,
	},
	Doc: "Every accepted write follows from the value that its client had read: critical sections had the effect of running one at a time. " +
		"Two holders are a danger; a lost update is the harm.",
	MayBeLimit: true,
	Verdict:    func(j *Judge) model.Verdict { return noLostUpdateJudge{j}.verdict() },
}

// noLostUpdateJudge judges a history by no-lost-update.
type noLostUpdateJudge struct{ base *Judge }

// verdict goes by the resource's record: an accepted write counts even if its client got no answer, a refused one does
// not. A write is not compared with a value that the same acquisition wrote: that is a retry that was accepted twice, or a
// second write after one read.
func (j noLostUpdateJudge) verdict() model.Verdict {
	var before *model.Observation // the write accepted before
	var found worst
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Kind != model.ResourceWritten {
			continue
		}
		if v, bad := j.overwrites(before, o); bad && found.add(v) {
			break
		}
		before = o
	}
	if before == nil && !found.any {
		return notApplicable("The resource accepted no write.")
	}
	return found.or(holds())
}

// overwrites judges one accepted write by the one before it, which is nil for the first.
func (j noLostUpdateJudge) overwrites(before, o *model.Observation) (model.Verdict, bool) {
	write := j.base.h.Operation(o.By.Op)
	if write == nil || write.Kind != model.Write {
		return model.Verdict{}, false
	}
	read := j.readBefore(write)
	var value int64
	var other *model.Operation
	if before != nil {
		value = before.Number
		other = j.base.h.Operation(before.By.Op)
	}
	switch {
	case read == nil || read.Value == value:
		return model.Verdict{}, false
	case other != nil && sameHold(other, write):
		return model.Verdict{}, false
	}
	return j.lostUpdate(read, write, other, before, o), true
}

// readBefore returns the last Read that had returned a value to the same hold
// when the Write was called, or nil.
func (j noLostUpdateJudge) readBefore(write *model.Operation) *model.Operation {
	for id := write.ID - 1; id > write.Acquisition && id > 0; id-- {
		op := j.base.h.Operation(id)
		if op.Kind == model.Read && op.Result == model.OK && sameHold(op, write) &&
			op.Return.Happened() && op.Return.Seq < write.Call.Seq {
			return op
		}
	}
	return nil
}

// sameHold reports whether two accesses are of the same thread and the same acquisition.
func sameHold(a, b *model.Operation) bool {
	return holders.SameThread(a, b) && a.Acquisition == b.Acquisition
}

// lostUpdate returns the verdict on a write that overwrote another: before, the write accepted last, by the operation
// other, which is nil if unknown.
func (j noLostUpdateJudge) lostUpdate(read, write, other *model.Operation, before, o *model.Observation) model.Verdict {
	ops := []int{read.Acquisition, read.ID, write.ID}
	did := j.base.who(write) + " had read " + number(read.Value) + " and wrote " + number(o.Number)
	if before == nil {
		return WithCause(violated(did+", but the resource held 0.", read.Return, o.Stamp, ops, []int64{o.Seq}), model.NotEstablished)
	}
	whose := "An update"
	if other != nil {
		ops = append(ops, other.Acquisition, other.ID)
		if r := j.readBefore(other); r != nil {
			ops = append(ops, r.ID)
		}
		whose = j.base.who(other) + "'s update"
	}
	var why reason
	if other != nil {
		why = j.whyOver(other, before)
	}
	if why.text == "" {
		why = j.whyOver(write, o)
	}
	sentence := whose + " to " + number(before.Number) + " was lost, because " + did + " over it"
	return WithCause(violated(because(sentence, why), before.Stamp, o.Stamp,
		append(ops, why.ops...), append(why.seqs, before.Seq, o.Seq)), j.causeOfLostUpdate(write, other, before, o))
}

// causeOfLostUpdate returns why two clients were in their critical sections at once, one of which overwrote the other's
// write. One of them had lost the lock before the first write was accepted; or, if both had it then, the overwriting
// client lost it before the second write.
func (j noLostUpdateJudge) causeOfLostUpdate(write, other *model.Operation, before, o *model.Observation) string {
	cause := ""
	if other != nil {
		cause = endings.Graver(j.causeAt(other, before.Stamp), j.causeAt(write, before.Stamp))
	}
	if cause == "" || cause == model.NotEstablished {
		cause = endings.Graver(cause, j.causeAt(write, o.Stamp))
	}
	switch {
	case cause == "" && other == nil:
		return model.NotEstablished
	case cause == "":
		return model.GrantedToBoth
	}
	return cause
}

// causeAt returns why the store did not have the lock for an access's hold at the given place, or "" if it did.
func (j noLostUpdateJudge) causeAt(op *model.Operation, at model.Stamp) string {
	x := j.base.Acquisition(op)
	var last *model.Claim
	for i := range j.base.Claims() {
		if c := &j.base.Claims()[i]; c.Acquire == x && c.Start.Seq <= at.Seq {
			last = c
		}
	}
	if last == nil {
		return model.NotEstablished
	}
	switch {
	case last.Stands(at):
		return j.base.CauseNotHeld(last, at)
	case op.Call.Seq > at.Seq || j.base.CauseNotHeld(last, at) == "":
		return "" // it claimed nothing then, or the store has it still
	case !last.Stands(op.Call):
		return j.base.CauseOfAccess(x, j.base.ClaimEnd(last).At, op.Call)
	}
	// The claim ended after the access was called: at the call the store must have had the lock, as far as the history shows.
	if then := j.base.CauseNotHeld(last, op.Call); then != "" && then != model.NotEstablished && !model.CauseOf(then).Limit {
		return then
	}
	if _, held := j.base.ClientDelay(op, op.Call.At, at.At); held != "" {
		return held
	}
	return model.HolderLate
}

// whyOver returns how the hold of an accepted write had ended in the store by the time of o, if it had.
func (j noLostUpdateJudge) whyOver(write *model.Operation, o *model.Observation) reason {
	x, key := j.base.Acquisition(write), j.base.LockKey()
	switch {
	case x == nil, key == "" && j.base.o.Ownership == nil:
		return reason{}
	case key == "":
		return j.base.whyShareLost(x, o.Seq)
	}
	return j.base.whyLost(x, key, o.Seq)
}
