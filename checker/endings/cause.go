package endings

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// This file decides the cause of a claim that outlasts its grant: a limit of leases or a fault of the lock.

// CauseNotHeld explains why the store does not back a claim at a stamp, by the ID of a cause, or returns "" if it does. The claim must
// be active then.
func (es *Endings) CauseNotHeld(c *model.Claim, at model.Stamp) (cause string) {
	key, ok := es.Readable()
	if !ok {
		return es.guessCause(c, at)
	}
	parts := es.Parts(c.Acquire, key, at)
	if EndedBy(parts, Unclear) != nil || len(parts) == 0 && es.Unsure(c.Acquire, key, at) {
		return es.guessCause(c, at)
	}
	if es.hasParts(parts, key, at.Seq) {
		return ""
	}
	cause, e := es.CauseOfEnd(parts, at)
	if cause != "" {
		return cause
	}
	return es.causeAfterEnd(c, at, parts, e)
}

// CauseNotHeldBy returns [Endings.CauseNotHeld] of the first claim of an acquisition.
func (es *Endings) CauseNotHeldBy(x *model.Operation, at model.Stamp) string {
	for i := range es.Claims() {
		if c := &es.Claims()[i]; c.Acquire == x {
			return es.CauseNotHeld(c, at)
		}
	}
	return model.NotEstablished
}

// CauseOfOverlap returns the cause of an overlap of two claims, the second of which begins at a stamp: how the grant of
// the first ended or, if the store still has it, the cause of the second.
func (es *Endings) CauseOfOverlap(a, b *model.Claim, at model.Stamp) string {
	first, second := es.CauseNotHeld(a, at), es.CauseNotHeld(b, at)
	if first == "" && second == "" {
		return model.GrantedToBoth
	}
	return Graver(first, second)
}

// hasParts reports whether the authority, or a quorum of the servers, has the parts
// right after the event.
func (es *Endings) hasParts(parts []Part, key string, seq int64) bool {
	at := es.NewServing(key)
	for i := range es.h.Observations {
		if es.h.Observations[i].Seq > seq {
			break
		}
		at.See(&es.h.Observations[i])
	}
	var room [8]string
	servers := room[:0]
	for i := range parts {
		if p := &parts[i]; p.How == Stands && at.Leads(p.Node, p.Key) && !slices.Contains(servers, p.Server) {
			servers = append(servers, p.Server)
		}
	}
	return len(servers) >= es.Quorum()
}

// CauseOfEnd explains why the store does not have the parts of a grant at a stamp. The cause is empty if they ran out as
// granted, at the time ended.
func (es *Endings) CauseOfEnd(parts []Part, at model.Stamp) (cause string, ended time.Duration) {
	if e, ever := es.Together(parts, unlessForgotten); ever && e > at.At {
		if EndedBy(parts, ClockJumped) != nil && EndedBy(parts, Forgotten) == nil {
			return model.StoreClockJumped, 0
		}
		return es.causeOfLoss(parts, at), 0
	}
	if e, ever := es.Together(parts, unlessTaken); ever && e > at.At {
		return es.causeOfRemoval(parts), 0
	}
	ended, ever := es.grantedTo(parts)
	switch {
	case !ever:
		return model.NeverGranted, 0
	case ended > at.At:
		return model.RemovedByItself, 0
	}
	return "", ended
}

// causeOfLoss returns the cause of the store's loss of a grant whose parts had neither expired nor been removed: its
// records moved, only replaced nodes had granted them, or the store forgot them.
func (es *Endings) causeOfLoss(parts []Part, at model.Stamp) string {
	cause := model.TwoMasters
	switch {
	case es.migrated(parts, at):
		cause = model.Migration
	case slices.ContainsFunc(parts, func(p Part) bool { return unlessForgotten(&p) > at.At && !es.ReplacedBy(p.Node, p.Given) }):
		cause = model.StoreForgot
	}
	return es.unlessScattered(cause)
}

// causeOfRemoval returns the cause of the removal of parts of a grant by another acquisition's request: a fault of that
// acquisition, or of the clock by which it waited.
func (es *Endings) causeOfRemoval(parts []Part) string {
	p := EndedBy(parts, TakenAway)
	if (p.Until == holders.NoEnd || es.o.Measured) && es.Hurried(p.Node, p.Key, p.Over) {
		return model.ClientClockOff
	}
	return es.UnlessStale(model.RemovedByAnother, es.h.Operation(p.Over.By.Op), p.Over.Seq)
}

