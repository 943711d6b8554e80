package explore

import (
	"fmt"
	"slices"
)

// A run that leaks goroutines is judged like any other. It costs a worker process,
// and the search goes on. Only the first such trouble is kept, with the schedules
// of the others.

// leaked reports whether a trouble is a leak.
func leaked(t Trouble) bool { return t.Leaked }

// maxTape is the most choices of the tape that is kept of a run that did not finish. A
// trace has not room for many more, and who reads one gains little.
const maxTape = 250_000

// short returns the trouble without its tape, if that is too long to be kept; the reason says it.
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

// movedTroubles returns the troubles with the numbers of their schedules moved, and
// likewise the leaks.
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
