package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// claim is the part of a run in which a client may believe that it holds the
// lock: from the return of its Acquire to the earliest of the call of its
// first Release, the end of validity by its own clock (Until), the signal that
// the lease is lost (Lost) and its crash. Without any of these it runs to the
// end of the history.
//
// All of these but one are events, and are compared by their numbers. The one
// is Until, which is a time and has no event; it is compared as a time, and
// ends the claim as well if it comes first.
type claim struct {
	op    *model.Operation
	start model.Stamp
	// stop is the first event that ends the claim; zero if there is none.
	stop model.Stamp
	// until is the end by the clock, if there is one (timed).
	until time.Duration
	timed bool
}

// claimsOf appends the claims of an Acquire that returned OK: one, unless its
// lease was prolonged (by Extend, or by itself, as the client saw when it
// looked before an access) when it had run out already. Then another begins. An
// end that has passed when the client learns of it ends the claim there: until
// then the client believed what it knew.
func (j *judge) claimsOf(op *model.Operation, claims []claim) []claim {
	c := j.claimOf(op)
	if !c.timed || !j.renewed {
		return append(claims, c)
	}
	for i := op.ID; i < len(j.h.Operations); i++ {
		r := &j.h.Operations[i]
		at, ok := renewal(r)
		if !ok || r.Acquisition != op.ID || c.stop.Happened() && at.Seq > c.stop.Seq {
			continue
		}
		if before := min(c.until, at.At); c.until <= at.At || r.Until <= at.At {
			old := c
			old.until = before
			claims = append(claims, old)
			c.start = at
		}
		c.until = r.Until
	}
	return append(claims, c)
}

// renewal returns when the client learnt of a new end of its lease through the
// operation, if it did.
func renewal(op *model.Operation) (at model.Stamp, ok bool) {
	switch {
	case !op.Leased:
		return at, false
	case op.Kind == model.Extend:
		return op.Return, op.Result == model.OK && op.Return.Happened()
	case op.Kind == model.Read, op.Kind == model.Write:
		return op.Call, true
	}
	return at, false
}

// claimOf returns the claim of an Acquire that returned OK, with the end that
// the lease had then.
func (j *judge) claimOf(op *model.Operation) claim {
	c := claim{op: op, start: op.Return, until: op.Until, timed: op.Leased}
	if r := j.h.Operation(j.released[op.ID]); r != nil {
		c.stopAt(r.Call)
	}
	c.stopAt(op.Lost)
	if len(j.crashes) > 0 {
		c.stopAt(j.crashAfter(op.Client, op.Call.Seq))
	}
	return c
}

// stopAt ends the claim at the event, unless it ended before; the zero Stamp
// is no event.
func (c *claim) stopAt(s model.Stamp) {
	if s.Happened() && (!c.stop.Happened() || s.Seq < c.stop.Seq) {
		c.stop = s
	}
}

// stands reports whether the claim stands at the place. A claim stands at its
// start and no longer stands at its end. One that has ended before it starts
// (the lease ran out before Acquire returned) never stands.
func (c *claim) stands(at model.Stamp) bool {
	if at.Seq < c.start.Seq || c.stop.Happened() && at.Seq >= c.stop.Seq {
		return false
	}
	return !c.timed || at.At < c.until
}

// end returns the end of the claim: a time with the last event before it if
// the clock ended the claim, the end of the history if nothing did.
func (j *judge) end(c *claim) model.Stamp {
	end := c.stop
	if !end.Happened() {
		end = j.h.End
	}
	if c.timed && c.until < end.At {
		return j.stampAt(c.until)
	}
	return end
}
