package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// TestCombinedExpectations: a scenario that combines faults allows what is expected where they strike alone or nothing fails, and
// what is written down for it. What is expected of other faults it does not allow.
func TestCombinedExpectations(t *testing.T) {
	e := expect.Expectations{In: []expect.Expectation{
		{Scenario: "contention", May: asFaults("0")},
		{Scenario: "gc-pause", Must: asFaults("a", checker.LateOrphan), May: asFaults("b")},
		{Scenario: "partition", Must: asFaults("b", "c"), Undecided: true},
		{Scenario: "partition", Topology: "cluster", May: asFaults("x")},
		{Scenario: "session-expiry", Must: asFaults("y")},
		{Scenario: "storm", Must: asFaults("c"), May: asFaults("d", "a"), Reason: "It takes two."},
	}}
	in := e.Under("storm")
	if !slices.Equal(in.May, asFaults("0", "a", "b", "d")) || !slices.Equal(in.Must, asFaults("c")) || in.Undecided || !in.MayBeUndecided || in.Reason != "It takes two." {
		t.Errorf("expected is %+v", in)
	}
	if in := (&expect.Expectations{}).Under("storm"); len(in.May) != 0 || in.MayBeUndecided || in.Allows(model.Violation{Property: "a"}) {
		t.Errorf("of a lock of which nothing is expected: %+v", in)
	}
	if in := e.Under("hung-node"); len(in.May) != 0 {
		t.Errorf("a scenario with one fault of its own: %+v", in)
	}
}

// TestCombines: each fault of a scenario that combines faults occurs in one that does not, whose expectations then say what it does.
func TestCombines(t *testing.T) {
	for _, s := range scenarios.All() {
		if own := ownFaults(s); s.Combines && len(own) > 0 {
			t.Errorf("%s combines faults of others, and no other has %s", s.ID, strings.Join(own, ", "))
		}
	}
	pauses, err := scenarios.Find("gc-pause")
	if err != nil {
		t.Fatal(err)
	}
	if own := ownFaults(pauses); !slices.Equal(own, []string{"pauses"}) {
		t.Errorf("of gc-pause no other scenario has %v", own)
	}
}

// ownFaults are the faults of a scenario that occur in no other one but in those that combine faults.
func ownFaults(s *cell.Scenario) (names []string) {
	for _, a := range s.Params.Faults {
		if !slices.ContainsFunc(scenarios.All(), func(o *cell.Scenario) bool { return o != s && !o.Combines && o.Params.Faults.Of(a.Fault) > 0 }) {
			names = append(names, a.Fault.Name)
		}
	}
	return names
}

// TestDoc: the package's documentation lists all scenarios, in terms of no store.
func TestDoc(t *testing.T) {
	terms := redis.Store.Terms()
	terms.Terms = model.Terms{Store: "the store", Node: "node", Serving: "serving node", Follower: "follower", Record: "record"}
	terms.Kept = []string{"with some of its data"}
	var list strings.Builder
	for _, s := range scenarios.All() {
		fmt.Fprintf(&list, "//\t%-17s  %s\n", s.ID, terms.Fill(s.Summary))
	}
	golden.Part(t, "doc.go", "it is vacuous.\n//\n", "//\n// A scenario is a declaration", list.String())
}
