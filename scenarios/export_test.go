package scenarios

import (
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// What tests of Property look at.
var (
	Rare  = rare
	Raise = raise
)

// RapidTape draws every decision from rapid.
func RapidTape(t *rapid.T) sim.Tape { return rapidTape{t} }
