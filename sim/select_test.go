package sim

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// selecting is a tape that is calm but for the orders of some selects.
type selecting struct {
	Calm
	option func(Decision) int
}

func (s selecting) ChooseSelect(d Decision) int { return s.option(d) }

// TestSelect: the tape decides in which order a select tries its cases, at each event of a process by itself. The order of the
// source leaves no mark: the run is that of a tape that is not asked.
func TestSelect(t *testing.T) {
	if !goruntime.DrawsKnown {
		t.Skip("the order of selects cannot be set here")
	}
	run := func(tape Tape) (taken []string, r Report) {
		r = Run(Config{Tape: tape, Record: true}, func(w *World) {
			p := w.NewProcess("c1", ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				for range 4 {
					first, second := make(chan string, 1), make(chan string, 1)
					first <- "first"
					second <- "second"
					select {
					case c := <-first:
						taken = append(taken, c)
					case c := <-second:
						taken = append(taken, c)
					}
					p.Clock().Sleep(DefaultWindow)
				}
			})
		})
		if r.Failure != nil {
			t.Fatal(r.Failure)
		}
		return taken, r
	}
	for _, test := range []struct {
		name    string
		option  func(Decision) int
		want    []string
		choices int
	}{
		{"source", func(Decision) int { return 0 }, []string{"first", "first", "first", "first"}, 0},
		{"opposite", func(Decision) int { return 1 }, []string{"second", "second", "second", "second"}, 5},
		{"one", func(d Decision) int {
			if d.Occurrence == 2 {
				return 1
			}
			return 0
		}, []string{"first", "first", "second", "first"}, 1},
	} {
		taken, r := run(selecting{option: test.option})
		if !slices.Equal(taken, test.want) {
			t.Errorf("%s: taken %v, want %v", test.name, taken, test.want)
		}
		choices := slices.DeleteFunc(r.Choices, func(c Choice) bool { return c.Kind != Select })
		if len(choices) != test.choices {
			t.Errorf("%s: recorded %v, want %d choices", test.name, choices, test.choices)
		}
		if _, calm := run(Calm{}); test.choices == 0 && (calm.Hash != r.Hash || len(calm.Choices) != len(r.Choices)) {
			t.Errorf("%s: the run is not that of a tape that is not asked", test.name)
		}
	}
}
