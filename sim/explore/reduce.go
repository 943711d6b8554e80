package explore

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// Partial-order reduction within a bound.
//
// Two runs that differ only in the order of independent events (see [sim.Trail]) are of
// one class, and all verdicts on them are the same; it is enough to run one of a class.
// The usual methods, persistent and sleep sets, choose that run by the order of
// exploration, and it may need more deviations than the bound allows when another does
// not. So here the run is chosen by its deviations.
//
// An order deviation lets an event overtake others: it goes before events that are due
// in the same window and would go first in a calm run. If none of these, when they go,
// depends on it (by a chain of dependent events from the one to the other), then the
// event, with all events that depend on it until then, can be moved behind the last of
// them, by swapping independent neighbours. The result is of the same class, and has no
// more deviations than before: events in calm order remain so, since an event removed
// before them was due later; and at its new place the event overtakes none of those
// that it overtook. Such a deviation is needless.
//
// Each class has a run with the fewest deviations and, among those, with the fewest
// pairs of events of a window out of the calm order. It has no needless deviation, or
// it could be improved. No prefix of it has one either, since whether a deviation is
// needless is known when the last of the overtaken events has gone. So nothing is lost
// if a search branches off from a run only before the place where one of its deviations
// turns out to be needless: before it, a fault or another order may still make the
// deviation needed.
//
// The argument assumes that swapping independent events changes nothing else. The
// kernel ensures that, but code under test can break it, for example by drawing from a
// random source that processes share. So the search checks it: every run with a
// needless deviation must be of the class of another run that has none. See
// [CheckSummary.Unmatched].

// cut returns the number of decisions of a run after which a further deviation leads to
// nothing new, and whether one of its deviations is needless.
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

// isNeedless reports whether letting the chosen event go first was needless, and how
// many decisions had been asked by the end of the last step that it overtook: a fault
// in that step, too, would make the deviation needed.
func isNeedless(t *sim.Trail, j *sim.Junction, option int) (asked int, yes bool) {
	if !t.Exact(j.Step) {
		return 0, false
	}
	overtaken := slices.Clone(j.Ready[:option])
	var after []bool // whether each step from the chosen one on depends on it
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

// isIdle reports whether taking the option at a junction where the run was calm would
// lead to a run of the same class: the event happens later in this run, and is
// independent of all events between the junction and itself.
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
