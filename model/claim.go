package model

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Claim is a stretch of a run in which a client may believe that it holds the
// lock: from the return of its Acquire to the earliest of its call of Release,
// the end of validity by its own clock (Until), the signal that the lease is
// lost (Lost) and its crash. Without any of these it runs to the end of the
// history.
//
// All of these except Until are events, and are compared by their numbers. Until is a
// time, and is compared as one. If the client's clock jumps ahead, Until comes earlier
// by as much, but not before the jump. A jump back does not make it later: the client
// learns of that when it looks at its lease again. But jumps ahead first make up for it.
//
// An acquisition has one claim, unless its lease was extended after it had run out.
// Then another claim begins where the client learns of the new end; between the two
// the client did not believe that it holds the lock.
type Claim struct {
	// Acquire is the operation in the history that began the claim.
	Acquire *Operation
	// Start is the return of Acquire, or the place where the client learnt that a lease
	// that had run out was extended.
	Start Stamp
	// Stop is the first event that ends the claim, and Stopped its kind; zero and
	// empty if there is none.
	Stop    Stamp
	Stopped ClaimStop
	// Until is the end of the lease by the client's clock, in the run's time. Timed is
	// set if the lease has one.
	Until time.Duration
	Timed bool
}

// ClaimStop is the kind of event that ends a claim.
type ClaimStop string

// The events that end claims.
const (
	StopReleased ClaimStop = "released" // the call of the first Release
	StopLost     ClaimStop = "lost"     // the signal that the lease is lost
	StopCrashed  ClaimStop = "crashed"  // the crash of the process
)

// Stands reports whether the claim is active at a stamp. A claim is active at its start
// and not at its end. If the lease ran out before Acquire returned, it is never active.
func (c *Claim) Stands(at Stamp) bool {
	if at.Seq < c.Start.Seq || c.Stop.Happened() && at.Seq >= c.Stop.Seq {
		return false
	}
	return !c.Timed || at.At < c.Until
}

