package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// noOrphan: violated when a key of an acquisition that has come to its end
// without success (its Acquire returned without the lock) or by a Release
// that has returned was in the store at that time, and blocks somebody who
// waits for the lock for longer than the bound, counted from that end or, if
// that is later, from when the world had healed or the other began to wait.
//
// A key on a node that was down, hung or cut off in the course of the acquisition
// may have been out of reach; what a crashed process leaves behind is nobody's
// fault; a Release that was cancelled has been told to leave it, and so has one
// that left the lock to an entry of the same thread; one that reported an error
// after something had gone wrong has told its caller; and a key that another
// acquisition gets along with (one has succeeded meanwhile) does not block. What
// counts is how long the key was to last, by the authority that wrote it, and not how
// long it is there because clocks differ.
func (j *judge) noOrphan() model.Verdict { return j.orphan(false) }

// lateOrphan is noOrphan for keys that are written when the end is over, or by
// a request that was held back and came in the very moment of the end: the
// clean-up had been done, and the request overtaken. And for keys that a Release
// could not remove, and said so.
func (j *judge) lateOrphan() model.Verdict { return j.orphan(true) }

func (j *judge) orphan(late bool) model.Verdict {
	if j.o.OrphanBound <= 0 {
		return notApplicable("No bound is set within which " + j.record() + "s must be gone.")
	}
	keys := j.lockKeys()
	if len(keys) == 0 && j.o.Ownership == nil || !j.everStored() {
		return notApplicable("No " + j.record() + " is known to be the lock's.")
	}
	looked := false
	var waits []wait
	all := j.tenures()
	for i := range all {
		t := &all[i]
		x := j.h.Operation(t.acquisition)
		if x == nil || t.resumed && late {
			continue
		}
		end, ended := j.over(x)
		if !ended || j.toldToLeave(x, end) || j.crashAfter(x.Client, x.Call.Seq).Happened() {
			continue
		}
		looked = true
		tooLate := t.written().Seq > end.Return.Seq || j.overtaken(t, x, end)
		gone := t.over != nil && t.over.Seq <= end.Return.Seq
		if (tooLate || j.saidSo(x, end)) != late || !tooLate && gone || !late && !j.reachable(t.node, x.Call, end.Return) {
			continue
		}
		if waits == nil {
			waits = j.waits()
		}
		if w, from, blocked := j.blocks(t, max(end.Return.At, t.from.At), waits); blocked {
			return j.orphaned(t, x, end, w, from, late)
		}
	}
	if !looked {
		return notApplicable("No acquisition that had a " + j.record() + " in the store came to an end.")
	}
	return holds()
}

// over returns the operation with which an acquisition came to an end: its own
// Acquire, if that returned without the lock, or its first Release. While the same
// thread has the lock by another entry, it is that of the other.
func (j *judge) over(x *model.Operation) (end *model.Operation, ended bool) {
	end = x
	if x.Result == model.OK {
		end = j.h.Operation(j.released[x.ID])
	}
	for end != nil && end.Return.Happened() {
		other := j.entered(x, end)
		if other == nil {
			return end, true
		}
		end = j.h.Operation(j.released[other.ID])
	}
	return nil, false
}

// entered returns another acquisition by which the thread still had the lock when
// the operation returned, or nil.
func (j *judge) entered(x, end *model.Operation) *model.Operation {
	for i := range j.claims {
		y := j.claims[i].op
		if y == x || y.Return.Seq > end.Call.Seq || !sameThread(x, y) {
			continue
		}
		if j.claims[i].stands(end.Return) { // its Release has not been called
			return y
		}
	}
	return nil
}

// saidSo reports whether a Release, the acquisition's own or the one it ends with,
// told its caller that it might not have removed the key, and could not help it:
// something had gone wrong before. Where nothing has it is the lock's fault all the
// same.
func (j *judge) saidSo(x, end *model.Operation) bool {
	for _, r := range j.releases(x, end) {
		told := r.Result == model.Unknown && r.Return.Happened()
		if told && slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool {
			return o.Seq < r.Return.Seq && goesWrong(o.Kind)
		}) {
			return true
		}
	}
	return false
}

