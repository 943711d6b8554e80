package checker

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file answers what the end of a grant makes of a claim that goes on: a limit of
// leases or a fault of the lock.

// causeNotHeld is the cause of a claim at a place where the store does not have the lock
// for it; empty if the store has. The claim stands there.
func (es *Endings) causeNotHeld(c *model.Claim, at model.Stamp) (cause string) {
	key, ok := es.readable()
	if !ok {
		return es.guessCause(c, at)
	}
	parts := es.parts(c.Acquire, key, at)
	if endedBy(parts, unclear) != nil || len(parts) == 0 && es.holderUnsure(c.Acquire, key, at) {
		return es.guessCause(c, at)
	}
	if es.hasParts(parts, key, at.Seq) {
		return ""
	}
	cause, e := es.causeOfEnd(parts, at)
	if cause != "" {
		return cause
	}
	return es.causeAfterEnd(c, at, parts, e)
}

// causeNotHeldBy is causeNotHeld of the first claim of an acquisition.
func (es *Endings) causeNotHeldBy(x *model.Operation, at model.Stamp) string {
	for i := range es.allClaims() {
		if c := &es.allClaims()[i]; c.Acquire == x {
			return es.causeNotHeld(c, at)
		}
	}
	return model.NotEstablished
}

// causeOfOverlap is the cause of two claims that overlap, the second of which begins at the
// given place: how the grant of the first ended or, if the store still has that, the
// grant of the second.
func (es *Endings) causeOfOverlap(a, b *model.Claim, at model.Stamp) string {
	first, second := es.causeNotHeld(a, at), es.causeNotHeld(b, at)
	if first == "" && second == "" {
		return model.GrantedToBoth
	}
	return graver(first, second)
}

// hasParts reports whether the authority, or a quorum of the servers, has the parts
// right after the event.
func (es *Endings) hasParts(parts []part, key string, seq int64) bool {
	at := es.newServing(key)
	for i := range es.h.Observations {
		if es.h.Observations[i].Seq > seq {
			break
		}
		at.see(&es.h.Observations[i])
	}
	var room [8]string
	servers := room[:0]
	for i := range parts {
		if p := &parts[i]; p.how == stands && at.leads(p.node, p.key) && !slices.Contains(servers, p.server) {
			servers = append(servers, p.server)
		}
	}
	return len(servers) >= es.quorum()
}

