package checker

import "github.com/lockpick-dev/lockpick/model"

// noLostUpdate: violated when the resource accepted a write of a client that
// had not read the value which it overwrote. Clients read v and write v+1; if
// critical sections run one at a time, the value before a write is what the
// same acquisition read last. What was accepted is what the resource says:
// a write that the client never heard of counts, one that was refused does
// not.
//
// A write is not compared with a value that the same acquisition wrote: that
// is its own (a retry that was accepted twice, or a second write after one
// read), and nobody's update is lost by it.
func (j *judge) noLostUpdate() model.Verdict {
	var before *model.Observation // the write accepted before
	var found worst
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
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

// overwrites judges one accepted write by the one before, which is nil for the
// first.
func (j *judge) overwrites(before, o *model.Observation) (model.Verdict, bool) {
	write := j.h.Operation(o.By.Op)
	if write == nil || write.Kind != model.Write {
		return model.Verdict{}, false
	}
	read := j.readBefore(write)
	var value int64
	var other *model.Operation
	if before != nil {
		value = before.Number
		other = j.h.Operation(before.By.Op)
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
func (j *judge) readBefore(write *model.Operation) *model.Operation {
	for id := write.ID - 1; id > write.Acquisition && id > 0; id-- {
		op := j.h.Operation(id)
		if op.Kind == model.Read && op.Result == model.OK && sameHold(op, write) &&
			op.Return.Happened() && op.Return.Seq < write.Call.Seq {
			return op
		}
	}
	return nil
}

// sameHold reports whether two accesses belong together: the same thread's,
// under the same acquisition.
func sameHold(a, b *model.Operation) bool {
	return sameThread(a, b) && a.Acquisition == b.Acquisition
}

// lostUpdate is the verdict on a write that went over another: the one
// accepted before, by an operation that may not be known (nil).
func (j *judge) lostUpdate(read, write, other *model.Operation, before, o *model.Observation) model.Verdict {
	ops := []int{read.Acquisition, read.ID, write.ID}
	did := j.who(write) + " had read " + number(read.Value) + " and wrote " + number(o.Number)
	if before == nil {
		return with(violated(did+", but the resource held 0.", read.Return, o.Stamp, ops, []int64{o.Seq}), NotEstablished)
	}
	whose := "An update"
	if other != nil {
		ops = append(ops, other.Acquisition, other.ID)
		if r := j.readBefore(other); r != nil {
			ops = append(ops, r.ID)
		}
		whose = j.who(other) + "'s update"
	}
	var why cause
	if other != nil {
		why = j.whyOver(other, before)
	}
	if why.text == "" {
		why = j.whyOver(write, o)
	}
	sentence := whose + " to " + number(before.Number) + " was lost, because " + did + " over it"
	return with(violated(because(sentence, why), before.Stamp, o.Stamp,
		append(ops, why.ops...), append(why.seqs, before.Seq, o.Seq)), j.whyLostUpdate(write, other, before, o))
}

// whyLostUpdate says how two came to be in their critical sections at once, of which
// one wrote over what the other had written: one of them had no lock any more when the
// first write was accepted. If both had, it is how the other had none at the second: what
// happened between the two has lost no update that the first had not lost.
func (j *judge) whyLostUpdate(write, other *model.Operation, before, o *model.Observation) string {
	cause := ""
	if other != nil {
		cause = graver(j.whyAt(other, before.Stamp), j.whyAt(write, before.Stamp))
	}
	if cause == "" || cause == NotEstablished {
		cause = graver(cause, j.whyAt(write, o.Stamp))
	}
	switch {
	case cause == "" && other == nil:
		return NotEstablished
	case cause == "":
		return GrantedToBoth
	}
	return cause
}

// whyAt says why the hold of an access had no lock in the store when something
// happened; empty if it had.
func (j *judge) whyAt(op *model.Operation, at model.Stamp) string {
	x := j.acquisition(op)
	var last *claim
	for i := range j.claims {
		if c := &j.claims[i]; c.op == x && c.start.Seq <= at.Seq {
			last = c
		}
	}
	if last == nil {
		return NotEstablished
	}
	switch {
	case last.stands(at):
		return j.unbacked(last, at)
	case op.Call.Seq > at.Seq || j.unbacked(last, at) == "":
		return "" // it claimed nothing then, or the store has it still
	case !last.stands(op.Call):
		return j.unlooked(x, j.end(last).At, op.Call)
	}
	// Its claim has ended since it called: until then it must have been granted, as
	// far as can be told.
	if then := j.unbacked(last, op.Call); then != "" && then != NotEstablished && !model.CauseOf(then).Limit {
		return then
	}
	if _, held := j.heldUp(op, op.Call.At, at.At); held != "" {
		return held
	}
	return HolderLate
}

// whyOver says how the hold of an accepted write had ended in the store by
// then, if it had.
func (j *judge) whyOver(write *model.Operation, o *model.Observation) cause {
	x, key := j.acquisition(write), j.lockKey()
	switch {
	case x == nil, key == "" && j.o.Ownership == nil:
		return cause{}
	case key == "":
		return j.whyGoneBy(x, "", j.lostShare(x, o.Seq), o.Seq)
	}
	return j.whyLost(x, key, o.Seq)
}