// StoreLost reports whether a cause means that the store lost or ended a grant before its time.
func StoreLost(cause string) bool {
	return cause == model.StoreForgot || cause == model.TwoMasters || cause == model.Migration || cause == model.StoreClockJumped
}

// causeAfterEnd returns the cause of a claim at a place after its lease had ended as granted.
func (es *Endings) causeAfterEnd(c *model.Claim, at model.Stamp, parts []Part, ended time.Duration) string {
	x := c.Acquire
	off := es.ClockError(x.Client, x.Call.At, at)
	if late, cause := es.reportedLate(x, ended, at, off); late {
		return cause
	}
	switch {
	case c.Timed && c.UntilAt(es.h, at) > ended+off:
		return model.ClaimedLonger
	case c.Timed && off > 0:
		return model.ClientClockOff
	case c.Timed:
		return model.NotEstablished // it had ended by itself
	case es.SignalsLoss(x):
		switch late := es.UnawareFor(c, parts, ended) > es.LossBound()+off; {
		case late && es.OwesSignal(x, parts, ended):
			return es.UnlessUsedUp(model.NotTold, x, parts, ended)
		case !late && brokenOff(parts, ended):
			return model.HolderCutOff
		}
	}
	if d, cause := es.ClientDelay(x, renewedAt(parts, ended, AsGranted), at.At); d > at.At-ended {
		return cause
	}
	if off > 0 && off >= at.At-ended {
		return model.ClientClockOff
	}
	return es.UnlessUsedUp(model.HeldTooLong, x, parts, ended)
}

// UnlessUsedUp returns used-up if most of the lease had passed when its holder got the lock, and the given cause otherwise.
func (es *Endings) UnlessUsedUp(cause string, x *model.Operation, parts []Part, ended time.Duration) string {
	if es.UsedUpOf(x, parts, ended) > 0 {
		return model.UsedUp
	}
	return cause
}

// guessCause is CauseNotHeld for a store that cannot be read. It goes by the faults of the store and of the client, and by
// the requested lease.
func (es *Endings) guessCause(c *model.Claim, at model.Stamp) string {
	x := c.Acquire
	if es.NothingStored() {
		return model.NeverGranted
	}
	if forgets := es.Forgetting(x.Call.Seq, at.Seq); forgets != "" {
		return es.unlessScattered(forgets)
	}
	if es.jumpedPast(x, at) {
		return model.StoreClockJumped
	}
	asked := es.AskedAt(x, at.Seq)
	ended := asked + es.h.TTL
	switch {
	case c.Timed && es.ClockError(x.Client, x.Call.At, at) > 0:
		return model.ClientClockOff
	case c.Timed || at.At < ended:
		return model.NotEstablished
	}
	if d, cause := es.ClientDelay(x, asked, at.At); d > at.At-ended {
		return cause
	}
	return model.NotEstablished
}

// jumpedPast reports whether, at a place, a record of an acquisition had expired only because the clock of its node had
// jumped. A record without an expiry ends one lease after the request for it: its end may be in the value.
func (es *Endings) jumpedPast(x *model.Operation, at model.Stamp) bool {
	type record struct{ place, key string }
	ends := map[record]model.Observation{} // when it was written last
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Seq > at.Seq {
			break
		}
		if o.Authority != "" && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) && es.AcquisitionOf(o.By) == x.ID {
			ends[record{o.Place(), o.Key}] = *o
		}
	}
	for r, o := range ends { // unordered: any will do
		until := o.ExpiresAt
		if until == 0 {
			until = es.AskedAt(x, at.Seq) + es.h.TTL
		}
		if until > at.At && until-es.Jumped(r.place, holders.ClockReadAt(&o).Seq, at.Seq) <= at.At {
			return true
		}
	}
	return false
}

// NothingStored reports whether the history shows the store, but never a record in it.
func (es *Endings) NothingStored() bool {
	return len(es.h.Observations)+len(es.o.Servers) > 0 && !slices.ContainsFunc(es.h.Observations, func(o model.Observation) bool { return o.Kind.OfRecord() })
}