// causeOfEnd is the cause for which the store does not have the parts of a grant at a place.
// It is empty if they have run out as granted; ended is then when.
func (es *Endings) causeOfEnd(parts []part, at model.Stamp) (cause string, ended time.Duration) {
	if e, ever := es.together(parts, unlessForgotten); ever && e > at.At {
		if endedBy(parts, hurried) != nil && endedBy(parts, forgotten) == nil {
			return model.StoreClockJumped, 0
		}
		return es.causeOfLoss(parts, at), 0
	}
	if e, ever := es.together(parts, unlessTaken); ever && e > at.At {
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

// causeOfLoss is the cause for which the store does not stand by a grant any more whose parts had neither run out at
// a place nor been removed: its records moved, none of them was granted by a node that nobody had replaced, or the
// store forgot them.
func (es *Endings) causeOfLoss(parts []part, at model.Stamp) string {
	cause := model.TwoMasters
	switch {
	case es.migrated(parts, at):
		cause = model.Migration
	case slices.ContainsFunc(parts, func(p part) bool { return unlessForgotten(&p) > at.At && !es.replacedBy(p.node, p.given) }):
		cause = model.StoreForgot
	}
	return es.unlessScattered(cause)
}

// causeOfRemoval is the cause for which a request of another acquisition removed parts of a grant: its fault, or that of
// the clock by which it waited.
func (es *Endings) causeOfRemoval(parts []part) string {
	p := endedBy(parts, takenAway)
	if p.until == noEnd && es.hurriedOn(p.node, p.key, p.over) {
		return model.ClientClockOff
	}
	return es.unlessStale(model.RemovedByAnother, es.h.Operation(p.over.By.Op), p.over.Seq)
}

// storeLost reports whether a cause is that the store does not stand any more by what it granted.
func storeLost(cause string) bool {
	return cause == model.StoreForgot || cause == model.TwoMasters || cause == model.Migration || cause == model.StoreClockJumped
}

// causeAfterEnd is the cause of a claim at a place where the lease has ended before, as
// granted.
func (es *Endings) causeAfterEnd(c *model.Claim, at model.Stamp, parts []part, ended time.Duration) string {
	x := c.Acquire
	off := es.clockError(x.Client, x.Call.At, at)
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
	case es.signalsLoss(x):
		switch late := es.unawareFor(c, parts, ended) > es.lossBound()+off; {
		case late && es.owesSignal(x, parts, ended):
			return es.unlessUsedUp(model.NotTold, x, parts, ended)
		case !late && brokenOff(parts, ended):
			return model.HolderCutOff
		}
	}
	if d, cause := es.clientDelay(x, renewedAt(parts, ended, asGranted), at.At); d > at.At-ended {
		return cause
	}
	if off > 0 && off >= at.At-ended {
		return model.ClientClockOff
	}
	return es.unlessUsedUp(model.HeldTooLong, x, parts, ended)
}

// unlessUsedUp is the cause for which a holder goes on after its lease, unless most of that had
// passed when it got the lock.
func (es *Endings) unlessUsedUp(cause string, x *model.Operation, parts []part, ended time.Duration) string {
	if es.usedUpOf(x, parts, ended) > 0 {
		return model.UsedUp
	}
	return cause
}

// guessCause is causeNotHeld where the store cannot be read. It goes by the faults of the
// store and of the client, and by the lease that was asked for.
func (es *Endings) guessCause(c *model.Claim, at model.Stamp) string {
	x := c.Acquire
	if es.nothingStored() {
		return model.NeverGranted
	}
	if forgets := es.forgetting(x.Call.Seq, at.Seq); forgets != "" {
		return es.unlessScattered(forgets)
	}
	if es.jumpedPast(x, at) {
		return model.StoreClockJumped
	}
	asked := es.asked(x, at.Seq)
	ended := asked + es.h.TTL
	switch {
	case c.Timed && es.clockError(x.Client, x.Call.At, at) > 0:
		return model.ClientClockOff
	case c.Timed || at.At < ended:
		return model.NotEstablished
	}
	if d, cause := es.clientDelay(x, asked, at.At); d > at.At-ended {
		return cause
	}
	return model.NotEstablished
}

// jumpedPast reports whether, at a place, a record of an acquisition was to be there yet, and its end had passed, since the
// clock of its node had jumped. A record without an end ends a lease after that was asked for: its end may be in the value.
func (es *Endings) jumpedPast(x *model.Operation, at model.Stamp) bool {
	type record struct{ place, key string }
	ends := map[record]model.Observation{} // when it was written last
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Seq > at.Seq {
			break
		}
		if o.Authority != "" && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) && es.acquisitionOf(o.By) == x.ID {
			ends[record{o.Place(), o.Key}] = *o
		}
	}
	for r, o := range ends { // unordered: any
		until := o.ExpiresAt
		if until == 0 {
			until = es.asked(x, at.Seq) + es.h.TTL
		}
		if until > at.At && until-es.jumped(r.place, given(&o).Seq, at.Seq) <= at.At {
			return true
		}
	}
	return false
}

// nothingStored reports whether the store was observed, as its nodes are known or an observation shows, and no record in
// it.
func (es *Endings) nothingStored() bool {
	return len(es.h.Observations)+len(es.o.Servers) > 0 && !slices.ContainsFunc(es.h.Observations, func(o model.Observation) bool { return o.Kind.OfRecord() })
}

