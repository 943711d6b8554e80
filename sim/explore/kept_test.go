package explore

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestKept: a process goes to the next hand of an equal worker, never to one that confirms, and
// not after it was killed.
func TestKept(t *testing.T) {
	kept := &Kept{}
	w := self(t)
	w.Kept = kept
	served := func(h Hand) *process {
		t.Helper()
		if err := h.Do(t.Context(), Request{Cell: cell{}.json(), Count: 1}, func(Result) bool { return true }); err != nil {
			t.Fatal(err)
		}
		p := h.process
		h.Close()
		return p
	}
	first := served(Hand{Worker: w})
	if again := served(Hand{Worker: w}); again != first {
		t.Error("an equal worker got a process of its own")
	}
	other := w
	other.Procs = 2
	if served(Hand{Worker: other}) == first {
		t.Error("a worker with more processors got the process")
	}
	if served(Hand{Worker: w, confirms: true}) == first {
		t.Error("what found confirms")
	}
	ctx, cancel := context.WithCancel(t.Context())
	h := Hand{Worker: w}
	if err := h.Do(ctx, Request{Cell: cell{}.json(), Count: 2}, func(Result) bool { cancel(); return false }); err != nil {
		t.Fatal(err)
	}
	h.Close()
	next := served(Hand{Worker: w})
	if next == first {
		t.Error("a process that was ended was kept")
	}
	kept.Close()
	if next.cmd.ProcessState == nil {
		t.Error("the process goes on after its keeper is closed")
	}
	if p := served(Hand{Worker: w}); p.cmd.ProcessState == nil {
		t.Error("a process is kept after its keeper is closed")
	}
}

// TestSearched: what is remembered of remedies changes no result, and saves the runs; a search
// that its own violation ended says nothing of another.
func TestSearched(t *testing.T) {
	c := toy{Places: 6, Faults: []int{1, 3}, Limit: 2}
	at := func(place int) sim.Choice {
		return sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: place, Options: 3, Option: 1}
	}
	remedies := []json.RawMessage{
		toy{Places: 3, Faults: []int{1, 3}}.json(),           // never violated
		toy{Places: 6, Faults: []int{0, 5}, Limit: 2}.json(), // a fault and a limit
		toy{Places: 6, Faults: []int{9}, Limit: 2}.json(),    // a limit alone
	}
	attribute := func(v model.Violation, tape []sim.Choice, s *Searched) (*Attribution, int) {
		t.Helper()
		runs := 0
		a, err := Attribute{
			Worker: Worker{Here: &Here{Resolve: resolve}}, Cell: c.json(), Property: v.Property, Limit: v.Limit, Strategy: RandomStrategy, Budget: 60,
			Remedies: remedies, Searched: s, OnProgress: func(int, int) { runs++ },
		}.Run(t.Context(), tape)
		if err != nil {
			t.Fatal(err)
		}
		return a, runs
	}
	known := &Searched{}
	for i, test := range []struct {
		v     model.Violation
		tape  []sim.Choice
		fewer bool
	}{
		{model.Violation{Property: "p"}, []sim.Choice{at(1), at(3)}, false},
		{model.Violation{Property: "p"}, []sim.Choice{at(1), at(3)}, true},
		{model.Violation{Property: "p", Limit: true}, []sim.Choice{at(2), at(4)}, true},
		{model.Violation{Property: "q"}, []sim.Choice{at(1), at(3)}, true},
		{model.Violation{Property: "p", Limit: true}, []sim.Choice{at(1), at(3)}, true},
	} {
		want, all := attribute(test.v, test.tape, nil)
		got, runs := attribute(test.v, test.tape, known)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %+v with what is known, %+v without", i, got, want)
		}
		if runs > all || (runs < all) != test.fewer {
			t.Errorf("%d: %d runs of %d", i, runs, all)
		}
	}
}
