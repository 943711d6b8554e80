package explore

import "github.com/lockpick-dev/lockpick/model"

// Violates reports whether the schedule violates the property, as a fault or as a
// limit.
func (r *Result) Violates(property string) bool { return model.Violates(r.Violated, property) }

// Violated returns the number of schedules that violate the property, as a fault or as a
// limit.
func (t *Tally) Violated(property string) int {
	return t.Violations[model.Violation{Property: property}] + t.Violations[model.Violation{Property: property, Limit: true}]
}

// Violation returns the finding's property, as a fault or as a limit.
func (f *Finding) Violation() model.Violation {
	return model.Violation{Property: f.Property, Limit: f.Limit}
}

func (s *Shrink) violation() model.Violation {
	return model.Violation{Property: s.Property, Limit: s.Limit}
}

func (a *Attribute) violation() model.Violation {
	return model.Violation{Property: a.Property, Limit: a.Limit}
}
