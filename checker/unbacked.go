package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// moment is how long a client may take between its look at the clock and its
// answer: what a process does itself takes no time to speak of.
const moment = time.Millisecond

// unbacked says why a client claims the lock, at a place, that the store does not
// have for it; empty if the store has. The claim stands there.
func (j *judge) unbacked(c *claim, at model.Stamp) (cause string) {
	key, ok := j.readable()
	if !ok {
		return j.guess(c, at)
	}
	parts := j.parts(c.op, key, at)
	if endedBy(parts, unclear) != nil || len(parts) == 0 && j.handedOver(c.op, key, at) {
		return j.guess(c, at)
	}
	if j.backed(parts, key, at.Seq) {
		return ""
	}
	cause, e := j.whyGone(parts, at)
	if cause != "" {
		return cause
	}
	return j.ranOutAt(c, at, parts, e)
}

// whyGone says why the store does not have the parts of a grant at a place; empty if
// they have run out as granted, and when.
func (j *judge) whyGone(parts []part, at model.Stamp) (cause string, ended time.Duration) {
	if e, ever := j.together(parts, unlessForgotten); ever && e > at.At {
		if endedBy(parts, hurried) != nil && endedBy(parts, forgotten) == nil {
			return StoreClockJumped, 0
		}
		return StoreForgot, 0
	}
	if e, ever := j.together(parts, unlessTaken); ever && e > at.At {
		return RemovedByAnother, 0
	}
	ended, ever := j.grantedTo(parts)
	switch {
	case !ever:
		return NeverGranted, 0
	case ended > at.At:
		return RemovedByItself, 0
	}
	return "", ended
}

// unbackedAt is the same of the first claim of an acquisition.
func (j *judge) unbackedAt(x *model.Operation, at model.Stamp) string {
	for i := range j.claims {
		if c := &j.claims[i]; c.op == x {
			return j.unbacked(c, at)
		}
	}
	return NotEstablished
}

// backed reports whether the authority, or a quorum of the servers, has the parts
// right after the event.
func (j *judge) backed(parts []part, key string, seq int64) bool {
	at := servingAt{judge: j, key: key}
	for i := range j.h.Observations {
		if j.h.Observations[i].Seq > seq {
			break
		}
		at.see(&j.h.Observations[i])
	}
	var room [8]string
	servers := room[:0]
	for i := range parts {
		if p := &parts[i]; p.how == stands && at.leads(p.node) && !slices.Contains(servers, p.server) {
			servers = append(servers, p.server)
		}
	}
	return !at.down && len(servers) >= j.quorum()
}

// handedOver reports whether somebody has written the lock's key whose value may be
// another's: a Release does so that names the next holder, and an Acquire that finds
// the lock free and gives it to the first in the queue. Then it is not known who had
// the lock.
func (j *judge) handedOver(x *model.Operation, key string, at model.Stamp) bool {
	unsigned := func(by model.Origin) bool {
		op := j.h.Operation(by.Op)
		return op == nil || !writesLock(op.Kind)
	}
	all := j.tenures()
	for i := range all {
		if t := &all[i]; t.of(key) && t.overlaps(x.Call.Seq, at.Seq) && (t.unknown || unsigned(t.by)) {
			return true
		}
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		writes := o.Authority != "" && o.Key == key && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged)
		if writes && o.Seq > x.Call.Seq && o.Seq <= at.Seq && (unsigned(o.Owner) || j.namesIt(x, o)) {
			return true
		}
	}
	return false
}

// namesIt reports whether a value that another has written is one that the
// acquisition's own request has written before, such as into a queue.
func (j *judge) namesIt(x *model.Operation, o *model.Observation) bool {
	names := o.Items
	if o.Type == "" {
		names = []string{o.Value}
	}
	for i := range j.h.Observations {
		own := &j.h.Observations[i]
		if own.Seq >= o.Seq {
			break
		}
		if own.By.Op == x.ID && slices.ContainsFunc(names, func(n string) bool {
			return n != "" && (own.Value == n || slices.Contains(own.Items, n)) && len(n) > 2 // no count
		}) {
			return true
		}
	}
	return false
}

// ranOutAt says why a client still claims the lock, at a place, when its lease has
// ended as granted before.
func (j *judge) ranOutAt(c *claim, at model.Stamp, parts []part, ended time.Duration) string {
	x := c.op
	off := j.clockError(x.Client, x.Call.At, at)
	if late, cause := j.toldLate(x, ended, at, off); late {
		return cause
	}
	switch {
	case c.timed && j.untilAt(c, at) > ended+off:
		return ClaimedLonger
	case c.timed && off > 0:
		return ClientClockOff
	case c.timed:
		return NotEstablished // it had ended by itself
	case j.tells(x) && j.untoldFor(c, parts, ended) > j.lossBound()+off:
		return NotTold
	case j.tells(x) && brokenOff(parts, ended):
		return HolderCutOff
	}
	if d, cause := j.heldUp(x, renewedAt(parts, ended, asGranted), at.At); d > at.At-ended {
		return cause
	}
	if off > 0 && off >= at.At-ended {
		return ClientClockOff
	}
	return HeldTooLong
}

