package causes

import (
	"cmp"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Plainer compares two counterexamples by how unusual their runs are: first those without a fault and without optional
// behaviour, then by the number of deviations, and at equal numbers by how familiar the faults are. Which process goes
// first, or whose segment is slower, differs in every run in production: a bug that needs no more comes first, however
// many such choices it takes.
func Plainer(a, b *traces.Trace) int {
	return cmp.Or(
		FalseFirst(!ordinary(a), !ordinary(b)),
		cmp.Compare(unusual(a), unusual(b)),
		cmp.Compare(unfamiliar(a), unfamiliar(b)),
	)
}

// ordinary reports whether a run has neither a fault nor optional behaviour.
func ordinary(t *traces.Trace) bool { return unfamiliar(t) == 0 && optional(t) == 0 }

// unusual counts the differences from a calm run of the plain workload: each deviation once, and each optional behaviour
// twice.
func unusual(t *traces.Trace) int { return explore.CountDeviations(t.Tape) + 2*optional(t) }

// optional counts the optional behaviours of a workload: releasing twice, and holding for longer than a lease.
func optional(t *traces.Trace) (n int) {
	for _, p := range t.Parameters {
		if (p.Name == "again" || p.Name == "long-holds") && p.Value != "0" {
			n++
		}
	}
	return n
}

// unfamiliar returns the rank of the least familiar fault of a run, 0 if it has none.
func unfamiliar(t *traces.Trace) (n int) {
	for _, c := range t.Tape {
		if explore.IsDeviation(c) {
			n = max(n, faults.Unfamiliar(c.Kind))
		}
	}
	return n
}

// everyday reports whether all faults of a run are familiar ones.
func everyday(t *traces.Trace) bool { return unfamiliar(t) <= faults.Everyday }
