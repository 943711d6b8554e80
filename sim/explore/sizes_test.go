package explore

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// sizing is a tape that is asked for the size of the run before its first decision.
type sizing struct {
	sim.Tape
	size  int
	asked bool
}

func (t *sizing) Choose(d sim.Decision) int {
	if !t.asked {
		t.asked = true
		t.size = t.Tape.Choose(sim.Decision{Kind: SizePrefix + "rounds", Actor: sim.Conductor, Options: 3, Odds: 8})
	}
	return t.Tape.Choose(d)
}

// TestBoundedSize: a bounded search keeps to the usual size.
func TestBoundedSize(t *testing.T) {
	s := newBounded(1, 0)
	for range 100 {
		w := &Watched{Tape: s.Next()}
		w.Choose(sim.Decision{Kind: SizePrefix + "rounds", Actor: sim.Conductor, Options: 3, Odds: 8})
		w.Choose(sim.Decision{Kind: sim.Order, Actor: sim.Conductor, Options: 2})
		if w.Taken[0].Option != 0 {
			t.Fatalf("a run has the size %d", w.Taken[0].Option)
		}
		s.Learn(&Outcome{}, w.Taken)
	}
}

// TestSizesApart: each strategy but bounded makes some runs larger, and fewer than a quarter. What
// it chooses for the rest of a run does not depend on that.
func TestSizesApart(t *testing.T) {
	for _, name := range StrategyNames() {
		if name == BoundedStrategy {
			continue // see TestBoundedSize
		}
		t.Run(name, func(t *testing.T) {
			play := func(larger *int) (tapes [][]sim.Choice) {
				s, err := newStrategy(name, 1, 0)
				if err != nil {
					t.Fatal(err)
				}
				for range BlockSize {
					tape := s.Next()
					if larger != nil {
						sized := &sizing{Tape: tape}
						defer func() { *larger += min(sized.size, 1) }()
						tape = sized
					}
					o, taken := protocol(tape)
					s.Learn(&o, taken)
					w := Watched{Taken: taken}
					tapes = append(tapes, w.Choices())
				}
				return tapes
			}
			larger := 0
			if !slices.EqualFunc(play(nil), play(&larger), slices.Equal[[]sim.Choice]) {
				t.Error("the rest of the runs is another")
			}
			if larger < BlockSize/16 || larger > BlockSize/4 {
				t.Errorf("%d of %d runs are larger", larger, BlockSize)
			}
		})
	}
}
