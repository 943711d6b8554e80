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
func (j *Judge) causeNotHeld(c *claim, at model.Stamp) (cause string) {
	key, ok := j.readable()
	if !ok {
		return j.guessCause(c, at)
	}
	parts := j.parts(c.op, key, at)
	if endedBy(parts, unclear) != nil || len(parts) == 0 && j.holderUnsure(c.op, key, at) {
		return j.guessCause(c, at)
	}
	if j.hasParts(parts, key, at.Seq) {
		return ""
	}
	cause, e := j.causeOfEnd(parts, at)
	if cause != "" {
		return cause
	}
	return j.causeAfterEnd(c, at, parts, e)
}

// causeNotHeldBy is causeNotHeld of the first claim of an acquisition.
func (j *Judge) causeNotHeldBy(x *model.Operation, at model.Stamp) string {
	for i := range j.claims {
		if c := &j.claims[i]; c.op == x {
			return j.causeNotHeld(c, at)
		}
	}
	return NotEstablished
}

// causeOfOverlap is the cause of two claims that overlap, the second of which begins at the
// given place: how the grant of the first ended or, if the store still has that, the
// grant of the second.
func (j *Judge) causeOfOverlap(a, b *claim, at model.Stamp) string {
	first, second := j.causeNotHeld(a, at), j.causeNotHeld(b, at)
	if first == "" && second == "" {
		return GrantedToBoth
	}
	return graver(first, second)
}

// hasParts reports whether the authority, or a quorum of the servers, has the parts
// right after the event.
func (j *Judge) hasParts(parts []part, key string, seq int64) bool {
	at := servingAt{Judge: j, key: key}
	for i := range j.h.Observations {
		if j.h.Observations[i].Seq > seq {
			break
		}
		at.see(&j.h.Observations[i])
	}
	var room [8]string
	servers := room[:0]
	for i := range parts {
		if p := &parts[i]; p.how == stands && at.leads(p.node, p.key) && !slices.Contains(servers, p.server) {
			servers = append(servers, p.server)
		}
	}
	return len(servers) >= j.quorum()
}

// causeOfEnd is the cause for which the store does not have the parts of a grant at a place.
// It is empty if they have run out as granted; ended is then when.
func (j *Judge) causeOfEnd(parts []part, at model.Stamp) (cause string, ended time.Duration) {
	if e, ever := j.together(parts, unlessForgotten); ever && e > at.At {
		if endedBy(parts, hurried) != nil && endedBy(parts, forgotten) == nil {
			return StoreClockJumped, 0
		}
		return j.causeOfLoss(parts, at), 0
	}
	if e, ever := j.together(parts, unlessTaken); ever && e > at.At {
		return j.causeOfRemoval(parts), 0
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

// causeOfLoss is the cause for which the store does not stand by a grant any more whose parts had neither run out at
// a place nor been removed: its records moved, none of them was granted by a node that nobody had replaced, or the
// store forgot them.
func (j *Judge) causeOfLoss(parts []part, at model.Stamp) string {
	cause := TwoMasters
	switch {
	case j.migrated(parts, at):
		cause = Migration
	case slices.ContainsFunc(parts, func(p part) bool { return unlessForgotten(&p) > at.At && !j.replacedBy(p.node, p.given) }):
		cause = StoreForgot
	}
	return j.unlessScattered(cause)
}

// causeOfRemoval is the cause for which a request of another acquisition removed parts of a grant: its fault, or that of
// the clock by which it waited.
func (j *Judge) causeOfRemoval(parts []part) string {
	p := endedBy(parts, takenAway)
	if p.until == noEnd && j.hurriedOn(p.node, p.key, p.over) {
		return ClientClockOff
	}
	return j.unlessStale(RemovedByAnother, j.h.Operation(p.over.By.Op), p.over.Seq)
}

// storeLost reports whether a cause is that the store does not stand any more by what it granted.
func storeLost(cause string) bool {
	return cause == StoreForgot || cause == TwoMasters || cause == Migration || cause == StoreClockJumped
}

// causeAfterEnd is the cause of a claim at a place where the lease has ended before, as
// granted.
func (j *Judge) causeAfterEnd(c *claim, at model.Stamp, parts []part, ended time.Duration) string {
	x := c.op
	off := j.clockError(x.Client, x.Call.At, at)
	if late, cause := j.reportedLate(x, ended, at, off); late {
		return cause
	}
	switch {
	case c.timed && j.untilAt(c, at) > ended+off:
		return ClaimedLonger
	case c.timed && off > 0:
		return ClientClockOff
	case c.timed:
		return NotEstablished // it had ended by itself
	case j.signalsLoss(x):
		switch late := j.unawareFor(c, parts, ended) > j.lossBound()+off; {
		case late && j.owesSignal(x, parts, ended):
			return j.unlessUsedUp(NotTold, x, parts, ended)
		case !late && brokenOff(parts, ended):
			return HolderCutOff
		}
	}
	if d, cause := j.clientDelay(x, renewedAt(parts, ended, asGranted), at.At); d > at.At-ended {
		return cause
	}
	if off > 0 && off >= at.At-ended {
		return ClientClockOff
	}
	return j.unlessUsedUp(HeldTooLong, x, parts, ended)
}

// unlessUsedUp is the cause for which a holder goes on after its lease, unless most of that had
// passed when it got the lock.
func (j *Judge) unlessUsedUp(cause string, x *model.Operation, parts []part, ended time.Duration) string {
	if j.usedUpOf(x, parts, ended) > 0 {
		return UsedUp
	}
	return cause
}

// guessCause is causeNotHeld where the store cannot be read. It goes by the faults of the
// store and of the client, and by the lease that was asked for.
func (j *Judge) guessCause(c *claim, at model.Stamp) string {
	x := c.op
	if j.nothingStored() {
		return NeverGranted
	}
	if forgets := j.forgetting(x.Call.Seq, at.Seq); forgets != "" {
		return j.unlessScattered(forgets)
	}
	if j.jumpedPast(x, at) {
		return StoreClockJumped
	}
	asked := j.asked(x, at.Seq)
	ended := asked + j.h.TTL
	switch {
	case c.timed && j.clockError(x.Client, x.Call.At, at) > 0:
		return ClientClockOff
	case c.timed || at.At < ended:
		return NotEstablished
	}
	if d, cause := j.clientDelay(x, asked, at.At); d > at.At-ended {
		return cause
	}
	return NotEstablished
}

// jumpedPast reports whether, at a place, a record of an acquisition was to be there yet, and its end had passed, since the
// clock of its node had jumped. A record without an end ends a lease after that was asked for: its end may be in the value.
func (j *Judge) jumpedPast(x *model.Operation, at model.Stamp) bool {
	ends := map[record]model.Observation{} // when it was written last
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > at.Seq {
			break
		}
		if o.Authority != "" && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) && j.acquisitionOf(o.By) == x.ID {
			ends[record{o.Place(), o.Key}] = *o
		}
	}
	for r, o := range ends { // unordered: any
		until := o.ExpiresAt
		if until == 0 {
			until = j.asked(x, at.Seq) + j.h.TTL
		}
		if until > at.At && until-j.jumped(r.place, given(&o).Seq, at.Seq) <= at.At {
			return true
		}
	}
	return false
}