// causeOfToken says why b, which was granted the lock after a, has no greater token: the
// counter has been forgotten, or the lock before it; or the token was not drawn in
// the step of the grant.
func (es *Endings) causeOfToken(a, b *model.Operation) string {
	from, to := a.Return, b.Return
	if key := es.lockKey(); key != "" {
		if first, second := es.grant(a, key), es.grant(b, key); first != nil && second != nil {
			if from, to = first.Stamp, second.Stamp; to.Seq < from.Seq {
				// It was granted the lock before, and heard of it after.
				if cause := es.causeNotHeldBy(b, b.Return); cause != "" {
					return cause
				}
			}
		}
	}
	first, second := es.drawn(a, ""), es.drawn(b, "")
	if first != nil {
		second = es.drawn(b, first.Key)
	}
	switch {
	case first == nil || second == nil:
		if es.forgot(from.Seq, to.Seq) {
			return model.StoreForgot
		}
	case first.Place() != second.Place() && es.sameServer(first.Place(), second.Place()) &&
		(first.Seq < second.Seq || es.promotedLast(first.Place(), second.Seq)):
		if es.replacedBy(first.Place(), first.At) || es.replacedBy(second.Place(), second.At) {
			return model.TwoMasters
		}
		return model.StoreForgot // the second was drawn where the first was not known
	case first.Seq < second.Seq:
		if es.forgot(first.Seq, second.Seq) {
			return model.StoreForgot
		}
		return model.TokenApart
	}
	if cause := es.causeNotHeldBy(a, to); storeLost(cause) {
		return cause
	}
	return model.TokenApart
}

// promotedLast reports whether of all places this one was promoted last before an event.
func (es *Endings) promotedLast(place string, seq int64) bool {
	last := ""
	for i := range es.h.Observations {
		if o := &es.h.Observations[i]; o.Kind == model.Promoted && o.Seq < seq {
			last = o.Place()
		}
	}
	return last == place
}

// drawn is the observation of the last write of an Acquire that showed its token, to
// the key if one is named; or nil.
func (es *Endings) drawn(x *model.Operation, key string) (draw *model.Observation) {
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

// unlessStale is the cause of what an operation did by an event, unless a follower had shown it something of the
// lock's record before that was not what the store had then.
func (es *Endings) unlessStale(cause string, op *model.Operation, until int64) string {
	if op != nil && es.shownOther(op, until) {
		return model.StaleRead
	}
	return cause
}

// unlooked says why a client accesses the resource when its lease has ended before:
// its clock may have told it otherwise.
func (es *Endings) unlooked(x *model.Operation, end time.Duration, at model.Stamp) string {
	if off := es.clockError(x.Client, x.Call.At, at); off > 0 && off >= at.At-end {
		return model.ClientClockOff
	}
	return model.HeldTooLong // one look would have told
}

// causeOfUntruth says why an operation of an acquisition that reported success did not
// leave it with the lock: empty if the store had granted it until the return, or it
// cannot be told; and when the lease had ended that it was granted, if it had.
func (es *Endings) causeOfUntruth(op, x *model.Operation, key string) (cause string, ended time.Duration) {
	at := op.Return
	parts := es.parts(x, key, at)
	if endedBy(parts, unclear) != nil || len(parts) == 0 && es.holderUnsure(x, key, at) {
		return "", 0
	}
	if e, ever := es.together(parts, unlessTaken); ever && e > at.At {
		return "", 0
	}
	ended, ever := es.grantedTo(parts)
	switch r := es.h.Operation(es.releasedBy(x.ID)); {
	case !ever:
		return model.NeverGranted, 0
	case r != nil && r.Call.Seq < at.Seq:
		return "", 0
	case ended > at.At:
		return model.RemovedByItself, 0
	case es.ran(op.Client, ended, at.At) <= moment+es.clockError(op.Client, x.Call.At, at):
		return "", 0
	case op.Kind == model.Extend:
		return model.ExtendedTooLate, ended
	}
	return model.AcquiredTooLate, ended
}

// graver returns the cause that decides between two: a certain fault, or else a
// limit, or else not-established. If both are of one class it is the first; the
// empty cause is none.
func graver(a, b string) string {
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