// CauseOfToken returns why b, which was granted the lock after a, has no greater token: the store forgot the counter, or
// the lock before it; or the token was not drawn in the step of the grant.
func (es *Endings) CauseOfToken(a, b *model.Operation) string {
	from, to := a.Return, b.Return
	if key := es.LockKey(); key != "" {
		if first, second := es.Grant(a, key), es.Grant(b, key); first != nil && second != nil {
			if from, to = first.Stamp, second.Stamp; to.Seq < from.Seq {
				// It was granted the lock before a, and got the answer after.
				if cause := es.CauseNotHeldBy(b, b.Return); cause != "" {
					return cause
				}
			}
		}
	}
	first, second := es.Drawn(a, ""), es.Drawn(b, "")
	if first != nil {
		second = es.Drawn(b, first.Key)
	}
	switch {
	case first == nil || second == nil:
		if es.Forgot(from.Seq, to.Seq) {
			return model.StoreForgot
		}
	case first.Place() != second.Place() && es.SameServer(first.Place(), second.Place()) &&
		(first.Seq < second.Seq || es.promotedLast(first.Place(), second.Seq)):
		if es.ReplacedBy(first.Place(), first.At) || es.ReplacedBy(second.Place(), second.At) {
			return model.TwoMasters
		}
		return model.StoreForgot // the second was drawn at a node that did not know the first
	case first.Seq < second.Seq:
		if es.Forgot(first.Seq, second.Seq) {
			return model.StoreForgot
		}
		return model.TokenApart
	}
	if cause := es.CauseNotHeldBy(a, to); StoreLost(cause) {
		return cause
	}
	return model.TokenApart
}

// promotedLast reports whether no other place was promoted later, before an event.
func (es *Endings) promotedLast(place string, seq int64) bool {
	last := ""
	for i := range es.h.Observations {
		if o := &es.h.Observations[i]; o.Kind == model.Promoted && o.Seq < seq {
			last = o.Place()
		}
	}
	return last == place
}

// Drawn returns the observation of the last write of an Acquire that showed its token, to the given key if it is not
// empty; or nil.
func (es *Endings) Drawn(x *model.Operation, key string) (draw *model.Observation) {
	token := strconv.FormatInt(x.Token, 10)
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if x.Return.Happened() && o.Seq > x.Return.Seq {
			break
		}
		writes := o.Authority != "" && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged)
		if writes && o.By.Op == x.ID && (key == "" || o.Key == key) && (o.Type == "" && o.Value == token || slices.Contains(o.Items, token)) {
			draw = o
		}
	}
	return draw
}

// UnlessStale returns stale-read if, until an event, a follower had shown the operation an outdated record, and the given
// cause otherwise.
func (es *Endings) UnlessStale(cause string, op *model.Operation, until int64) string {
	if op != nil && es.ShownStale(op, until) {
		return model.StaleRead
	}
	return cause
}

// CauseOfAccess explains why a client accesses the resource after the end of its lease: its clock may have been off.
func (es *Endings) CauseOfAccess(x *model.Operation, end time.Duration, at model.Stamp) string {
	if off := es.ClockError(x.Client, x.Call.At, at); off > 0 && off >= at.At-end {
		return model.ClientClockOff
	}
	return model.HeldTooLong // one look at the clock would have shown it
}

// CauseOfUntruth explains why an operation that reported success did not leave its acquisition with the lock. The cause is
// empty if the store had granted the lock until the return, or if the history does not show it. Ended is when the lease ended, if it
// did.
func (es *Endings) CauseOfUntruth(op, x *model.Operation, key string) (cause string, ended time.Duration) {
	at := op.Return
	parts := es.Parts(x, key, at)
	if EndedBy(parts, Unclear) != nil || len(parts) == 0 && es.Unsure(x, key, at) {
		return "", 0
	}
	if e, ever := es.Together(parts, unlessTaken); ever && e > at.At {
		return "", 0
	}
	ended, ever := es.grantedTo(parts)
	switch r := es.h.Operation(es.Released(x.ID)); {
	case !ever:
		return model.NeverGranted, 0
	case r != nil && r.Call.Seq < at.Seq:
		return "", 0
	case ended > at.At:
		return model.RemovedByItself, 0
	case es.ran(op.Client, ended, at.At) <= moment+es.ClockError(op.Client, x.Call.At, at):
		return "", 0
	case op.Kind == model.Extend:
		return model.ExtendedTooLate, ended
	}
	return model.AcquiredTooLate, ended
}

// Graver returns the cause that decides between two: a certain fault, or else a limit, or else not-established. In one
// class it is the first. The empty cause counts as none.
func Graver(a, b string) string {
	rank := func(cause string) int {
		switch {
		case cause == "":
			return 0
		case cause == model.NotEstablished:
			return 1
		case model.CauseOf(cause).Limit:
			return 2
		}
		return 3
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}
