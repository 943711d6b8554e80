package model_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestViolation: a fault and a limit of one property are two violations, in maps,
// in order and as text.
func TestViolation(t *testing.T) {
	fault, limit := model.Violation{Property: "fencing"}, model.Violation{Property: "fencing", Limit: true}
	raw, err := json.Marshal(map[model.Violation]int{fault: 1, limit: 2})
	if err != nil || string(raw) != `{"fencing":1,"fencing (limit)":2}` {
		t.Errorf("%s, %v", raw, err)
	}
	var read map[model.Violation]int
	if err := json.Unmarshal(raw, &read); err != nil || read[fault] != 1 || read[limit] != 2 || len(read) != 2 {
		t.Errorf("%v, %v", read, err)
	}
	if err := json.Unmarshal([]byte(`[" (limit)"]`), new([]model.Violation)); err == nil {
		t.Error("a limit of nothing is read")
	}
	list := []model.Violation{{Property: "progress"}, limit, fault}
	slices.SortFunc(list, model.Violation.Compare)
	if !slices.Equal(list, []model.Violation{fault, limit, {Property: "progress"}}) {
		t.Errorf("in order they are %v", list)
	}
	if limit.Words() != "fencing as a limit" || fault.Words() != "fencing as a fault" {
		t.Errorf("%s, %s", limit.Words(), fault.Words())
	}
}

// TestViolationShown: a fault shows the limit of the same property, a limit not
// the fault.
func TestViolationShown(t *testing.T) {
	fault, limit := model.Violation{Property: "p"}, model.Violation{Property: "p", Limit: true}
	for _, test := range []struct {
		one   model.Violation
		list  []model.Violation
		shown bool
	}{
		{fault, []model.Violation{fault}, true}, {fault, []model.Violation{limit}, false},
		{limit, []model.Violation{limit}, true}, {limit, []model.Violation{fault}, true},
		{limit, []model.Violation{{Property: "q"}}, false}, {model.Violation{}, []model.Violation{fault, limit}, false},
	} {
		if test.one.Shown(test.list) != test.shown {
			t.Errorf("%s in %v: %v", test.one, test.list, !test.shown)
		}
	}
	for status, want := range map[model.Status]model.Violation{model.Violated: limit, model.Holds: {}, model.Undecided: {}} {
		v := model.Verdict{Property: "p", Status: status, Limit: true}
		if v.Violation() != want {
			t.Errorf("%s: %v", status, v.Violation())
		}
	}
}
