package scenarios

import (
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// What tests of Property look at.
var (
	Rare  = rare
	Raise = raise
)

// RapidTape draws every decision from rapid.
func RapidTape(t *rapid.T) sim.Tape { return rapidTape{t} }

// DeviationText says what a choice did, and in which event that shows.
func DeviationText(p Params, r *explore.Recording, c sim.Choice) (string, int64) {
	return newTeller(p, r).deviation(c)
}

// Judging is what the checker is told of a cell.
func Judging(c Cell) checker.Options { return c.judging(explore.Run{}) }

// Lengths are how long each kind of fault may last, or be late by, in the order of
// the options, where clients wait for so long: 0 if they have set no limit.
func Lengths(p Params, timeout time.Duration) map[sim.Kind][]time.Duration {
	list := map[sim.Kind][]time.Duration{}
	for kind, l := range map[sim.Kind]lengths{ // unordered: each goes to its own key
		pauseFault: pauseLengths(p), hangFault: hangLengths(p), partitionLasts: partitionLengths(p),
		sim.Delay: lateBy(p, sim.Delay), lateReplyFault: lateBy(p, lateReplyFault), lateRequestFault: lateBy(p, lateRequestFault),
	} {
		list[kind] = append(list[kind], l.fixed...)
		for i := range l.timeouts.Halves {
			list[kind] = append(list[kind], l.timeouts.Length(i, timeout))
		}
	}
	return list
}