// releases are the acquisition's own first Release and the one that it ends with,
// which is another if the thread had the lock by another entry for longer.
func (j *judge) releases(x, end *model.Operation) []*model.Operation {
	if end.Kind != model.Release {
		return nil
	}
	own := j.h.Operation(j.released[x.ID])
	if own == nil || own == end {
		return []*model.Operation{end}
	}
	return []*model.Operation{own, end}
}

// goesWrong reports whether such an observation is of a fault.
func goesWrong(kind model.ObservationKind) bool {
	switch kind {
	case model.RecordDropped, model.Paused, model.Crashed, model.Returned, model.Promoted, model.Delayed,
		model.Parted, model.ReplyLost, model.ClockJumped, model.ClockOff:
		return true
	}
	return false
}

// toldToLeave reports whether the key may stay when the acquisition has come to
// its end: its Release was cancelled, or that of the entry that it ends with; or the
// same thread had taken the lock again meanwhile, and could not tell whether it has
// given that up.
func (j *judge) toldToLeave(x, end *model.Operation) bool {
	for _, r := range j.releases(x, end) {
		if r.Cancelled.Happened() {
			return true
		}
	}
	for id := x.ID + 1; id < end.ID; id++ {
		r := j.h.Operation(id)
		if r.Kind == model.Release && r.Acquisition > x.ID && r.Result == model.Unknown && sameThread(r, x) {
			return true
		}
	}
	return false
}

// reachable reports whether an authority could be reached, and did what it was asked to,
// all the time: what speaks for it was not down and did not hang, and the network was not
// parted. Where several servers speak for it, one after the other, a client is connected to
// any of them, and to none after an election. A leader gives up only after one of these, and
// it commits nothing between that and its giving up.
func (j *judge) reachable(authority string, from, to model.Stamp) bool {
	leader, down, parted := authority, false, false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > to.Seq {
			break
		}
		if o.Kind.Unjudged() { // some are of an authority, at a follower that a client has come to
			continue
		}
		if o.Authority == authority {
			leader = o.Node
		}
		of := o.Node == leader
		if leader != authority {
			of = of || !j.isClient(o.Node)
		}
		switch o.Kind {
		case model.Crashed:
			down = down || o.Node == leader
		case model.Promoted, model.Returned:
			down = down && o.Authority != authority && o.Node != authority
		case model.Parted:
			parted = true
		case model.United:
			parted = false
		}
		if o.Kind == model.Paused && of && o.At+o.For > from.At {
			return false
		}
		changes := o.Kind == model.Returned || leader != authority && (o.Kind == model.Crashed || o.Kind == model.Promoted)
		if o.Seq > from.Seq && (down || parted || o.Kind == model.United || changes && of) {
			return false
		}
	}
	return !down && !parted
}

// overtaken reports whether a key was written by a request that was held back, and
// came when nothing could be done about it: in the moment of the end; or when all
// that the acquisition waited for was an answer that was held back too, until its
// end or for longer, and that the node had sent before.
func (j *judge) overtaken(t *tenure, x, end *model.Operation) bool {
	const moment = 10 * time.Millisecond // more than a round trip
	if t.resumed {
		return false
	}
	from := t.written()
	late := func(o *model.Observation) bool {
		due := o.At + o.For
		return o.Node == x.Client && j.acquisitionOf(o.By) == x.ID && due <= from.At && from.At-due < moment
	}
	last := func(o *model.Observation) bool {
		due := o.At + o.For
		return o.Place() == t.node && o.By.Op == end.ID && o.Seq < from.Seq && end.Return.At-due < moment
	}
	return j.delayed(late) && (end.Return.At-from.At <= moment || j.delayed(last))
}

