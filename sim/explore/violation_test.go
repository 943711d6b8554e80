package explore

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// The property of the toys, violated as a fault and as a limit.
var pFault, pLimit = model.Violation{Property: "p"}, model.Violation{Property: "p", Limit: true}

// bothToy violates p as a limit by one fault, and as a fault by two others: a
// search meets the limit long before.
var bothToy = toy{Places: 12, Faults: []int{2, 7}, Limit: 5}

// struck is the tape with faults at the given places.
func struck(places ...int) (tape []sim.Choice) {
	for _, n := range places {
		tape = append(tape, sim.Choice{Kind: "fault:x", Actor: "a", Occurrence: n, Options: 3, Option: 1})
	}
	return tape
}

// placesOf are the places at which faults strike.
func placesOf(tape []sim.Choice) (places []int) {
	for _, c := range Deviations(tape) {
		if isFault(c.Kind) {
			places = append(places, c.Occurrence)
		}
	}
	return places
}

// TestFaultBehindLimit: a limit that a search meets first does not hide the fault
// of the same property behind it. Both are found, counted, and made smaller apart.
func TestFaultBehindLimit(t *testing.T) {
	t.Parallel()
	var found []Finding
	s := Search{
		Worker: self(t), Cell: bothToy.json(), Seed: 1, Schedules: 300, Happenings: 1,
		OnFinding: func(f Finding) { found = append(found, f) },
	}
	sum, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].Violation() != pLimit || found[1].Violation() != pFault || found[1].Schedule <= found[0].Schedule {
		t.Fatalf("found %+v", found)
	}
	limits, faults := sum.Violations[pLimit], sum.Violations[pFault]
	if limits == 0 || faults == 0 || sum.Violated("p") != limits+faults || sum.First[pFault].Schedule != found[1].Schedule {
		t.Errorf("%d limits, %d faults, %d in all, the first fault in %d", limits, faults, sum.Violated("p"), sum.First[pFault].Schedule)
	}
	for i, want := range [][]int{{5}, {2, 7}} {
		f := found[i]
		small, err := Shrink{Worker: s.Worker, Cell: s.Cell, Property: f.Property, Limit: f.Limit}.Run(t.Context(), f.Tape)
		if err != nil || !slices.Equal(placesOf(small.Tape), want) || !slices.Equal(small.Outcome.Violated(), []model.Violation{f.Violation()}) {
			t.Errorf("%s is shrunk to %+v, %v", f.Violation(), small, err)
		}
	}

	for _, until := range []model.Violation{pFault, pLimit} {
		s.Until, s.OnFinding = until, nil
		sum, err := s.Run(t.Context())
		if want := sum.First[until].Schedule + 1; err != nil || sum.Schedules != want {
			t.Errorf("until %s: %d schedules, want %d, %v", until, sum.Schedules, want, err)
		}
	}
}

// TestShrinkClass: of a schedule that has what a limit and what a fault takes, it
// is the fault's that is left, and there is no fault in one that has not.
func TestShrinkClass(t *testing.T) {
	t.Parallel()
	s := Shrink{Worker: self(t), Cell: bothToy.json(), Property: "p"}
	small, err := s.Run(t.Context(), struck(2, 5, 7, 9))
	if err != nil || !slices.Equal(placesOf(small.Tape), []int{2, 7}) {
		t.Errorf("%+v, %v", small, err)
	}
	if small, err := s.Run(t.Context(), struck(5, 7)); err == nil {
		t.Errorf("a limit is shrunk as a fault: %+v", small)
	}
	s.Limit = true
	small, err = s.Run(t.Context(), struck(5, 7))
	if err != nil || !slices.Equal(placesOf(small.Tape), []int{5}) {
		t.Errorf("%+v, %v", small, err)
	}
}

