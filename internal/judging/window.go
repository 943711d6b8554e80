package judging

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Window is the part of an object's calls that a picture has room for.
type Window struct {
	// Calls are in the order in which they were called.
	Calls []Shown
	// After is the number of calls left out after the last one. PartLeft is the number of calls of the shortest part that are
	// left out.
	After, PartLeft int
}

// Shown is a call of a window, as it was recorded.
type Shown struct {
	*model.Call
	// Part is set if it belongs to the shortest illegal part, and Decides if it decides the violation.
	Part, Decides bool
	// Open is set if the part is illegal however the call ended: the call counts as not returned.
	Open bool
	// Skipped is the number of calls left out before it.
	Skipped int
}

// The size of a window: of all calls, and of those of the shortest part.
const (
	mostWindow = 26
	mostPart   = 10
)

// Window returns the window of an object: for a violation the shortest illegal part, or the
// end of it, with some calls around each; else the first calls.
func (j *Judgement) Window(v *Object) Window {
	calls := v.inOrder()
	place := make(map[int]int, len(calls))
	for i := range calls {
		place[calls[i].ID] = i
	}
	part, left := j.part(v)
	chosen := make(map[int]bool, mostWindow)
	var middles []int
	for i := range part {
		if left == 0 || slices.Contains(v.Violation.Calls, part[i].ID) {
			middles = append(middles, place[part[i].ID])
		}
		chosen[place[part[i].ID]] = true
	}
	if len(middles) == 0 {
		middles = []int{0} // and the calls after them
	}
	around(chosen, middles, len(calls))
	w := Window{PartLeft: left}
	skipped := 0
	for i := range calls {
		if !chosen[i] {
			skipped++
			continue
		}
		s := Shown{Call: j.Call(calls[i].ID), Skipped: skipped, Decides: v.Violation != nil && slices.Contains(v.Violation.Calls, calls[i].ID)}
		if n := slices.IndexFunc(part, func(c model.Call) bool { return c.ID == calls[i].ID }); n >= 0 {
			s.Part, s.Open = true, part[n].Pending() && !s.Pending()
		}
		w.Calls = append(w.Calls, s)
		skipped = 0
	}
	w.After = skipped
	return w
}

// inOrder returns the calls of an object in the order in which they were called: a crash of a client that concerns all
// objects comes after the others.
func (v *Object) inOrder() []*model.Call {
	calls := make([]*model.Call, len(v.Calls))
	for i := range calls {
		calls[i] = &v.Calls[i]
	}
	slices.SortStableFunc(calls, func(a, b *model.Call) int { return cmp.Compare(a.Call, b.Call) })
	return calls
}

// part returns the calls of the shortest part that a window shows, and the number left out: the deciding ones are chosen
// first, and then the last ones.
func (j *Judgement) part(v *Object) (part []model.Call, left int) {
	if v.Violation == nil || len(v.Shortest) <= mostPart {
		return v.Shortest, 0
	}
	decides := func(c model.Call) bool { return slices.Contains(v.Violation.Calls, c.ID) }
	list := slices.Clone(v.Shortest)
	slices.SortStableFunc(list, func(a, b model.Call) int {
		return cmp.Or(-cmp.Compare(rank(decides(a)), rank(decides(b))), -cmp.Compare(a.Call, b.Call))
	})
	return list[:mostPart], len(list) - mostPart
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// around adds to the chosen places those nearest to the middles, until a window is full or none is left. places is the
// number of all places.
func around(chosen map[int]bool, middles []int, places int) {
	for d := 0; d < places && len(chosen) < min(mostWindow, places); d++ {
		for _, m := range middles {
			for _, at := range []int{m - d, m + d} {
				if at >= 0 && at < places && len(chosen) < mostWindow {
					chosen[at] = true
				}
			}
		}
	}
}