// delayed reports whether any such segment was held back.
func (j *judge) delayed(is func(o *model.Observation) bool) bool {
	return slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool {
		return o.Kind == model.Delayed && is(&o)
	})
}

// blocks looks for a wait that the key is in the way of for longer than the
// bound, from the given time on.
func (j *judge) blocks(t *tenure, owed time.Duration, waits []wait) (w *wait, from time.Duration, blocked bool) {
	gone := j.h.End.At
	if t.over != nil {
		gone = t.over.At
	}
	if t.until != 0 {
		gone = min(gone, t.until)
	}
	gone = min(gone, j.grantEnds(t))
	for i := range waits {
		w := &waits[i]
		from := max(owed, j.h.Healed, w.first.Call.At)
		due := from + j.o.OrphanBound
		gaveUp := !w.over.Happened() && w.last.Return.Happened() && w.last.Return.At < due
		if gone <= due || gaveUp || w.over.Happened() && w.over.At <= due {
			continue
		}
		if j.o.Nodes < 2 && j.wonBetween(max(t.from.At, owed), due) || j.o.Nodes > 1 && j.heldBetween(from, due) {
			continue
		}
		return w, from, true
	}
	return nil, 0, false
}

// grantEnds is when a key was to end by the clocks of the authorities of its server
// that were asked for it. A key that is there for longer, because a clock has jumped
// back, or that of the next one to serve is behind, is no longer its acquisition's deed.
func (j *judge) grantEnds(t *tenure) time.Duration {
	ends, asked := time.Duration(0), false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Authority == "" || o.Key != t.key || o.By.Op == 0 || j.o.Nodes > 1 && j.server(o.Place()) != j.server(t.node) ||
			o.Kind != model.RecordCreated && o.Kind != model.RecordChanged || j.acquisitionOf(o.Owner) != t.acquisition {
			continue
		}
		if o.ExpiresAt == 0 {
			return noEnd
		}
		ends, asked = max(ends, o.ExpiresAt), true
	}
	if !asked {
		return noEnd
	}
	return ends
}

// wonBetween reports whether any Acquire succeeded in that time.
func (j *judge) wonBetween(from, to time.Duration) bool {
	for i := range j.claims {
		if at := j.claims[i].op.Return.At; at > from && at <= to {
			return true
		}
	}
	return false
}

// heldBetween reports whether any client had the lock in that time, or a part of it
// on some nodes: a waiter then waits for that.
func (j *judge) heldBetween(from, to time.Duration) bool {
	for i := range j.claims {
		if c := &j.claims[i]; c.start.At <= to && j.end(c).At >= from {
			return true
		}
	}
	return false
}

func (j *judge) orphaned(t *tenure, x, end *model.Operation, w *wait, from time.Duration, late bool) model.Verdict {
	gone := j.h.End
	if t.over != nil {
		gone = t.over.Stamp
	}
	what := " failed"
	switch {
	case end.Cancelled.Happened():
		what = " was cancelled"
	case end.Kind == model.Release && end.Result == model.OK:
		what = " returned"
	case end.Result == model.Failed && !end.NotHeld:
		what = " was told that it had not got the lock"
	case end.NotHeld:
		what = " was told that it had not held the lock"
	}
	sentence := j.deed(end) + what + ", but "
	if late && !(j.saidSo(x, end) && t.written().Seq <= end.Return.Seq) {
		sentence += "a request of its took effect later, and "
	}
	whom := j.who(w.first)
	if sameThread(w.first, x) {
		whom += " itself"
	}
	sentence += t.node + " had its " + j.record() + ", which kept " + whom + " waiting " + forTime(gone.At-from)
	if j.expiryAt(t, gone.Seq) == 0 && t.until == 0 && t.wrote.Session == "" {
		sentence += ", and has no expiry"
	}
	return with(violated(sentence+".", j.stampAt(from), gone, []int{x.ID, end.ID, w.first.ID, w.last.ID}, []int64{t.wrote.Seq}), LeftBehind)
}
