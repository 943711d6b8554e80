package checker

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// claim is a [model.Claim]: a stretch in which a client may believe that it
// holds the lock.
type claim struct {
	op    *model.Operation
	start model.Stamp
	// stop is the first event that ends the claim; zero if there is none.
	stop model.Stamp
	// until is the end by the clock, if there is one (timed).
	until time.Duration
	timed bool
}

// claimsOf are the claims of the history, in the order in which they begin.
func claimsOf(h *model.History) []claim {
	all := model.Claims(h)
	claims := make([]claim, len(all))
	for i, c := range all {
		claims[i] = claim{op: c.Acquire, start: c.Start, stop: c.Stop, until: c.Until, timed: c.Timed}
	}
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Compare(a.start.Seq, b.start.Seq)
	})
	return claims
}

// stands is [model.Claim.Stands].
func (c *claim) stands(at model.Stamp) bool {
	m := model.Claim{Start: c.start, Stop: c.stop, Until: c.until, Timed: c.timed}
	return m.Stands(at)
}

// untilAt is [model.Claim.UntilAt].
func (j *Judge) untilAt(c *claim, at model.Stamp) time.Duration {
	return (&model.Claim{Acquire: c.op}).UntilAt(j.h, at)
}

// claimAt returns the acquisition's claim that stands at the place, or nil.
func (j *Judge) claimAt(acquisition *model.Operation, at model.Stamp) *claim {
	for _, i := range j.claimsOf(acquisition.ID) {
		if c := &j.claims[i]; c.stands(at) {
			return c
		}
	}
	return nil
}

// end returns the end of the claim: a time with the last event before it if
// the clock ended the claim, the end of the history if nothing did.
func (j *Judge) end(c *claim) model.Stamp {
	end := c.stop
	if !end.Happened() {
		end = j.h.End
	}
	if c.timed && c.until < end.At {
		return j.stampAt(c.until)
	}
	return end
}

const noneAcquired = "No Acquire succeeded."

func sameThread(a, b *model.Operation) bool {
	return a.Client == b.Client && a.Thread == b.Thread
}

// writesLock reports whether what such an operation writes is a lock: Acquire
// does, and an Extend that writes the value anew.
func writesLock(kind model.OpKind) bool {
	return kind == model.Acquire || kind == model.Extend
}