// TestAttributeClass: a fault is gone where only the limit of the same property is
// left; a limit is not gone where there is a fault.
func TestAttributeClass(t *testing.T) {
	t.Parallel()
	limitOnly := toy{Places: 6, Faults: []int{99}, Limit: 5}
	faultOnly := toy{Places: 6, Faults: []int{5}}
	for _, test := range []struct {
		limit      bool
		tape       []sim.Choice
		needed     []bool
		limitStays bool
	}{
		{false, struck(2, 5, 7), []bool{true, false, true}, false},
		{true, struck(4, 5), []bool{false, true}, true},
	} {
		a, err := Attribute{
			Worker: self(t), Cell: bothToy.json(), Property: "p", Limit: test.limit, Strategy: RandomStrategy, Budget: 100,
			Remedies: []json.RawMessage{limitOnly.json(), faultOnly.json()},
		}.Run(t.Context(), test.tape)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.needed {
			if a.Necessary[i].Needed != want {
				t.Errorf("limit %v: deviation %d is needed: %v", test.limit, i, !want)
			}
		}
		if a.Remedies[0].Violated != test.limitStays || !a.Remedies[1].Violated {
			t.Errorf("limit %v: remedies %+v", test.limit, a.Remedies)
		}
	}
}

// TestBothInParts: what is joined from shards, read from files and gone on with
// has both findings of the property, as one search has.
func TestBothInParts(t *testing.T) {
	t.Parallel()
	s := Search{Worker: self(t), Cell: bothToy.json(), Seed: 1, Schedules: 3*BlockSize + 10, Happenings: 1}
	whole, findings := searched(t, s)
	if len(findings) != 2 {
		t.Fatalf("found %v", findings)
	}
	blocks := map[int]Tally{}
	for i := range 2 {
		shard := s
		shard.Shard = Shard{i + 1, 2}
		shard.OnBlock = func(b int, tally Tally) { blocks[b] = tally }
		searched(t, shard)
	}
	path := filepath.Join(t.TempDir(), "state.json")
	if err := (&State{Identity: json.RawMessage(`{}`), Blocks: blocks}).Write(path); err != nil {
		t.Fatal(err)
	}
	state, err := ReadState(path)
	if err != nil {
		t.Fatal(err)
	}
	for how, known := range map[string]map[int]Tally{"joined": state.Blocks, "resumed": {0: state.Blocks[0]}} {
		s.Known = known
		again, found := searched(t, s)
		if !reflect.DeepEqual(again.Violations, whole.Violations) || !reflect.DeepEqual(again.First, whole.First) || !slices.Equal(found, findings) {
			t.Errorf("%s: %+v, %v; want %+v, %v", how, again.Violations, found, whole.Violations, findings)
		}
	}
}

// TestCheckBoth: an exhaustive search has both as well, each with the deviations
// that it needs, whole and in parts.
func TestCheckBoth(t *testing.T) {
	t.Parallel()
	var found []model.Violation
	k := Check{
		Worker: self(t), Cell: toy{Places: 5, Faults: []int{0, 3}, Limit: 2}.json(), Bound: 2, Happenings: 1,
		OnFinding: func(f Finding) { found = append(found, f.Violation()) },
	}
	var parts []CheckPart
	k.OnPart = func(p CheckPart) { parts = append(parts, p) }
	whole, err := k.Run(t.Context())
	if err != nil || whole.First[pLimit].Deviations != 1 || whole.First[pFault].Deviations != 2 || !slices.Equal(found, []model.Violation{pLimit, pFault}) {
		t.Fatalf("%+v, found %v, %v", whole, found, err)
	}
	found, k.Known, k.OnPart = nil, parts, nil
	k.OnProgress = func(*CheckSummary) { t.Error("something was run again") }
	again, err := k.Run(t.Context())
	if err != nil || !maps.Equal(again.Violations, whole.Violations) || !slices.Equal(found, []model.Violation{pLimit, pFault}) {
		t.Errorf("%+v, found %v, %v", again, found, err)
	}
}
