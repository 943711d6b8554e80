package cell_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// TestAlone: what only one scenario has together follows from the budgets of all.
func TestAlone(t *testing.T) {
	with := func(id string, list ...*stage.Fault) *cell.Scenario {
		return &cell.Scenario{ID: id, Params: cell.Params{Faults: stage.Once(list...)}}
	}
	pauses, crashes, hangs, skews := faults.Pauses, faults.Crashes, faults.Hangs, faults.Skews
	for _, test := range []struct {
		name   string
		of     *cell.Scenario
		others []*cell.Scenario
		want   string
	}{
		{"one fault", with("a", pauses), nil, ""},
		{"two faults", with("a", pauses, crashes), nil, "no other scenario has crashes and pauses"},
		{"each elsewhere, by itself", with("a", pauses, crashes), []*cell.Scenario{with("b", pauses), with("c", crashes)}, "no other scenario has crashes and pauses"},
		{"both elsewhere", with("a", pauses, crashes), []*cell.Scenario{with("b", pauses, crashes, skews)}, ""},
		{"most elsewhere", with("a", pauses, crashes, skews), []*cell.Scenario{with("b", pauses, crashes), with("c", skews, pauses)}, "no other scenario has crashes and skews"},
		{"three faults", with("a", pauses, crashes, skews), nil, "no other scenario has any two of its faults"},
		{"some elsewhere", with("a", pauses, crashes, skews, hangs), []*cell.Scenario{with("b", pauses, crashes), with("c", skews, hangs), with("d", hangs, skews)},
			"no other scenario has any two of its faults, except crashes and pauses (b); hangs and skews (c, d)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := cell.Registry{Scenarios: append(test.others, test.of)}
			if got := r.Alone(test.of); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
