package scenarios

import (
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// DeviationText says what a choice did, and in which event that shows.
func DeviationText(p Params, r *explore.Recording, c sim.Choice) (string, int64) {
	return newTeller(p, r).deviation(c)
}