// untoldFor is how long a process held on, and ran, after its lease had ended. Where its
// connection broke it also had to be reached.
func (j *judge) untoldFor(c *claim, parts []part, ended time.Duration) time.Duration {
	from, end := max(ended, c.start.At), j.end(c).At
	if !brokenOff(parts, ended) {
		return j.ran(c.op.Client, from, end)
	}
	d, _ := j.heldUp(c.op, from, end)
	return end - from - d
}

// brokenOff reports whether the network broke the connection that a part lived with, and so
// ended it.
func brokenOff(parts []part, ended time.Duration) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.gone == ended && p.over != nil && p.over.Broken })
}

// toldLate reports whether Acquire, or an Extend before the place, reported success
// when the lease that it gave had ended, and its process had run since.
func (j *judge) toldLate(x *model.Operation, ended time.Duration, at model.Stamp, off time.Duration) (late bool, cause string) {
	overdue := func(op *model.Operation) bool { return j.ran(op.Client, ended, op.Return.At) > moment+off }
	if ended <= x.Return.At && overdue(x) {
		return true, AcquiredTooLate
	}
	for i := x.ID; i < len(j.h.Operations); i++ {
		op := &j.h.Operations[i]
		if op.Kind == model.Extend && op.Acquisition == x.ID && op.Result == model.OK &&
			op.Return.Happened() && op.Return.Seq <= at.Seq && ended <= op.Return.At && overdue(op) {
			return true, ExtendedTooLate
		}
	}
	return false, ""
}

// guess is unbacked where the store cannot be read: nothing but what befell it and
// the client can be gone by, and the lease that was asked for.
func (j *judge) guess(c *claim, at model.Stamp) string {
	x := c.op
	if j.forgot(x.Call.Seq, at.Seq) {
		return StoreForgot
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Kind == model.ClockJumped && o.Ahead > 0 && o.Seq > x.Call.Seq && o.Seq <= at.Seq && !j.isClient(o.Node) {
			return StoreClockJumped
		}
	}
	asked := j.asked(x, at.Seq)
	ended := asked + j.h.TTL
	switch {
	case c.timed && j.clockError(x.Client, x.Call.At, at) > 0:
		return ClientClockOff
	case c.timed || at.At < ended:
		return NotEstablished
	}
	if d, cause := j.heldUp(x, asked, at.At); d > at.At-ended {
		return cause
	}
	return NotEstablished
}

// overlapping says why two clients claimed the lock at once, the second of them from the
// given place on: what became of the grant of the one that had been granted it
// before, and otherwise of the other's.
func (j *judge) overlapping(a, b *claim, at model.Stamp) string {
	first, second := j.unbacked(a, at), j.unbacked(b, at)
	if first == "" && second == "" {
		return GrantedToBoth
	}
	return graver(first, second)
}

// tells reports whether a lease without Until can be asked of more than its holder
// knows: it signals its loss, or renews itself.
func (j *judge) tells(x *model.Operation) bool {
	return !x.Leased && (x.Notifies || j.renewsItself(x))
}

// renewsItself reports whether the store, or a quorum of the servers, has seen the lease
// renewed though nobody had called for it, or has it live with a session, which is kept
// alive like that. On fewer servers it may be a request of
// Acquire, which did not wait for their answers, that is late or repeated.
func (j *judge) renewsItself(x *model.Operation) bool {
	if j.selfRenewed == nil {
		j.selfRenewed = make(map[int][]string)
		for i := range j.h.Observations {
			o := &j.h.Observations[i]
			if o.Authority == "" || !j.renewal(o) {
				continue
			}
			owner, s := j.acquisitionOf(o.Owner), j.server(o.Place())
			if !slices.Contains(j.selfRenewed[owner], s) {
				j.selfRenewed[owner] = append(j.selfRenewed[owner], s)
			}
		}
	}
	return len(j.selfRenewed[x.ID]) >= j.quorum()
}

// renewal reports whether an observation shows that a lease renews itself.
func (j *judge) renewal(o *model.Observation) bool {
	owner := j.acquisitionOf(o.Owner)
	switch {
	case owner == 0:
		return false
	case o.Session != "":
		return o.Kind == model.RecordCreated || o.Kind == model.RecordChanged
	case o.Kind != model.RecordChanged || o.Owner != o.OldOwner || j.clientOf(o.By) != j.h.Operation(owner).Client:
		return false
	}
	by := j.h.Operation(o.By.Op)
	return by == nil || by.Kind == model.Read || by.Kind == model.Write
}

// lossBound is how long a process may run on that has lost its lease before it is
// told: a tenth of the lease, and 10 ms at least.
func (j *judge) lossBound() time.Duration { return max(j.h.TTL/10, 10*time.Millisecond) }