// UntilAt returns the end of the lease by the client's clock, as the client knew it at
// a stamp within the claim: later extensions do not count.
func (c *Claim) UntilAt(h *History, at Stamp) time.Duration {
	until := c.Acquire.Until
	for i := c.Acquire.ID; i < len(h.Operations); i++ {
		next := &h.Operations[i]
		if next.Call.Seq > at.Seq {
			break
		}
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

// claimReader is a history, indexed for finding its claims.
type claimReader struct {
	h        *History
	acquired int // how many Acquires returned OK
	// released has, by the ID of an acquisition, the call of its first Release.
	released []Stamp
	// The operations that prolonged a lease form a list: renewed has the first of each acquisition, by its ID, and next
	// the one after each operation, by its ID; 0 if there is none. Both are nil if no lease was prolonged.
	renewed, next []int32
	// crashes and jumps are the crashes of each process, and the jumps of its clock, in their order.
	crashes map[string][]Stamp
	jumps   map[string][]jump
}

// jump is a jump of a clock that runs at a rate.
type jump struct {
	Stamp
	ahead time.Duration
	rate  float64
}

func newClaimReader(h *History) *claimReader {
	r := &claimReader{h: h, released: make([]Stamp, len(h.Operations)+1)}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.acquired() {
			r.acquired++
		}
		if op.Kind == Release && h.Operation(op.Acquisition) != nil {
			first := &r.released[op.Acquisition]
			if !first.Happened() || op.Call.Seq < first.Seq {
				*first = op.Call
			}
		}
	}
	r.listRenewals()
	r.listStrikes()
	return r
}

// listRenewals finds the operations that prolonged a lease.
func (r *claimReader) listRenewals() {
	n := len(r.h.Operations)
	for i := n - 1; i >= 0; i-- {
		op := &r.h.Operations[i]
		if _, ok := op.renewal(); !ok || r.h.Operation(op.Acquisition) == nil {
			continue
		}
		if r.renewed == nil {
			r.renewed, r.next = make([]int32, n+1), make([]int32, n+1)
		}
		r.next[i+1], r.renewed[op.Acquisition] = r.renewed[op.Acquisition], int32(i+1)
	}
}

// listStrikes finds the crashes of processes and the jumps of clocks.
func (r *claimReader) listStrikes() {
	rates := map[string]float64{} // without 1
	for i := range r.h.Observations {
		switch o := &r.h.Observations[i]; o.Kind {
		case Crashed:
			if r.crashes == nil {
				r.crashes = map[string][]Stamp{}
			}
			r.crashes[o.Node] = append(r.crashes[o.Node], o.Stamp)
		case ClockOff:
			rates[o.Node] = float64(o.Rate) / 1e6
		case ClockJumped:
			if o.Unread {
				continue
			}
			if r.jumps == nil {
				r.jumps = map[string][]jump{}
			}
			r.jumps[o.Node] = append(r.jumps[o.Node], jump{o.Stamp, o.Ahead, 1 + rates[o.Node]})
		}
	}
}

// behind returns the elements of a list, in the order of events, that follow an event.
func behind[T any](list []T, seq int64, of func(T) int64) []T {
	n, _ := slices.BinarySearchFunc(list, seq+1, func(x T, seq int64) int { return cmp.Compare(of(x), seq) })
	return list[n:]
}

// claimsOf appends the claims of an Acquire that returned OK.
func (r *claimReader) claimsOf(op *Operation, claims []Claim) []Claim {
	c := Claim{Acquire: op, Start: op.Return, Until: op.Until, Timed: op.Leased}
	c.stopAt(r.released[op.ID], StopReleased)
	c.stopAt(op.Lost, StopLost)
	if later := behind(r.crashes[op.Client], op.Call.Seq, func(s Stamp) int64 { return s.Seq }); len(later) > 0 {
		c.stopAt(later[0], StopCrashed)
	}
	if !c.Timed {
		return append(claims, c)
	}
	if r.renewed == nil {
		c.Until = r.shifted(&c, op.Return, r.end())
		return append(claims, c)
	}
	learnt := op.Return
	for i := r.renewed[op.ID]; i != 0; i = r.next[i] {
		next := &r.h.Operations[i-1]
		at, _ := next.renewal()
		if int(i) <= op.ID || c.Stop.Happened() && at.Seq > c.Stop.Seq {
			continue
		}
		c.Until = r.shifted(&c, learnt, at)
		learnt = at
		if c.Until <= at.At {
			claims = append(claims, c)
			c.Start, c.Until = at, next.Until
			continue
		}
		// An end that is earlier than the one before cannot end the claim before the
		// client learns of it.
		c.Until = max(next.Until, at.At)
	}
	c.Until = r.shifted(&c, learnt, r.end())
	return append(claims, c)
}

// end is a stamp after all others.
func (r *claimReader) end() Stamp { return Stamp{Seq: math.MaxInt64} }

// shifted returns the claim's end in the run's time. If the client's clock jumped ahead
// after the client learnt of the end, it is earlier by as much, but not before the jump.
func (r *claimReader) shifted(c *Claim, learnt, until Stamp) time.Duration {
	end, back := c.Until, time.Duration(0)
	for _, o := range behind(r.jumps[c.Acquire.Client], learnt.Seq, func(o jump) int64 { return o.Seq }) {
		if o.Seq >= until.Seq || o.At >= end {
			break
		}
		end = max(end-time.Duration(float64(max(o.ahead-back, 0))/o.rate), o.At)
		back = max(back-o.ahead, 0)
	}
	return end
}

// renewal returns when the client learnt of a new end of its lease by the operation: an
// Extend that returned OK, or an access before which the client looked at its lease. ok
// is false if it learnt of none.
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

// stopAt ends the claim at a stamp, unless it ended before. It ignores the zero Stamp.
func (c *Claim) stopAt(s Stamp, why ClaimStop) {
	if s.Happened() && (!c.Stop.Happened() || s.Seq < c.Stop.Seq) {
		c.Stop, c.Stopped = s, why
	}
}
