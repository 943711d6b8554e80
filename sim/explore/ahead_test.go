package explore

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestAhead: what is run ahead of the result that ends it leaves no mark, and
// the results come in their order.
func TestAhead(t *testing.T) {
	t.Parallel()
	c := toy{Places: 4, Faults: []int{1}}
	tape := func(at int) []sim.Choice {
		return []sim.Choice{{Kind: "fault:x", Actor: "a", Occurrence: at, Options: 3, Option: 1}}
	}
	for _, jobs := range []int{0, 1, 4} {
		a := newAhead(t.Context(), self(t), jobs)
		asked := 0
		requests := func(yield func(Request) bool) {
			for asked < 100 && yield(Request{Cell: c.json(), Replay: true, Lenient: true, Tape: tape(3 - asked%4)}) {
				asked++
			}
		}
		var violated []bool
		a.inOrder(requests, func(n int, r ran) bool {
			if n != len(violated) {
				t.Errorf("result %d comes after %d others", n, len(violated))
			}
			violated = append(violated, shows(r, model.Violation{Property: "p"}))
			return n < 6
		})
		if want := []bool{false, false, true, false, false, false, true}; !reflect.DeepEqual(violated, want) {
			t.Errorf("%d workers: %v instead of %v", jobs, violated, want)
		}
		if most := 7 + max(jobs, 1); asked > most {
			t.Errorf("%d workers were asked for %d runs, of which 7 were wanted", jobs, asked)
		}
		a.close()
	}
}

// TestShrinkJobs: what is shrunk does not depend on the number of workers, nor
// does what it has cost, whatever ends it.
func TestShrinkJobs(t *testing.T) {
	t.Parallel()
	c := toy{Places: 12, Faults: []int{2, 7}, Noise: 10}
	tape := counterexample(t, c, 3)
	remedies := []toy{{Places: 3, Faults: []int{1, 3}, Noise: 10}, c}
	for _, s := range []Shrink{{}, {Budget: 25}, {Events: 3000}, {Events: 20_000}} {
		var want *Shrunk
		var told *Attribution
		for _, jobs := range []int{1, 4} {
			s.Worker, s.Cell, s.Property, s.Jobs = self(t), c.json(), "p", jobs
			got, err := s.Run(t.Context(), tape)
			if err != nil {
				t.Fatal(err)
			}
			a := Attribute{Worker: self(t), Cell: got.Cell, Property: "p", Jobs: jobs, Budget: 40, Events: s.Events}
			for _, r := range remedies {
				a.Remedies = append(a.Remedies, r.json())
			}
			attributed, err := a.Run(t.Context(), got.Tape)
			if err != nil {
				t.Fatal(err)
			}
			if jobs == 1 {
				want, told = got, attributed
			} else if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(attributed, told) {
				t.Errorf("budget %d, %d events: %d workers come to something else than one", s.Budget, s.Events, jobs)
			}
		}
	}
}

// TestShrinkEvents: a budget of events holds but for the last run, and it is said
// when it has ended a shrinking. A worker that dies costs something too.
func TestShrinkEvents(t *testing.T) {
	t.Parallel()
	const run = 12 * 10
	lives := toy{Places: 12, Faults: []int{2, 7}, Noise: 10}
	dies := lives
	dies.Dies = []int{2}
	tape := counterexample(t, lives, 3)
	for _, c := range []toy{lives, dies} {
		cost := int64(run)
		if len(c.Dies) > 0 {
			cost = unfinishedCost
		}
		last := CountDeviations(tape)
		for _, events := range []int64{run, 10 * run, 100 * run, 10 * unfinishedCost} {
			var at ShrinkProgress
			s, err := Shrink{
				Worker: self(t), Cell: c.json(), Property: "p", Events: events, Jobs: 2, OnProgress: func(p ShrinkProgress) { at = p },
			}.Run(t.Context(), tape)
			if err != nil {
				t.Fatal(err)
			}
			if s.Events >= events+cost || s.Exhausted != (s.Events >= events) || s.Runs != at.Runs || at.AtMost < at.Runs || s.Deviations > last {
				t.Errorf("%d events: %d were spent in %d runs, ended by its budget: %v; progress says %+v", events, s.Events, s.Runs, s.Exhausted, at)
			}
			last = s.Deviations
		}
		if last != 2 {
			t.Errorf("%d deviations are left", last)
		}
	}
}

// TestAttributeEvents: a budget of events holds, and what it does not do for is
// not said to be needed.
func TestAttributeEvents(t *testing.T) {
	t.Parallel()
	const run = 12 * 10
	c := toy{Places: 12, Faults: []int{2, 7}, Noise: 10}
	var tape []sim.Choice
	for n := range 12 {
		tape = append(tape, sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: n, Options: 3, Option: 1})
	}
	runs, most := 0, 0
	a, err := Attribute{
		Worker: self(t), Cell: c.json(), Property: "p", Jobs: 2, Events: 10 * run,
		Remedies:   []json.RawMessage{toy{Places: 12, Faults: []int{20}, Noise: 10}.json()},
		OnProgress: func(n, atMost int) { runs, most = n, atMost },
	}.Run(t.Context(), tape)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range a.Necessary {
		if tried := i < 5; n.Untried == tried || n.Needed != (i == 2) {
			t.Errorf("deviation %d: %+v", i, n)
		}
	}
	r := a.Remedies[0]
	if r.Violated || r.Schedules < fewest/2 || r.Schedules > 1+fewest {
		t.Errorf("the remedy: %+v", r)
	}
	if want := 5 + r.Schedules; runs != want || most < runs || a.Events != int64(want*run) {
		t.Errorf("%d runs of at most %d, %d events", runs, most, a.Events)
	}
}

// TestAllowance: the first findings have the most, limits half as much, and all together a few
// times what the search takes, or ten seconds.
func TestAllowance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		events    int64
		schedules int
		whole     int64
	}{{1000, 100, least}, {1000, 100_000, 100_000_000}, {0, 0, least}} {
		a, sum := NewAllowance(c.events, c.schedules), int64(0)
		for n := range 30 {
			share, limit := a.Share(n, false), a.Share(n, true)
			if limit < 1 || ToShrink(share) > share || limit > share/2 || n > 0 && share >= a.Share(n-1, false) {
				t.Errorf("%+v: a share of %d, of %d for a limit", c, share, limit)
			}
			sum += share
		}
		if sum > 3*c.whole {
			t.Errorf("%+v: %d may be spent", c, sum)
		}
	}
}
