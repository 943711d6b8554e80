package objects

import "github.com/lockpick-dev/lockpick/model"

// semaphore is the state of a [model.KindSemaphore]: some of its permits are
// granted.
//
//   - Acquire of n, ok: n permits were free. A try that failed: they were not.
//     Unknown: it took them if they were.
//   - Release of n, ok: the hold that it names had so many, or the holds of the
//     owner who calls had together, and these are free; of several holds those
//     of the greatest IDs are given up first. Failed or unknown: the same, of
//     as many as it had.
//   - Lapse: all that is left of that hold is free.
//
// This is Jepsen's AcquiredPermitsModel, which takes and gives back one at a
// time, on calls that succeeded. Redisson's semaphore does not
// check that a client that releases permits had any, so it can get more permits than
// it began with: that is illegal here.
type semaphore struct{ grants }

func (s semaphore) Equal(other semaphore) bool { return s.grants.Equal(other.grants) }
func (s semaphore) Hash() uint64               { return uint64(s.digest()) }

func (s semaphore) String() string {
	if len(s.grants) == 0 {
		return "all free"
	}
	return "held by " + s.grants.String()
}

func stepSemaphore(permits int64) func(semaphore, Action, model.Outcome) (semaphore, bool) {
	return func(s semaphore, a Action, out model.Outcome) (semaphore, bool) {
		c := a.Call
		switch {
		case a.Part == Lapse:
			return semaphore{s.without(func(x grant) bool { return x.lapses(a) })}, true
		case c.Op == model.Release:
			next, legal := s.release(c, out)
			return semaphore{next}, legal
		}
		may := s.total("")+c.Amount() <= permits
		switch {
		case out == model.Failed:
			return s, !c.Try || !may
		case may:
			return semaphore{s.with(grant{hold: hold{c.ID, c.Holder()}, n: c.Amount()})}, true
		}
		return s, out == model.Unknown
	}
}

// release applies a Release. It returns the next grants, and whether the answer is
// legal.
func (g grants) release(c *model.Call, out model.Outcome) (grants, bool) {
	has := int64(0)
	for i := range g {
		if g[i].meant(c) {
			has += g[i].n
		}
	}
	if out == model.OK && has < c.Amount() {
		return g, false
	}
	left := min(has, c.Amount())
	for i := len(g) - 1; left > 0; i-- {
		if x := g[i]; x.meant(c) {
			n := min(x.n, left)
			x.n -= n
			left -= n
			g = g.where(i, x)
		}
	}
	return g, true
}
