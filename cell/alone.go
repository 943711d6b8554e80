package cell

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Alone lists the pairs of faults that only this scenario has together, by the names of
// their parameters; it is empty if other scenarios have all of its faults. A bug that needs
// two faults can only be found in a scenario that has both.
func (r Registry) Alone(s *Scenario) string {
	var alone, shared []string
	for i, a := range s.Params.Faults {
		for _, b := range s.Params.Faults[i+1:] {
			pair := a.Fault.Name + " and " + b.Fault.Name
			if others := r.having(s, a.Fault, b.Fault); len(others) > 0 {
				shared = append(shared, fmt.Sprintf("%s (%s)", pair, strings.Join(others, ", ")))
			} else {
				alone = append(alone, pair)
			}
		}
	}
	switch {
	case len(alone) == 0:
		return ""
	case len(alone) <= max(len(shared), 1):
		return "no other scenario has " + strings.Join(alone, ", or ")
	case len(shared) == 0:
		return "no other scenario has any two of its faults"
	}
	return "no other scenario has any two of its faults, except " + strings.Join(shared, "; ")
}

// having returns the other scenarios that have both faults.
func (r Registry) having(but *Scenario, a, b *stage.Fault) (ids []string) {
	for _, s := range r.Scenarios {
		if s != but && s.Params.Faults.Of(a) > 0 && s.Params.Faults.Of(b) > 0 {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