// nothingStored reports whether the store was observed, as its nodes are known or an observation shows, and no record in
// it.
func (j *Judge) nothingStored() bool {
	return len(j.h.Observations)+len(j.o.Servers) > 0 && !slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool { return o.Kind.OfRecord() })
}

// causeOfToken says why b, which was granted the lock after a, has no greater token: the
// counter has been forgotten, or the lock before it; or the token was not drawn in
// the step of the grant.
func (j *Judge) causeOfToken(a, b *model.Operation) string {
	from, to := a.Return, b.Return
	if key := j.lockKey(); key != "" {
		if first, second := j.grant(a, key), j.grant(b, key); first != nil && second != nil {
			if from, to = first.Stamp, second.Stamp; to.Seq < from.Seq {
				// It was granted the lock before, and heard of it after.
				if cause := j.causeNotHeldBy(b, b.Return); cause != "" {
					return cause
				}
			}
		}
	}
	first, second := j.drawn(a, ""), j.drawn(b, "")
	if first != nil {
		second = j.drawn(b, first.Key)
	}
	switch {
	case first == nil || second == nil:
		if j.forgot(from.Seq, to.Seq) {
			return StoreForgot
		}
	case first.Place() != second.Place() && j.sameServer(first.Place(), second.Place()) &&
		(first.Seq < second.Seq || j.promotedLast(first.Place(), second.Seq)):
		if j.replacedBy(first.Place(), first.At) || j.replacedBy(second.Place(), second.At) {
			return TwoMasters
		}
		return StoreForgot // the second was drawn where the first was not known
	case first.Seq < second.Seq:
		if j.forgot(first.Seq, second.Seq) {
			return StoreForgot
		}
		return TokenApart
	}
	if cause := j.causeNotHeldBy(a, to); storeLost(cause) {
		return cause
	}
	return TokenApart
}

// promotedLast reports whether of all places this one was promoted last before an event.
func (j *Judge) promotedLast(place string, seq int64) bool {
	last := ""
	for i := range j.h.Observations {
		if o := &j.h.Observations[i]; o.Kind == model.Promoted && o.Seq < seq {
			last = o.Place()
		}
	}
	return last == place
}

// drawn is the observation of the last write of an Acquire that showed its token, to
// the key if one is named; or nil.
func (j *Judge) drawn(x *model.Operation, key string) (draw *model.Observation) {
	token := strconv.FormatInt(x.Token, 10)
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
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
