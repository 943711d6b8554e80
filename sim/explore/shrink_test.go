package explore

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// counterexample is a random tape of the toy that violates its property.
func counterexample(t *testing.T, c toy, seed uint64) []sim.Choice {
	t.Helper()
	for schedule := range 100_000 {
		w := &Watched{Tape: Random(seed, schedule)}
		if o := c.run(Run{Tape: w}); len(o.Violated()) > 0 {
			return w.Choices()
		}
	}
	t.Fatal("no counterexample")
	return nil
}

// TestShrink: what is left is what it takes, the same each time.
func TestShrink(t *testing.T) {
	t.Parallel()
	c := toy{Places: 12, Faults: []int{2, 7}}
	for seed := range uint64(5) {
		tape := counterexample(t, c, seed)
		s := Shrink{Worker: self(t), Cell: c.json(), Property: "p"}
		one, err := s.Run(t.Context(), tape)
		if err != nil {
			t.Fatal(err)
		}
		two, err := s.Run(t.Context(), tape)
		if err != nil || !reflect.DeepEqual(one, two) {
			t.Errorf("seed %d: it is not the same again: %v", seed, err)
		}
		if one.Deviations != 2 || one.Before != CountDeviations(tape) || one.Exhausted || len(one.Outcome.Violated()) != 1 || one.Outcome.Recording == nil {
			t.Errorf("seed %d: %+v", seed, one)
		}
		for _, d := range Deviations(one.Tape) {
			if d.Kind != "fault:x" || d.Option != 1 || d.Occurrence != 2 && d.Occurrence != 7 {
				t.Errorf("seed %d: %s option %d is left", seed, d.ID(), d.Option)
			}
		}
	}
}

// TestShrinkBudget: with a small budget the result is no worse than what it
// began with, whatever the budget is.
func TestShrinkBudget(t *testing.T) {
	t.Parallel()
	c := toy{Places: 12, Faults: []int{2, 7}}
	tape := counterexample(t, c, 3)
	last := CountDeviations(tape)
	for _, budget := range []int{1, 2, 5, 10, 20, 40, 80, 160} {
		s, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p", Budget: budget}.Run(t.Context(), tape)
		if err != nil {
			t.Fatal(err)
		}
		if s.Deviations > last || s.Runs > budget+1 || len(s.Outcome.Violated()) != 1 {
			t.Errorf("budget %d: %d deviations after %d runs, %d with less", budget, s.Deviations, s.Runs, last)
		}
		last = s.Deviations
	}
	if last != 2 {
		t.Errorf("%d deviations are left", last)
	}
}

// TestShrinkCells: smaller cells are gone to as long as they have the
// violation, and no further.
func TestShrinkCells(t *testing.T) {
	t.Parallel()
	c := toy{Places: 12, Faults: []int{2, 7}}
	smaller := func(raw json.RawMessage) []json.RawMessage {
		var w struct{ Toy toy }
		if err := json.Unmarshal(raw, &w); err != nil {
			t.Error(err)
		}
		if w.Toy.Places == 0 {
			return nil
		}
		w.Toy.Places--
		return []json.RawMessage{w.Toy.json()}
	}
	s, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p", Smaller: smaller}.Run(t.Context(), counterexample(t, c, 1))
	if err != nil || !strings.Contains(string(s.Cell), `"places":8`) || s.Deviations != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestShrinkFewer: where fewer deviations of another kind would do, they are
// found. Three places are needed, or one that the counterexample does not have.
func TestShrinkFewer(t *testing.T) {
	t.Parallel()
	c := toy{Places: 9, Faults: []int{1, 4, 7}, Or: 8}
	tape := []sim.Choice{}
	for _, n := range c.Faults {
		tape = append(tape, sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: n, Options: 3, Option: 2})
	}
	s, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p"}.Run(t.Context(), tape)
	if err != nil || s.Deviations != 1 || s.Before != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestShrinkEnds: much that comes after the violation goes in a few runs, however it is mixed.
func TestShrinkEnds(t *testing.T) {
	t.Parallel()
	c := toy{Places: 128, Faults: []int{1, 3}}
	var tape []sim.Choice
	for i := range c.Places {
		tape = append(tape, sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: i, Options: 3, Option: 1})
	}
	s, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p", Budget: 40}.Run(t.Context(), tape)
	if err != nil || s.Deviations != len(c.Faults) {
		t.Errorf("%d deviations are left after %d runs, %v", s.Deviations, s.Runs, err)
	}
}

// TestShrinkPairs: what makes up for something goes with it.
func TestShrinkPairs(t *testing.T) {
	t.Parallel()
	c := toy{Places: 12, Faults: []int{2, 7}, Both: [2]int{4, 9}}
	var tape []sim.Choice
	for _, place := range []int{2, 4, 7, 9} {
		tape = append(tape, sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: place, Options: 3, Option: 1})
	}
	s, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p", Budget: 30}.Run(t.Context(), tape)
	if err != nil || s.Deviations != len(c.Faults) {
		t.Errorf("%d deviations are left after %d runs, %v", s.Deviations, s.Runs, err)
	}
}

