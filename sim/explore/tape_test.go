package explore

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestRandomOdds: a deviation from calm is as rare as the decision asks, and
// the others are equally likely.
func TestRandomOdds(t *testing.T) {
	const draws = 40_000
	for _, test := range []struct{ options, odds int }{{2, 0}, {5, 0}, {2, 1}, {3, 1}, {2, 20}, {5, 20}, {4, 100}} {
		t.Run(fmt.Sprintf("%d options, odds %d", test.options, test.odds), func(t *testing.T) {
			got := make([]int, test.options)
			tape := Random(1, test.options*1000+test.odds)
			for range draws {
				got[tape.Choose(sim.Decision{Options: test.options, Odds: test.odds})]++
			}
			for option, n := range got {
				p := 1 / float64(test.options)
				switch {
				case test.odds > 0 && option == 0:
					p = 1 - 1/float64(test.odds)
				case test.odds > 0:
					p = 1 / float64(test.odds) / float64(test.options-1)
				}
				if sigma := math.Sqrt(draws * p * (1 - p)); math.Abs(float64(n)-draws*p) > 5*sigma {
					t.Errorf("option %d was taken %d times, want about %.0f", option, n, draws*p)
				}
			}
		})
	}
}

func TestRandomIsAFunction(t *testing.T) {
	numbers := func(seed uint64, schedule int) (list []int) {
		tape := Random(seed, schedule)
		for range 8 {
			list = append(list, tape.Choose(sim.Decision{Options: 1 << 30}))
		}
		return list
	}
	one := numbers(1, 2)
	if !slices.Equal(one, numbers(1, 2)) {
		t.Error("the same tape twice differs")
	}
	if slices.Equal(one, numbers(2, 2)) || slices.Equal(one, numbers(1, 3)) || slices.Equal(one, numbers(2, 1)) {
		t.Error("two tapes are the same")
	}
}

func choice(kind sim.Kind, n, of, option int) sim.Choice {
	return sim.Choice{Kind: kind, Actor: "a", Occurrence: n, Options: of, Option: option}
}

func TestReplay(t *testing.T) {
	recorded := []sim.Choice{choice("x", 0, 5, 1), choice("y", 0, 5, 2), choice("x", 1, 5, 3)}
	diverged := func(n int, recorded, asked string, of, askedOf int) *Divergence {
		return &Divergence{Decision: n, Recorded: recorded, Asked: asked, RecordedOptions: of, AskedOptions: askedOf}
	}
	type asked struct {
		kind sim.Kind
		n    int
		of   int
	}
	tests := []struct {
		name     string
		asked    []asked
		want     []int
		diverged *Divergence
	}{
		{"as recorded", []asked{{"x", 0, 5}, {"y", 0, 5}, {"x", 1, 5}}, []int{1, 2, 3}, nil},
		{"less", []asked{{"x", 0, 5}, {"y", 0, 5}}, []int{1, 2}, diverged(3, "x/a#1", "", 5, 0)},
		{"nothing", nil, nil, diverged(1, "x/a#0", "", 5, 0)},
		{"more", []asked{{"x", 0, 5}, {"y", 0, 5}, {"x", 1, 5}, {"x", 2, 4}}, []int{1, 2, 3, 0}, diverged(4, "", "x/a#2", 0, 4)},
		{"more in between", []asked{{"x", 0, 5}, {"z", 0, 5}, {"y", 0, 5}, {"x", 1, 5}}, []int{1, 0, 2, 3}, diverged(2, "y/a#0", "z/a#0", 5, 5)},
		{"another order", []asked{{"y", 0, 5}, {"x", 0, 5}, {"x", 1, 5}}, []int{2, 1, 3}, diverged(1, "x/a#0", "y/a#0", 5, 5)},
		{"more options", []asked{{"x", 0, 5}, {"y", 0, 9}, {"x", 1, 5}}, []int{1, 2, 3}, diverged(2, "y/a#0", "y/a#0", 5, 9)},
		{"too few options", []asked{{"x", 0, 5}, {"y", 0, 2}, {"x", 1, 5}}, []int{1, 0, 3}, diverged(2, "y/a#0", "y/a#0", 5, 2)},
		{"the first divergence is told", []asked{{"z", 0, 5}, {"z", 1, 5}}, []int{0, 0}, diverged(1, "x/a#0", "z/a#0", 5, 5)},
		{"another actor's", []asked{{"x", 0, 5}, {"y", 0, 5}, {"x", 5, 5}}, []int{1, 2, 0}, diverged(3, "x/a#1", "x/a#5", 5, 5)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewReplay(recorded)
			var got []int
			for _, a := range test.asked {
				got = append(got, r.Choose(sim.Decision{Kind: a.kind, Actor: "a", Occurrence: a.n, Options: a.of}))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("chose %v, want %v", got, test.want)
			}
			switch d := r.Diverged(); {
			case (d == nil) != (test.diverged == nil):
				t.Errorf("diverged: %+v, want %+v", d, test.diverged)
			case d != nil && *d != *test.diverged:
				t.Errorf("diverged: %+v, want %+v", *d, *test.diverged)
			}
		})
	}
}

// TestReplayOfRuns: a recorded run of a world is replayed exactly; without one
// of its choices it is told so, and still runs.
func TestReplayOfRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play := func(tape sim.Tape) sim.Report {
			r := sim.Run(sim.Config{Tape: tape, Record: true}, talkative)
			if r.Failure != nil {
				t.Fatal(r.Failure.Reason)
			}
			return r
		}
		one := play(Random(rapid.Uint64().Draw(t, "seed"), 0))
		replay := NewReplay(one.Choices)
		two := play(replay)
		if d := replay.Diverged(); d != nil || two.Hash != one.Hash || !slices.Equal(one.Choices, two.Choices) {
			t.Fatalf("the replay differs: %+v", d)
		}
		cut := rapid.IntRange(0, len(one.Choices)-1).Filter(func(n int) bool {
			return one.Choices[n].Kind != sim.Select // without it, the order is that of the source
		}).Draw(t, "without")
		replay = NewReplay(slices.Delete(slices.Clone(one.Choices), cut, cut+1))
		play(replay)
		if d := replay.Diverged(); d == nil || d.Decision != cut+1 || d.Asked != one.Choices[cut].ID() {
			t.Fatalf("without choice %d: %+v", cut+1, d)
		}
	})
}

// talkative is a world with some decisions in it.
func talkative(w *sim.World) {
	w.Network().SetLink(sim.Link{Base: 100, Jitter: 10_000})
	w.Network().Listen("10.0.1.1:7", w.NewActor("server"), func(*sim.ServerConn) sim.Handler { return silent{} })
	for i := range 3 {
		p := w.NewProcess(fmt.Sprint("c", i), sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			conn, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:7", 0)
			if err != nil {
				panic(err)
			}
			for range 3 {
				fmt.Fprint(conn, "hello")
				p.Step("think", 20_000)
			}
		})
	}
}
