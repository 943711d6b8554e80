package explore

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// Partial-order reduction within a bound.
//
// Two runs that differ only in the order of independent events (see
// [sim.Trail]) are of one class, and all verdicts on them are the same; it is
// enough to run one of a class. The usual methods, persistent and sleep sets,
// choose which one by the order of exploration, and the one that they choose
// may need more deviations than the bound allows when another does not. So the
// one to keep is chosen here by its deviations.
//
// An order deviation lets an event go before others that are due in the same
// window, and would go first in a calm run: it overtakes them. If none of
// these, when they go, depends on it (by a chain of dependent events from the
// one to the other), then the event, with all that depends on it until then,
// can be moved behind the last of them, by swapping independent neighbours. The
// result is of the same class, and it has no more deviations than before:
// events of the calm order stay in it, since what is taken out before them was
// due later; and at the event's new place, nothing waits any more that it
// overtook. Such a deviation is needless.
//
// Of each class there is a run with the fewest deviations and, among those,
// with the fewest pairs of events of a window out of the calm order. It has no
// needless deviation, or it could be improved. And no prefix of it has one,
// since whether a deviation is needless is known when the last of the overtaken
// has gone. So nothing is lost if a search goes on from a run only up to the
// place where one of its deviations turns out to be needless: before it, a
// fault or another order may still give it a point.
//
// The argument takes it that swapping independent events changes nothing else,
// which the kernel sees to, and which code under test can spoil: by drawing
// from a random source that processes share, say. So the search checks it:
// every needless run that was made must be of a class that another run has, with
// none needless. See [CheckSummary.Unmatched].

// cut returns the number of decisions of a run behind which no further deviation
// can lead to anything new, and whether one of its deviations is needless.
func cut(t *sim.Trail, taken []Taken) (limit int, needless bool) {
	limit = len(taken)
	for i := range t.Junctions {
		j := &t.Junctions[i]
		option := taken[j.Decision].Option
		if option == 0 {
			continue
		}
		if asked, yes := isNeedless(t, j, option); yes {
			limit, needless = min(limit, asked), true
		}
	}
	return limit, needless
}

// isNeedless reports whether letting the chosen event go first was needless,
// and how many decisions had been asked when the last of those that it overtook
// was through: a fault in that step, too, would give it a point.
func isNeedless(t *sim.Trail, j *sim.Junction, option int) (asked int, yes bool) {
	if !t.Exact(j.Step) {
		return 0, false
	}
	overtaken := slices.Clone(j.Ready[:option])
	var after []bool // for the steps from the chosen one on: whether they depend on it
	actors, visible := map[int]bool{}, false
	for i := j.Step; i < len(t.Steps); i++ {
		s := &t.Steps[i]
		chosen := i == j.Step
		if s.Fixed || chosen && s.Serial != j.Ready[option] {
			return 0, false
		}
		depends := chosen || actors[s.Actor] || visible && s.Visible || s.Cause >= j.Step && after[s.Cause-j.Step]
		if k := slices.Index(overtaken, s.Serial); k >= 0 {
			if depends {
				return 0, false
			}
			overtaken = slices.Delete(overtaken, k, k+1)
			if len(overtaken) == 0 {
				return t.AskedUntil(i), true
			}
		}
		if depends {
			actors[s.Actor], visible = true, visible || s.Visible
		}
		after = append(after, depends)
	}
	return 0, false
}

// isIdle reports whether taking the option at a junction where the run was
// calm would lead to a run of the same class: the event goes later in this run
// as well, and depends on nothing that goes before it from the junction on.
func isIdle(t *sim.Trail, j *sim.Junction, option int) bool {
	if !t.Exact(j.Step) {
		return false
	}
	for i := j.Step; i < len(t.Steps); i++ {
		if t.Steps[i].Serial == j.Ready[option] {
			return independent(t.Steps[j.Step:i], &t.Steps[i])
		}
	}
	return false
}

// independent reports whether a step is independent of all those before it.
func independent(before []sim.TrailStep, s *sim.TrailStep) bool {
	for i := range before {
		b := &before[i]
		if b.Actor == s.Actor || b.Fixed || s.Fixed || b.Visible && s.Visible {
			return false
		}
	}
	return true
}
