package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// orphans judges a history by no-orphan and late-orphan.
type orphans struct{ base *Judge }

// verdict judges the keys that a clean-up could have removed in time; if late is set, those written too late for it and
// those that a Release reported it could not remove. Keys that nobody could have removed, or that harm nobody, do not
// count: a key on a node that was out of order; what a crashed process leaves; a key whose Release was cancelled and did
// not report success; a key beside which another acquisition succeeded. A key counts until the time that the authority
// which wrote it had set, and no longer because clocks differ.
func (j orphans) verdict(late bool) model.Verdict {
	if j.base.o.OrphanBound <= 0 {
		return notApplicable("No bound is set within which " + j.base.record() + "s must be gone.")
	}
	keys := j.base.LockKeys()
	if len(keys) == 0 && j.base.o.Ownership == nil || !j.base.EverStored() {
		return notApplicable("No " + j.base.record() + " is known to be the lock's.")
	}
	looked := false
	var waits []holders.Wait
	all := j.base.Tenures()
	for i := range all {
		t := &all[i]
		x := j.base.h.Operation(t.Acquisition)
		if x == nil || t.Resumed && late {
			continue
		}
		end, ended := j.endOf(x)
		if !ended || j.mayStay(x, end) || j.base.CrashAfter(x.Client, x.Call.Seq).Happened() {
			continue
		}
		looked = true
		if j.base.OutOfReach(t, end.Return.Seq) {
			continue
		}
		tooLate := t.Written().Seq > end.Return.Seq || j.overtaken(t, x, end) || j.releaseLost(t, x)
		gone := t.Over != nil && t.Over.Seq <= end.Return.Seq
		if (tooLate || j.warnedCaller(x, end)) != late || !tooLate && gone || !late && !j.base.Reachable(t.Node, x.Call, j.base.StampAt(end.Return.At+aRoundTrip)) {
			continue
		}
		if waits == nil {
			waits = j.base.Waits()
		}
		if w, from, blocked := j.blocks(t, max(end.Return.At, t.From.At), waits); blocked {
			return j.orphaned(t, x, end, w, from, late)
		}
	}
	if !looked {
		return notApplicable("No acquisition that had a " + j.base.record() + " in the store ended.")
	}
	return holds()
}

// endOf returns the operation with which an acquisition ended: its own Acquire, if that
// returned without the lock, or its first Release. If the same thread still had the
// lock by another entry, it is the end of that entry.
func (j orphans) endOf(x *model.Operation) (end *model.Operation, ended bool) {
	end = x
	if x.Result == model.OK {
		end = j.base.h.Operation(j.base.Released(x.ID))
	}
	for end != nil && end.Return.Happened() {
		other := j.otherEntry(x, end)
		if other == nil {
			return end, true
		}
		end = j.base.h.Operation(j.base.Released(other.ID))
	}
	return nil, false
}

// otherEntry returns another acquisition by which the thread still had the lock when
// the operation returned, or nil.
func (j orphans) otherEntry(x, end *model.Operation) *model.Operation {
	for _, i := range j.base.ClaimsAt(x, end.Return.Seq) {
		y := j.base.Claims()[i].Acquire
		if y == x || y.Return.Seq > end.Call.Seq {
			continue
		}
		if j.base.Claims()[i].Stands(end.Return) { // its Release has not been called
			return y
		}
	}
	return nil
}

// warnedCaller reports whether a Release, the acquisition's own or the one it ends
// with, returned an error that leaves open whether it removed the key, after a fault
// had struck. Without a fault the error excuses nothing.
func (j orphans) warnedCaller(x, end *model.Operation) bool {
	for _, r := range j.releases(x, end) {
		warned := r.Result == model.Unknown && r.Return.Happened()
		if warned && slices.ContainsFunc(j.base.h.Observations, func(o model.Observation) bool {
			return o.Seq < r.Return.Seq && endings.IsFault(&o)
		}) {
			return true
		}
	}
	return false
}

// releases returns the acquisition's own first Release and the one that it ends with,
// which is another if the thread had the lock by another entry for longer.
func (j orphans) releases(x, end *model.Operation) []*model.Operation {
	if end.Kind != model.Release {
		return nil
	}
	own := j.base.h.Operation(j.base.Released(x.ID))
	if own == nil || own == end {
		return []*model.Operation{end}
	}
	return []*model.Operation{own, end}
}

// mayStay reports whether the key may stay when the acquisition has ended: its Release, or that of the entry that it ends
// with, was cancelled and did not report success; or the same thread had taken the lock again, and the outcome of that
// entry's Release is unknown.
func (j orphans) mayStay(x, end *model.Operation) bool {
	for _, r := range j.releases(x, end) {
		if r.Cancelled.Happened() && r.Result != model.OK {
			return true
		}
	}
	for id := x.ID + 1; id < end.ID; id++ {
		r := j.base.h.Operation(id)
		if r.Kind == model.Release && r.Acquisition > x.ID && r.Result == model.Unknown && holders.SameThread(r, x) {
			return true
		}
	}
	return false
}

// aRoundTrip is longer than any round trip.
const aRoundTrip = 10 * time.Millisecond

// releaseLost reports whether the acquisition's own Release had ended this tenure at the earlier authority and was lost in
// a failover, so that the tenure goes on. The acquisition may have ended later, by another entry.
func (j orphans) releaseLost(t *holders.Tenure, x *model.Operation) bool {
	return t.Resumed && j.base.Released(x.ID) > 0 && slices.ContainsFunc(j.base.TenuresOf(t.Acquisition), func(before *holders.Tenure) bool {
		return before.Key == t.Key && before.Node != t.Node && before.Over != nil &&
			before.Over.Seq < t.From.Seq && before.Over.By.Op == j.base.Released(x.ID)
	})
}

