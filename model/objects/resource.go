package objects

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// passes reports whether the fence admits an access, and returns the fence after
// it: the access's token must not be lower than any seen before. An access without a
// token passes.
func (f fence) passes(c *model.Call) (fence, bool) {
	switch {
	case !c.Fenced:
		return f, true
	case f.given && c.Token < f.last:
		return f, false
	}
	return fence{c.Token, true}, true
}

// access applies an access of a resource behind a fence. It returns the fence after it,
// whether the access takes effect, and whether the answer is legal. Able is set if the
// resource could serve it.
//
//   - Ok: its token was not lower than any before, and the resource was able.
//   - Failed and Refused: one of the two does not hold. Failed: always legal, without
//     effect.
//   - Unknown: it took effect if it could.
//
// An access that the resource refuses for lack of stock has passed the fence, so its
// token counts as seen.
func (f fence) access(c *model.Call, out model.Outcome, able bool) (next fence, done, legal bool) {
	next, passed := f.passes(c)
	may := passed && able
	switch {
	case out == model.Failed && !c.Refused:
		return f, false, true
	case out == model.Failed:
		return next, false, !may
	}
	return next, may, may || out == model.Unknown
}

// value is the state of a [model.KindRegister] or a [model.KindCounter]: a number behind a
// fence.
//
//   - Read, ok: the value was the one that was answered.
//   - Write, ok: the value is N.
//   - Cas, ok: the value was the expected one, and is N. Refused: it was another
//     (or the token was too low).
//   - Add, ok: the value is N more (or less), and the sum is what was answered,
//     if a value was.
//
// Every access, reads too, carries the token if the lock has one; the fence refuses those
// that are lower than one before. (If only writes were checked, a client that reads, is
// paused and then writes could still lose an update.)
type value struct {
	number int64
	fence
}

func (v value) Equal(other value) bool { return v == other }
func (v value) Hash() uint64           { return uint64(v.fence.digest(newDigest.int(v.number))) }

func (v value) String() string {
	if !v.given {
		return fmt.Sprint(v.number)
	}
	return fmt.Sprintf("%d, %s", v.number, v.fence)
}

func stepValue(v value, a Action, out model.Outcome) (value, bool) {
	c := a.Call
	next, done, legal := v.access(c, out, c.Op != model.Cas || c.Expected == v.number)
	v.fence = next
	switch {
	case !done:
		return v, legal
	case c.Op == model.Write || c.Op == model.Cas:
		v.number = c.N
	case c.Op == model.Add:
		v.number += c.N
	}
	return v, out != model.OK || !c.Valued || c.Op == model.Write || c.Value == v.number
}

// stock is the state of a [model.KindStock]: the amount in each segment, behind one
// fence.
//
//   - Take of n from a segment, ok: it had so many, and has so many less.
//     Refused: it had fewer (or the token was too low).
//   - Put of n into a segment, ok: it has so many more.
//   - Read of a segment, ok: it had what was answered.
//
// So nothing is oversold, and nothing is stranded: an order that a segment
// refused could not have been served by it.
type stock struct {
	segments []int64 // never changed, only replaced
	fence
}

func (s stock) Equal(other stock) bool {
	return s.fence == other.fence && slices.Equal(s.segments, other.segments)
}

func (s stock) Hash() uint64 {
	d := s.fence.digest(newDigest)
	for _, n := range s.segments {
		d = d.int(n)
	}
	return uint64(d)
}

func (s stock) String() string {
	if !s.given {
		return fmt.Sprint(s.segments)
	}
	return fmt.Sprintf("%v, %s", s.segments, s.fence)
}

func stepStock(s stock, a Action, out model.Outcome) (stock, bool) {
	c := a.Call
	next, done, legal := s.access(c, out, c.Op != model.Take || s.segments[c.Segment] >= c.Amount())
	s.fence = next
	if !done {
		return s, legal
	}
	switch c.Op {
	case model.Read:
		return s, out != model.OK || !c.Valued || c.Value == s.segments[c.Segment]
	case model.Take:
		s.segments = slices.Clone(s.segments)
		s.segments[c.Segment] -= c.Amount()
	case model.Put:
		s.segments = slices.Clone(s.segments)
		s.segments[c.Segment] += c.Amount()
	}
	return s, true
}
