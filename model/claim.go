package model

import (
	"math"
	"time"
)

// Claim is a stretch of a run in which a client may believe that it holds the
// lock: from the return of its Acquire to the earliest of its call of Release,
// the end of validity by its own clock (Until), the signal that the lease is
// lost (Lost) and its crash. Without any of these it runs to the end of the
// history.
//
// All of these except Until are events, and are compared by their numbers. Until
// has no event; it is compared as a time. If the client's clock jumps ahead, Until comes
// earlier by as much, but not before the jump. A jump back does not make it later: the
// client learns of that when it looks at its lease again.
//
// An acquisition has one claim, unless its lease was extended after it had run out.
// Then another claim begins where the client learns of the new end; between the two
// the client did not believe that it holds the lock.
type Claim struct {
	// Acquire is the operation that the claim rests on, in the history.
	Acquire *Operation
	// Start is the return of Acquire, or where the client learnt that a lease
	// which had run out goes on.
	Start Stamp
	// Stop is the first event that ends the claim, and Stopped its kind; zero and
	// empty if there is none.
	Stop    Stamp
	Stopped ClaimStop
	// Until is the end by the client's clock, in the run's time, if the lease
	// has one (Timed).
	Until time.Duration
	Timed bool
}

// ClaimStop is which event ends a claim.
type ClaimStop string

// The events that end claims.
const (
	StopReleased ClaimStop = "released" // the call of the first Release
	StopLost     ClaimStop = "lost"     // the signal that the lease is lost
	StopCrashed  ClaimStop = "crashed"  // the crash of the process
)

// Stands reports whether the claim stands at the place. A claim stands at its
// start and no longer stands at its end. One that has ended before it starts
// (the lease ran out before Acquire returned) never stands.
func (c *Claim) Stands(at Stamp) bool {
	if at.Seq < c.Start.Seq || c.Stop.Happened() && at.Seq >= c.Stop.Seq {
		return false
	}
	return !c.Timed || at.At < c.Until
}

// UntilAt is the end by the client's clock as the client knew it at a place within
// the claim: later extensions do not count.
func (c *Claim) UntilAt(h *History, at Stamp) time.Duration {
	until := c.Acquire.Until
	for i := c.Acquire.ID; i < len(h.Operations); i++ {
		next := &h.Operations[i]
		learnt, ok := next.renewal()
		if !ok || next.Acquisition != c.Acquire.ID || learnt.Seq > at.Seq {
			continue
		}
		until = max(next.Until, learnt.At)
	}
	return until
}

// Claims returns the claims of all Acquires that returned OK, in the order of the
// Acquires' calls, and those of one acquisition in the order of their starts. They
// point into the history.
func Claims(h *History) []Claim {
	r := newClaimReader(h)
	all := make([]Claim, 0, r.acquired)
	for i := range h.Operations {
		if op := &h.Operations[i]; op.acquired() {
			all = r.claimsOf(op, all)
		}
	}
	return all
}

// acquired reports whether the operation is an Acquire that returned with the
// lock.
func (o *Operation) acquired() bool {
	return o.Kind == Acquire && o.Result == OK && o.Return.Happened()
}

// claimReader is a history, with what all of its claims need to know of it.
type claimReader struct {
	h        *History
	acquired int  // how many Acquires returned OK
	renewed  bool // whether any lease was prolonged
	// released has, by the ID of an acquisition, the call of its first Release.
	released []Stamp
	crashes  []*Observation
	clocks   []*Observation // clocks that jump, and clocks that are off
}

func newClaimReader(h *History) *claimReader {
	r := &claimReader{h: h, released: make([]Stamp, len(h.Operations)+1)}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.acquired() {
			r.acquired++
		}
		if _, ok := op.renewal(); ok {
			r.renewed = true
		}
		if op.Kind == Release && h.Operation(op.Acquisition) != nil {
			first := &r.released[op.Acquisition]
			if !first.Happened() || op.Call.Seq < first.Seq {
				*first = op.Call
			}
		}
	}
	for i := range h.Observations {
		switch o := &h.Observations[i]; o.Kind {
		case Crashed:
			r.crashes = append(r.crashes, o)
		case ClockJumped, ClockOff:
			r.clocks = append(r.clocks, o)
		}
	}
	return r
}

// claimsOf appends the claims of an Acquire that returned OK.
func (r *claimReader) claimsOf(op *Operation, claims []Claim) []Claim {
	c := Claim{Acquire: op, Start: op.Return, Until: op.Until, Timed: op.Leased}
	c.stopAt(r.released[op.ID], StopReleased)
	c.stopAt(op.Lost, StopLost)
	for _, o := range r.crashes {
		if o.Node == op.Client && o.Seq > op.Call.Seq {
			c.stopAt(o.Stamp, StopCrashed)
			break
		}
	}
	if !c.Timed {
		return append(claims, c)
	}
	if !r.renewed {
		c.Until = r.shifted(&c, op.Return, r.end())
		return append(claims, c)
	}
	learnt := op.Return
	for i := op.ID; i < len(r.h.Operations); i++ {
		next := &r.h.Operations[i]
		at, ok := next.renewal()
		if !ok || next.Acquisition != op.ID || c.Stop.Happened() && at.Seq > c.Stop.Seq {
			continue
		}
		c.Until = r.shifted(&c, learnt, at)
		learnt = at
		if c.Until <= at.At {
			claims = append(claims, c)
			c.Start, c.Until = at, next.Until
			continue
		}
		// An end that is earlier than the one before ends the claim where the
		// client learns of it, if not later: what it believed until then stands.
		c.Until = max(next.Until, at.At)
	}
	c.Until = r.shifted(&c, learnt, r.end())
	return append(claims, c)
}

// end is a stamp after all others.
func (r *claimReader) end() Stamp { return Stamp{Seq: math.MaxInt64} }

// shifted is the claim's end in the run's time if the client's clock has jumped ahead after
// the client learnt of that end: it comes earlier, but not before the jump.
func (r *claimReader) shifted(c *Claim, learnt, until Stamp) time.Duration {
	end, rate := c.Until, 1.0
	for _, o := range r.clocks {
		switch {
		case o.Node != c.Acquire.Client:
			continue
		case o.Kind == ClockOff:
			rate = 1 + float64(o.Rate)/1e6
		case o.Seq > learnt.Seq && o.Seq < until.Seq && o.At < end && o.Ahead > 0:
			end = max(end-time.Duration(float64(o.Ahead)/rate), o.At)
		}
	}
	return end
}

// renewal returns when the client learnt of a new end of its lease through the
// operation, if it did: by an Extend that returned OK, or by its look at the
// lease before an access.
func (o *Operation) renewal() (at Stamp, ok bool) {
	switch {
	case !o.Leased:
		return at, false
	case o.Kind == Extend:
		return o.Return, o.Result == OK && o.Return.Happened()
	case o.Kind == Read, o.Kind == Write:
		return o.Call, true
	}
	return at, false
}

// stopAt ends the claim at the event, unless it ended before; the zero Stamp
// is no event.
func (c *Claim) stopAt(s Stamp, why ClaimStop) {
	if s.Happened() && (!c.Stop.Happened() || s.Seq < c.Stop.Seq) {
		c.Stop, c.Stopped = s, why
	}
}
