package rapidtape

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestRare: rare deviations are as rare as their odds say, though rapid does
// not draw evenly, and all options come up.
func TestRare(t *testing.T) {
	const draws = 20_000
	for _, odds := range []int{10, 25, 30, 60, 80} {
		for _, options := range []int{2, 3, 4, 20} {
			seen := make([]int, options)
			g := rare(options, odds)
			for seed := range draws {
				seen[g.Example(seed)]++
			}
			deviations := draws - seen[0]
			if want := draws / odds; deviations < want*7/10 || deviations > want*13/10 {
				t.Errorf("one in %d, %d options: %d deviations in %d draws, want about %d", odds, options, deviations, draws, want)
			}
			for option, n := range seen[1:] {
				if n == 0 {
					t.Errorf("one in %d, %d options: option %d never comes up", odds, options, option+1)
				}
			}
		}
	}
}

// TestShrinksToCalm: what rapid shrinks to is calm, whatever the odds.
func TestShrinksToCalm(t *testing.T) {
	t.Cleanup(func() {
		if t.Skipped() {
			t.Error("there were too few zeros")
		}
	})
	for _, options := range []int{2, 7, 32, 1 << 30} {
		for _, odds := range []int{0, 1, 2, 10, 80} {
			d := sim.Decision{Kind: "fault:x", Actor: "a", Options: options, Odds: odds}
			rapid.MakeFuzz(func(rt *rapid.T) {
				if n := (Tape{rt}).Choose(d); n != 0 {
					t.Errorf("zeros are option %d of %d at odds of %d", n, options, odds)
				}
			})(t, make([]byte, 8*64))
		}
	}
}
