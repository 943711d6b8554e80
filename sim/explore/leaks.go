package explore

import (
	"fmt"
	"slices"
)

// A run that leaks goroutines is judged like any other. It costs a worker process, and
// the search goes on. The trouble of the first such run is kept, and the schedules of
// all.

// leaked reports whether a trouble is a leak.
func leaked(t Trouble) bool { return t.Leaked }

// maxTape is the largest number of choices of a tape that is kept for a run that did
// not finish. A trace has no room for many more, and longer tapes help nobody.
const maxTape = 250_000

// short returns the trouble without its tape if that is too long to be kept, and adds that to the
// reason.
func (t Trouble) short() Trouble {
	if n := len(t.Tape); n > maxTape {
		t.Tape = nil
		t.Reason += fmt.Sprintf("; its tape of %d choices is not kept", n)
	}
	return t
}

// trouble notes a run that did not finish.
func (t *Tally) trouble(x Trouble) {
	x = x.short()
	if x.Leaked {
		t.Leaked = append(t.Leaked, x.Schedule)
		if slices.ContainsFunc(t.Troubles, leaked) {
			return
		}
	}
	t.Troubles = append(t.Troubles, x)
}

// joinTroubles adds the troubles of a later tally.
func (t *Tally) joinTroubles(later *Tally) {
	for _, x := range later.Troubles {
		if !x.Leaked || !slices.ContainsFunc(t.Troubles, leaked) {
			t.Troubles = append(t.Troubles, x)
		}
	}
	t.Leaked = append(t.Leaked, later.Leaked...)
}

// movedTroubles returns the troubles and the leaks with a number added to their
// schedules.
func (t *Tally) movedTroubles(by int) (troubles []Trouble, leaks []int) {
	troubles, leaks = slices.Clone(t.Troubles), slices.Clone(t.Leaked)
	for i := range troubles {
		troubles[i].Schedule += by
	}
	for i := range leaks {
		leaks[i] += by
	}
	return troubles, leaks
}