// overtaken reports whether the key was written by a delayed request that arrived too late for a clean-up: within a round
// trip of the end, or while the acquisition waited only for an answer that the node had sent before and that was delayed
// until the end or longer.
func (j orphans) overtaken(t *holders.Tenure, x, end *model.Operation) bool {
	if t.Resumed {
		return false
	}
	from := t.Written()
	late := func(o *model.Observation) bool {
		due := o.At + o.For
		return o.Node == x.Client && due <= from.At && from.At-due < aRoundTrip
	}
	last := func(o *model.Observation) bool {
		due := o.At + o.For
		return o.Place() == t.Node && o.By.Op == end.ID && o.Seq < from.Seq && end.Return.At-due < aRoundTrip
	}
	return slices.ContainsFunc(j.base.DelaysOf(x.ID), late) &&
		(end.Return.At-from.At <= aRoundTrip || slices.ContainsFunc(j.base.DelaysOf(j.base.AcquisitionOf(model.Origin{Op: end.ID})), last))
}

// blocks returns the first wait that the key blocks for longer than the bound, counted from owed at the earliest.
func (j orphans) blocks(t *holders.Tenure, owed time.Duration, waits []holders.Wait) (w *holders.Wait, from time.Duration, blocked bool) {
	gone := j.base.h.End.At
	if t.Over != nil {
		gone = t.Over.At
	}
	if t.Until != 0 {
		gone = min(gone, t.Until)
	}
	gone = min(gone, j.grantEnds(t))
	for i := range waits {
		w := &waits[i]
		from := max(owed, j.base.h.Healed, w.First.Call.At)
		due := from + j.base.o.OrphanBound
		gaveUp := !w.Over.Happened() && w.Last.Return.Happened() && w.Last.Return.At < due
		if gone <= due || gaveUp || w.Over.Happened() && w.Over.At <= due {
			continue
		}
		if j.base.o.Nodes < 2 && j.wonBetween(max(t.From.At, owed), due) || j.base.o.Nodes > 1 && j.heldBetween(from, due) {
			continue
		}
		return w, from, true
	}
	return nil, 0, false
}

// grantEnds returns when a key was to expire by the clocks of the authorities of its server that were asked for it. If it
// lasts longer, because a clock jumped back or a successor's clock is behind, that is not the acquisition's doing. A key
// without an expiry at its last state never ends; many are created without one and get it then.
func (j orphans) grantEnds(t *holders.Tenure) time.Duration {
	last := j.base.h.End.Seq
	if t.Over != nil {
		last = t.Over.Seq - 1
	}
	if j.base.ExpiryAt(t, last) == 0 {
		return holders.NoEnd
	}
	ends := time.Duration(0)
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Authority == "" || o.Key != t.Key || o.By.Op == 0 || j.base.o.Nodes > 1 && j.base.Server(o.Place()) != j.base.Server(t.Node) ||
			o.Kind != model.RecordCreated && o.Kind != model.RecordChanged || j.base.AcquisitionOf(o.Owner) != t.Acquisition {
			continue
		}
		ends = max(ends, o.ExpiresAt)
	}
	if ends == 0 {
		return holders.NoEnd
	}
	return ends
}

// wonBetween reports whether any Acquire succeeded in that time.
func (j orphans) wonBetween(from, to time.Duration) bool {
	for i := range j.base.Claims() {
		if at := j.base.Claims()[i].Acquire.Return.At; at > from && at <= to {
			return true
		}
	}
	return false
}

// heldBetween reports whether any client had the lock in that time, or had it on some of the nodes: waiting for that is
// lawful.
func (j orphans) heldBetween(from, to time.Duration) bool {
	for i := range j.base.Claims() {
		if c := &j.base.Claims()[i]; c.Start.At <= to && j.base.ClaimEnd(c).At >= from {
			return true
		}
	}
	return false
}

func (j orphans) orphaned(t *holders.Tenure, x, end *model.Operation, w *holders.Wait, from time.Duration, late bool) model.Verdict {
	gone := j.base.h.End
	if t.Over != nil {
		gone = t.Over.Stamp
	}
	what := " failed"
	switch {
	case end.Kind == model.Release && end.Result == model.OK:
		what = " returned"
	case end.Cancelled.Happened():
		what = " was cancelled"
	case end.Result == model.Failed && !end.NotHeld:
		what = " was told that it had not got the lock"
	case end.NotHeld:
		what = " was told that it had not held the lock"
	}
	sentence := j.base.deed(end) + what + ", but "
	if late && !(j.warnedCaller(x, end) && t.Written().Seq <= end.Return.Seq) {
		sentence += "a request of its took effect later, and "
	}
	whom := j.base.who(w.First)
	if holders.SameThread(w.First, x) {
		whom += " itself"
	}
	sentence += t.Node + " had its " + j.base.record() + ", which kept " + whom + " waiting " + forTime(gone.At-from)
	if j.base.ExpiryAt(t, gone.Seq) == 0 && t.Until == 0 && t.Wrote.Session == "" {
		sentence += ", and has no expiry"
	}
	return WithCause(violated(sentence+".", j.base.StampAt(from), gone, []int{x.ID, end.ID, w.First.ID, w.Last.ID}, []int64{t.Wrote.Seq}), j.base.UnlessStale(model.LeftBehind, end, end.Return.Seq))
}
