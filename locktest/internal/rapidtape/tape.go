package rapidtape

import (
	"math/bits"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// Tape draws every decision from rapid.
type Tape struct{ T *rapid.T }

// Choose draws, with the decision's identity as the label.
func (t Tape) Choose(d sim.Decision) int {
	if d.Odds > 0 {
		return rare(d.Options, d.Odds).Draw(t.T, d.ID())
	}
	return below(d.Options).Draw(t.T, d.ID())
}

// coins generates an option bit by bit: rapid's own integers are not evenly distributed. Runs of coins also shrink faster:
// a bit that must stay costs rapid one try, where an integer costs many hundreds.
func coins(bits int, option func(n int) int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) int {
		n := 0
		for range bits {
			n <<= 1
			if coin.Draw(t, "bit") {
				n |= 1
			}
		}
		return option(n)
	})
}

var coin = rapid.Bool()

// below generates one of n options, about equally likely. Among very many, as for seeds, rapid may prefer some.
func below(options int) *rapid.Generator[int] {
	const many = 256
	if options > many {
		return rapid.Map(rapid.UintRange(0, uint(options-1)), func(n uint) int { return int(n) })
	}
	size := bits.Len(uint(options - 1))
	return coins(size, func(n int) int { return n * options >> size })
}

// rare generates option 0, and about once in odds any of the others. It takes the same number of draws either way, so that
// rapid can make it calm without moving later draws.
func rare(options, odds int) *rapid.Generator[int] {
	size := bits.Len(uint(odds*(options-1))) + 1
	all := 1 << size
	deviations := min((all+odds/2)/odds, all-1)
	return coins(size, func(n int) int {
		if n < all-deviations {
			return 0
		}
		return 1 + (n-(all-deviations))*(options-1)/deviations
	})
}
