package explore

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestCauses: violations are counted by the causes of their verdicts, and joined; a finding that did not repeat takes those of its own
// part away.
func TestCauses(t *testing.T) {
	t.Parallel()
	limit := model.Violation{Property: "p", Limit: true}
	run := func(schedule int, verdicts ...model.Verdict) *Result {
		r := result(schedule, &Outcome{Verdicts: verdicts})
		return &r
	}
	fault := func(cause string) model.Verdict {
		return model.Verdict{Property: "p", Status: model.Violated, Cause: cause}
	}
	stopped := model.Verdict{Property: "p", Status: model.Violated, Limit: true, Cause: "holder-stopped"}
	one, two, sum := newTally(0), newTally(0), newTally(0)
	one.add(run(0, model.Verdict{Property: "q", Status: model.Undecided, Cause: model.Panicked}, fault("untrue")))
	one.add(run(1, model.Verdict{Property: "q", Status: model.Holds}, stopped))
	two.add(run(2, fault("untrue"), stopped))
	two.add(run(3, fault("spins")))
	two.add(run(4, fault("")))
	sum.join(&one)
	sum.join(&two)
	want := map[model.Violation]map[string]int{pFault: {"untrue": 2, "spins": 1}, limit: {"holder-stopped": 2}}
	if !reflect.DeepEqual(sum.Causes, want) || sum.Violations[pFault] != 4 {
		t.Errorf("%v of %v, want %v", sum.Causes, sum.Violations, want)
	}
	raw, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	var read Tally
	if err := json.Unmarshal(raw, &read); err != nil || !reflect.DeepEqual(read.Causes, want) {
		t.Errorf("read %v, %v", read.Causes, err)
	}
	disown(pFault, &sum, &two)
	if want[pFault] = map[string]int{"untrue": 1}; !reflect.DeepEqual(sum.Causes, want) || len(two.Causes[pFault]) != 0 || len(one.Causes[pFault]) != 1 {
		t.Errorf("without the second part: %v, of it %v, of the first %v", sum.Causes, two.Causes, one.Causes)
	}
	disown(pFault, &sum, &one)
	if delete(want, pFault); !reflect.DeepEqual(sum.Causes, want) {
		t.Errorf("without both: %v", sum.Causes)
	}
}
