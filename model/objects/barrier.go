package objects

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// barrier is the state of a [model.KindBarrier]: the number of arrivals, and the
// generations of those who have not been let go yet.
//
// An Await takes effect at two instants: it arrives (Enter), and it is let go (Leave),
// when all parties of its generation have arrived. The next arrival is the first of the
// next generation.
//
//   - Await, ok: both. If it returned a generation (Value), it is the one in
//     which it arrived, from 0.
//   - Failed: it did not arrive, or it left before the others arrived, and is not
//     counted.
//   - Unknown: it arrived, at any time from its call on, or never.
//
// Unlike Java's CyclicBarrier, a barrier does not break when a waiter gives up: it
// waits for another in its place.
type barrier struct {
	arrived int64
	waiting []arrival // by ID; never changed, only replaced
}

// arrival is an Await that has arrived.
type arrival struct {
	id         int
	generation int64
}

func (b barrier) Equal(other barrier) bool {
	return b.arrived == other.arrived && slices.Equal(b.waiting, other.waiting)
}

func (b barrier) Hash() uint64 {
	d := newDigest.int(b.arrived)
	for _, w := range b.waiting {
		d = d.int(int64(w.id)).int(w.generation)
	}
	return uint64(d)
}

func (b barrier) String() string {
	s := fmt.Sprintf("%d arrived in all", b.arrived)
	for i, w := range b.waiting {
		if i == 0 {
			s += "; to be let go:"
		}
		s += fmt.Sprintf(" #%d (generation %d)", w.id, w.generation)
	}
	return s
}

func stepBarrier(parties int64) func(barrier, Action, model.Outcome) (barrier, bool) {
	return func(b barrier, a Action, out model.Outcome) (barrier, bool) {
		c := a.Call
		i, here := slices.BinarySearchFunc(b.waiting, c.ID, func(w arrival, id int) int { return w.id - id })
		switch a.Part {
		case Enter:
			if out == model.OK { // the others are not let go
				b.waiting = slices.Insert(slices.Clone(b.waiting), i, arrival{c.ID, b.arrived / parties})
			}
			b.arrived++
			return b, true
		case Leave:
			if !here || b.arrived < (b.waiting[i].generation+1)*parties || c.Valued && c.Value != b.waiting[i].generation {
				return b, false
			}
			b.waiting = slices.Delete(slices.Clone(b.waiting), i, i+1)
		}
		return b, true // it failed
	}
}
