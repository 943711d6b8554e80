package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func (j *Judge) orphan(late bool) model.Verdict {
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
		end, ended := j.endOf(x)
		if !ended || j.mayStay(x, end) || j.crashAfter(x.Client, x.Call.Seq).Happened() {
			continue
		}
		looked = true
		if j.astray(t, end.Return.Seq) {
			continue
		}
		tooLate := t.written().Seq > end.Return.Seq || j.overtaken(t, x, end) || j.releaseLost(t, x)
		gone := t.over != nil && t.over.Seq <= end.Return.Seq
		if (tooLate || j.warnedCaller(x, end)) != late || !tooLate && gone || !late && !j.reachable(t.node, x.Call, j.stampAt(end.Return.At+aRoundTrip)) {
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

// endOf returns the operation with which an acquisition ended: its own Acquire, if that
// returned without the lock, or its first Release. If the same thread still had the
// lock by another entry, it is the end of that entry.
func (j *Judge) endOf(x *model.Operation) (end *model.Operation, ended bool) {
	end = x
	if x.Result == model.OK {
		end = j.h.Operation(j.releasedBy(x.ID))
	}
	for end != nil && end.Return.Happened() {
		other := j.otherEntry(x, end)
		if other == nil {
			return end, true
		}
		end = j.h.Operation(j.releasedBy(other.ID))
	}
	return nil, false
}

// otherEntry returns another acquisition by which the thread still had the lock when
// the operation returned, or nil.
func (j *Judge) otherEntry(x, end *model.Operation) *model.Operation {
	for _, i := range j.claimsAt(x, end.Return.Seq) {
		y := j.allClaims()[i].Acquire
		if y == x || y.Return.Seq > end.Call.Seq {
			continue
		}
		if j.allClaims()[i].Stands(end.Return) { // its Release has not been called
			return y
		}
	}
	return nil
}

// warnedCaller reports whether a Release, the acquisition's own or the one it ends
// with, returned an error that leaves open whether it removed the key, after a fault
// had struck. Without a fault the error excuses nothing.
func (j *Judge) warnedCaller(x, end *model.Operation) bool {
	for _, r := range j.releases(x, end) {
		told := r.Result == model.Unknown && r.Return.Happened()
		if told && slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool {
			return o.Seq < r.Return.Seq && isFault(o.Kind)
		}) {
			return true
		}
	}
	return false
}

// releases are the acquisition's own first Release and the one that it ends with,
// which is another if the thread had the lock by another entry for longer.
func (j *Judge) releases(x, end *model.Operation) []*model.Operation {
	if end.Kind != model.Release {
		return nil
	}
	own := j.h.Operation(j.releasedBy(x.ID))
	if own == nil || own == end {
		return []*model.Operation{end}
	}
	return []*model.Operation{own, end}
}

// mayStay reports whether the key may stay when the acquisition has ended: its Release,
// or that of the entry that it ends with, was cancelled and did not report success; or the
// same thread had taken the lock again meanwhile, and it is unknown whether it has released that.
func (j *Judge) mayStay(x, end *model.Operation) bool {
	for _, r := range j.releases(x, end) {
		if r.Cancelled.Happened() && r.Result != model.OK {
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
// all the time: what speaks for it was not down, did not hang and did not refuse everything, and the network was not
// parted. Where several servers speak for it, one after the other, a client is connected to
// any of them, and to none after an election. A leader gives up only after one of these, and
// it commits nothing between that and its giving up. Where servers have different records, the other nodes
// of its own send clients on.
func (j *Judge) reachable(authority string, from, to model.Stamp) bool {
	leader, down, parted, divided := authority, false, false, j.divided()
	var closed closings
	for _, o := range j.turns() {
		if o.Seq > to.Seq {
			break
		}
		if o.Note != nil { // some are of an authority, at a follower that a client has come to
			continue
		}
		if o.Authority == authority {
			leader = o.Node
		}
		of := o.Node == leader
		switch {
		case leader != authority:
			of = of || !j.isClient(o.Node)
		case divided:
			of = j.sameServer(o.Node, authority)
		}
		switch o.Kind {
		case model.Crashed:
			down = down || o.Node == leader || divided && of
		case model.Promoted, model.Returned:
			down = down && o.Authority != authority && o.Node != authority && !divided
		case model.Parted:
			parted = parted || !j.partsElectors(o)
		case model.United:
			parted = false
		}
		if o.Kind == model.Paused && of && o.At+o.For > from.At || o.Seq > from.Seq && closed.by(leader) {
			return false
		}
		closed.see(o)
		changes := o.Kind == model.Returned || (leader != authority || divided) && (o.Kind == model.Crashed || o.Kind == model.Promoted)
		if o.Seq > from.Seq && (down || parted || o.Kind == model.United || changes && of) {
			return false
		}
	}
	return !down && !parted && !closed.by(leader) && !j.replacedActs(authority, from, to)
}

// closings are the nodes that refuse everything, in the course of the observations.
type closings map[string]bool

func (c *closings) see(o *model.Observation) {
	switch o.Kind {
	case model.Closed:
		if *c == nil {
			*c = closings{}
		}
		(*c)[o.Node] = true
	case model.Opened, model.Crashed, model.Returned, model.Promoted:
		delete(*c, o.Node)
	}
}

// by reports whether a node is one of them.
func (c closings) by(node string) bool { return c[node] }

// aRoundTrip is more than one takes.
const aRoundTrip = 10 * time.Millisecond

// releaseLost reports whether a tenure goes on, after a failover, that the acquisition's own Release had ended at the authority before: that was
// lost with it. The acquisition may have ended later, by another entry.
func (j *Judge) releaseLost(t *tenure, x *model.Operation) bool {
	return t.resumed && j.releasedBy(x.ID) > 0 && slices.ContainsFunc(j.tenuresOf(t.acquisition), func(before *tenure) bool {
		return before.key == t.key && before.node != t.node && before.over != nil &&
			before.over.Seq < t.from.Seq && before.over.By.Op == j.releasedBy(x.ID)
	})
}

// overtaken reports whether a key was written by a request that was held back, and
// came when nothing could be done about it: in the moment of the end; or when all
// that the acquisition waited for was an answer that was held back too, until its
// end or for longer, and that the node had sent before.
func (j *Judge) overtaken(t *tenure, x, end *model.Operation) bool {
	if t.resumed {
		return false
	}
	from := t.written()
	late := func(o *model.Observation) bool {
		due := o.At + o.For
		return o.Node == x.Client && due <= from.At && from.At-due < aRoundTrip
	}
	last := func(o *model.Observation) bool {
		due := o.At + o.For
		return o.Place() == t.node && o.By.Op == end.ID && o.Seq < from.Seq && end.Return.At-due < aRoundTrip
	}
	return slices.ContainsFunc(j.delaysOf(x.ID), late) &&
		(end.Return.At-from.At <= aRoundTrip || slices.ContainsFunc(j.delaysOf(j.acquisitionOf(model.Origin{Op: end.ID})), last))
}

// blocks looks for a wait that the key is in the way of for longer than the
// bound, from the given time on.
func (j *Judge) blocks(t *tenure, owed time.Duration, waits []wait) (w *wait, from time.Duration, blocked bool) {
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
// One that had no expiry at last, where it is, never ends; many are created without one, and
// get it then.
func (j *Judge) grantEnds(t *tenure) time.Duration {
	last := j.h.End.Seq
	if t.over != nil {
		last = t.over.Seq - 1
	}
	if j.expiryAt(t, last) == 0 {
		return noEnd
	}
	ends := time.Duration(0)
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Authority == "" || o.Key != t.key || o.By.Op == 0 || j.o.Nodes > 1 && j.server(o.Place()) != j.server(t.node) ||
			o.Kind != model.RecordCreated && o.Kind != model.RecordChanged || j.acquisitionOf(o.Owner) != t.acquisition {
			continue
		}
		ends = max(ends, o.ExpiresAt)
	}
	if ends == 0 {
		return noEnd
	}
	return ends
}

// wonBetween reports whether any Acquire succeeded in that time.
func (j *Judge) wonBetween(from, to time.Duration) bool {
	for i := range j.allClaims() {
		if at := j.allClaims()[i].Acquire.Return.At; at > from && at <= to {
			return true
		}
	}
	return false
}

// heldBetween reports whether any client had the lock in that time, or a part of it
// on some nodes: a waiter then waits for that.
func (j *Judge) heldBetween(from, to time.Duration) bool {
	for i := range j.allClaims() {
		if c := &j.allClaims()[i]; c.Start.At <= to && j.end(c).At >= from {
			return true
		}
	}
	return false
}

func (j *Judge) orphaned(t *tenure, x, end *model.Operation, w *wait, from time.Duration, late bool) model.Verdict {
	gone := j.h.End
	if t.over != nil {
		gone = t.over.Stamp
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
	sentence := j.deed(end) + what + ", but "
	if late && !(j.warnedCaller(x, end) && t.written().Seq <= end.Return.Seq) {
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
	return with(violated(sentence+".", j.stampAt(from), gone, []int{x.ID, end.ID, w.first.ID, w.last.ID}, []int64{t.wrote.Seq}), j.unlessStale(model.LeftBehind, end, end.Return.Seq))
}
