package explore

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// Deviations returns the choices of a tape that are not calm. They are enough to run it
// again.
func Deviations(tape []sim.Choice) []sim.Choice {
	var list []sim.Choice
	for _, c := range tape {
		if c.Option != 0 {
			list = append(list, c)
		}
	}
	return list
}

// Lenient is a tape that makes the given choices wherever their decisions are asked,
// and is calm otherwise. Unlike a [Replay] it ignores all other decisions, so it also
// fits a run that differs a little from the recorded one.
type Lenient map[id]int

// NewLenient returns a tape of the choices.
func NewLenient(choices []sim.Choice) Lenient {
	t := make(Lenient, len(choices))
	for _, c := range choices {
		if c.Option != 0 {
			t[id{c.Kind, c.Actor, c.Occurrence}] = c.Option
		}
	}
	return t
}

// Choose makes the choice, if the decision has that many options.
func (t Lenient) Choose(d sim.Decision) int {
	if option := t[id{d.Kind, d.Actor, d.Occurrence}]; option < d.Options {
		return option
	}
	return 0
}

// ChooseSelect makes the choice.
func (t Lenient) ChooseSelect(d sim.Decision) int { return t.Choose(d) }

// isFault reports whether decisions of the kind are about faults, including segments
// that the network holds back.
func isFault(k sim.Kind) bool { return k == sim.Delay || strings.HasPrefix(string(k), "fault:") }

// isCourse reports whether a decision is about the course of a fault that has
// struck, such as its length or the actors that it spares. Such decisions have no
// odds, since a calm run never asks them; strategies that draw take any option.
func isCourse(d *sim.Decision) bool { return isFault(d.Kind) && d.Odds == 0 }

// IsDeviation reports whether a choice counts toward a bound. Orders, faults, slow
// segments and decisions about the size do if they are not calm; seeds do not.
func IsDeviation(c sim.Choice) bool { return c.Option != 0 && c.Kind != sim.Seed }

// CountDeviations counts the deviations of a tape.
func CountDeviations(tape []sim.Choice) int {
	n := 0
	for _, c := range tape {
		if IsDeviation(c) {
			n++
		}
	}
	return n
}

// without returns the list without the choices from the first place up to the second.
func without(list []sim.Choice, from, to int) []sim.Choice {
	return slices.Concat(list[:from], list[to:])
}
