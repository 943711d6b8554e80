package scenarios

import (
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
func Judging(c Cell) checker.Options { return c.judging() }