// TestShrinkLikes: a single deviation would do, and among very many it is found early if the counterexample has one like
// it at another place.
func TestShrinkLikes(t *testing.T) {
	t.Parallel()
	c := toy{Places: 100, Faults: []int{1, 4}, Or: 90}
	var tape []sim.Choice
	for _, place := range c.Faults {
		tape = append(tape, sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: place, Options: 3, Option: 2})
	}
	for budget, want := range map[int]int{250: 1, 60: 2} { // a half of it, and there are 200
		s, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p", Budget: budget}.Run(t.Context(), tape)
		if err != nil || s.Deviations != want {
			t.Errorf("budget %d: %d deviations are left after %d runs, %v", budget, s.Deviations, s.Runs, err)
		}
	}
}

// TestShrinkSlight: latencies are left out apart from the faults. Of a mixture hardly any large part can be left out:
// most have one of the faults.
func TestShrinkSlight(t *testing.T) {
	t.Parallel()
	c := toy{Places: 128, Faults: []int{1, 21, 41, 61, 81, 101, 121}, Slow: []int{45, 46}}
	var tape []sim.Choice
	for i := range c.Places {
		tape = append(tape, sim.Choice{Kind: sim.Latency, Actor: "a", Occurrence: i, Options: 4, Option: 3})
		if slices.Contains(c.Faults, i) {
			tape = append(tape, sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: i, Options: 3, Option: 1})
		}
	}
	s, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p", Budget: 70}.Run(t.Context(), tape)
	if err != nil || s.Deviations != len(c.Faults)+len(c.Slow) {
		t.Errorf("%d deviations are left after %d runs, %v", s.Deviations, s.Runs, err)
	}
}

// TestShrinkRefuses what is no counterexample.
func TestShrinkRefuses(t *testing.T) {
	t.Parallel()
	_, err := Shrink{Worker: self(t), Cell: toy{Places: 3, Faults: []int{1}}.json(), Property: "p"}.Run(t.Context(), nil)
	if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || !strings.Contains(err.Error(), "does not violate p") {
		t.Errorf("%v", err)
	}
}

// TestAttribute: what is needed and what is not, and which remedies help.
func TestAttribute(t *testing.T) {
	t.Parallel()
	c := toy{Places: 6, Faults: []int{1, 3}}
	tape := []sim.Choice{
		{Kind: "fault:x", Actor: "a", Occurrence: 1, Options: 3, Option: 1},
		{Kind: "fault:x", Actor: "a", Occurrence: 2, Options: 3, Option: 1},
		{Kind: "fault:x", Actor: "a", Occurrence: 3, Options: 3, Option: 2},
	}
	a, err := Attribute{
		Worker: self(t), Cell: c.json(), Property: "p", Strategy: RandomStrategy, Budget: 300,
		Remedies: []json.RawMessage{
			c.json(),
			toy{Places: 3, Faults: []int{1, 3}}.json(),         // never gets to the second place
			toy{Places: 6, Faults: []int{0, 5}}.json(),         // other places
			cell{Do: "panic in workload", When: always}.json(), // no answer at all
		},
	}.Run(t.Context(), tape)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, true} {
		if a.Necessary[i].Needed != want {
			t.Errorf("deviation %d is needed: %v", i, !want)
		}
	}
	same, gone, other, none := a.Remedies[0], a.Remedies[1], a.Remedies[2], a.Remedies[3]
	if !same.Violated || same.Schedules != 1 {
		t.Errorf("the same cell: %+v", same)
	}
	if gone.Violated || gone.Trouble != nil || gone.Schedules < 200 || gone.Bound < 1 {
		t.Errorf("without the second place: %+v", gone)
	}
	if !other.Violated {
		t.Errorf("other places: %+v", other)
	}
	if none.Violated || none.Trouble == nil {
		t.Errorf("no answer: %+v", none)
	}
}

// TestShrinkHere: in this process it comes to the same as by worker processes.
func TestShrinkHere(t *testing.T) {
	t.Parallel()
	c := toy{Places: 12, Faults: []int{2, 7}}
	tape := counterexample(t, c, 3)
	s := Shrink{Worker: self(t), Cell: c.json(), Property: "p"}
	want, err := s.Run(t.Context(), tape)
	if err != nil {
		t.Fatal(err)
	}
	s.Worker = Worker{Here: &Here{Resolve: resolve}}
	got, err := s.Run(t.Context(), tape)
	if err != nil || !reflect.DeepEqual(got.Tape, want.Tape) || got.Runs != want.Runs || got.Outcome.Hash != want.Outcome.Hash {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	s.Worker = Worker{Here: &Here{Resolve: func(json.RawMessage) (Runner, error) { return nil, errors.New("no such cell") }}}
	if _, err := s.Run(t.Context(), tape); err == nil || !strings.Contains(err.Error(), "no such cell") {
		t.Errorf("got %v", err)
	}
}
