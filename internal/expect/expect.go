package expect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/traces"
)

// Expectations are what searches must find of one built-in lock, what they may
// find, and, by leaving it out, what they must never find. They are compared with
// what is found by the tests and by the command matrix.
type Expectations struct {
	Lock string
	// Reason says in a sentence or two why the lock survives what it survives, and
	// loses what it loses.
	Reason string
	// In has at most one entry for each scenario. Where there is none, nothing may
	// be found; but in the storm, all that may be in any.
	In []Expectation
}

// Expectation is what a search of a lock in one scenario must, and may, come to.
type Expectation struct {
	Scenario string
	// Settings are the parameters that it takes to see it, where the scenario's own
	// do not serve.
	Settings []traces.Parameter
	// Must are the violations that a search finds, given some hundred schedules, and
	// May those that it may find: each a property as a fault, or as a limit. All
	// others must never be, but for those of the weaker properties, which are judged
	// only with the parameter weak. That a property must or may be violated as a
	// limit does not allow it as a fault, nor the other way round.
	Must, May []model.Violation
	// Vacuous is set if the lock keeps what the scenario is about from happening, so
	// that a search may be vacuous and is none the worse for it.
	Vacuous bool
	// Undecided is set if there must be schedules in which something cannot be
	// decided: runs that come to no end, because an operation does not return.
	Undecided bool
	// Except says why the scenario does not apply to the lock, empty if it does.
	Except string
	// Reason says what the one of the lock does not say, and may be empty.
	Reason string
}

// Family is a group of built-in locks that work alike.
type Family struct {
	Title        string
	Expectations []Expectations
}

// Expected is what is expected of a lock of the families. The error says that
// nothing is written down.
func Expected(families []Family, lock string) (*Expectations, error) {
	for _, f := range families {
		for i := range f.Expectations {
			if e := &f.Expectations[i]; e.Lock == lock {
				return e, nil
			}
		}
	}
	return nil, fmt.Errorf("nothing is written down of what is expected of the lock %q: add it to a family of the store's built-in locks", lock)
}

// Under is what is expected in a scenario. In the storm it is what is expected in
// any.
func (e *Expectations) Under(scenario string) Expectation {
	if scenario == scenarios.Storm {
		return e.inAny()
	}
	for i := range e.In {
		if e.In[i].Scenario == scenario {
			return e.In[i]
		}
	}
	return Expectation{Scenario: scenario}
}

// inAny is what is expected where the faults of all scenarios may come together:
// nothing for certain, but all that any of them may show, and what is written
// down that it takes several faults for.
func (e *Expectations) inAny() Expectation {
	sum := Expectation{Scenario: scenarios.Storm, Reason: "Each of the faults may strike."}
	for _, in := range e.In {
		for _, p := range All(in.Must, in.May) {
			if !scenarios.Weaker(p.Property) && !slices.Contains(sum.May, p) {
				sum.May = append(sum.May, p)
			}
		}
		sum.Undecided = sum.Undecided || in.Undecided
		if in.Scenario == scenarios.Storm {
			sum.Reason = in.Reason
		}
	}
	return sum
}

// Unlike compares with what a search has found violated: what it has missed, and
// what must never be.
func (e *Expectation) Unlike(found []model.Violation) (missed, never []model.Violation) {
	for _, v := range e.Must {
		if !slices.Contains(found, v) {
			missed = append(missed, v)
		}
	}
	for _, v := range found {
		if !e.Allows(v) {
			never = append(never, v)
		}
	}
	return missed, never
}

// Allows reports whether there must or may be such a violation. Sound locks may
// violate the weaker properties.
func (e *Expectation) Allows(v model.Violation) bool { return e.Word(v) != "never" }

// Word is must, may or never: what is expected of a violation.
func (e *Expectation) Word(v model.Violation) string {
	switch {
	case slices.Contains(e.Must, v):
		return "must"
	case slices.Contains(e.May, v), scenarios.Weaker(v.Property):
		return "may"
	}
	return "never"
}

// Set makes parameters of name=value.
func Set(pairs ...string) (list []traces.Parameter) {
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, traces.Parameter{Name: name, Value: value})
	}
	return list
}

// Faults are violations of the properties as faults of the lock.
func Faults(properties ...string) (list []model.Violation) {
	for _, p := range properties {
		list = append(list, model.Violation{Property: p})
	}
	return list
}

// canBeLimits are the properties of which a violation may be a limit of leases, by
// its cause; of the others every violation is a fault.
var canBeLimits = []string{
	checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate, checker.Overrun, checker.Fencing, checker.LeaseHonesty,
	checker.TruthfulExtend, checker.FairOrder,
}

// Limits are the violations of the sets as limits of leases, but for those that are
// faults always.
func Limits(sets ...[]model.Violation) (list []model.Violation) {
	for _, v := range All(sets...) {
		v.Limit = slices.Contains(canBeLimits, v.Property)
		list = append(list, v)
	}
	return list
}

// Either are the violations of the sets as limits and as faults.
func Either(sets ...[]model.Violation) []model.Violation {
	return All(Limits(sets...), All(sets...))
}

// All joins sets of violations.
func All(sets ...[]model.Violation) []model.Violation { return slices.Concat(sets...) }
