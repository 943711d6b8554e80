package expect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/traces"
)

// Expectations are the expectations of one lock, by scenario.
type Expectations struct {
	Lock string
	// Reason says in a sentence or two which properties the lock keeps or violates, and
	// why.
	Reason string
	// In has at most one entry per scenario. A scenario without an entry allows no
	// violation; the storm allows the violations of all scenarios.
	In []Expectation
}

// Expectation is what a search of a lock in one scenario must and may find.
type Expectation struct {
	Scenario string
	// Topology restricts the expectation to servers of that topology (the parameter of that name). If it is
	// empty, the expectation is for the usual topology, and [Expectations.Deployed] derives those of others.
	Topology string
	// Settings replace parameters of the scenario.
	Settings []traces.Parameter
	// Must are the violations that a few hundred schedules must show, and May those that
	// they may show, each as a fault or as a limit. All others are forbidden, except of weak
	// properties, which are judged only with the parameter weak. A property that is allowed
	// as a limit is not allowed as a fault, nor the other way round.
	Must, May []model.Violation
	// Vacuous is set if the lock prevents the scenario's happening, so that a vacuous
	// search is acceptable.
	Vacuous bool
	// Undecided is set if some schedules must be undecided, because an operation does not
	// return and the run does not finish.
	Undecided bool
	// MayBeUndecided is set if some schedules may be undecided.
	MayBeUndecided bool
	// Except says why the scenario does not apply to the lock, empty if it does.
	Except string
	// Reason adds to the reason of the lock, and may be empty.
	Reason string
}

// Family is a group of similar locks.
type Family struct {
	Title        string
	Expectations []Expectations
}

// Expected returns the expectations of a lock. It returns an error if the families have
// none.
func Expected(families []Family, lock string) (*Expectations, error) {
	for _, f := range families {
		for i := range f.Expectations {
			if e := &f.Expectations[i]; e.Lock == lock {
				return e, nil
			}
		}
	}
	return nil, fmt.Errorf("there are no expectations for the lock %q: add them to a family of the store's locks", lock)
}

// Under returns the expectation in a scenario of the usual topology. In the storm it allows what any scenario
// allows, and in a scenario that is not Lockpick's any limit of leases.
func (e *Expectations) Under(scenario string) Expectation {
	if scenario == scenarios.Storm {
		return e.inAny()
	}
	for i := range e.In {
		if e.In[i].Scenario == scenario && e.In[i].Topology == "" {
			return e.In[i]
		}
	}
	if _, err := scenarios.Find(scenario); err != nil {
		return Expectation{Scenario: scenario, May: anyLimit(nil), Reason: "No expectation names this scenario: any limit of leases is accepted."}
	}
	return Expectation{Scenario: scenario}
}

// anyLimit returns the limits of leases of all properties, added ones included.
func anyLimit(added []checker.Property) (list []model.Violation) {
	for _, p := range append(checker.Properties(), added...) {
		if p.MayBeLimit {
			list = append(list, model.Violation{Property: p.ID, Limit: true})
		}
	}
	return list
}

// inAny returns the expectation in the storm: it requires nothing and allows what any entry allows.
func (e *Expectations) inAny() Expectation {
	sum := Expectation{Scenario: scenarios.Storm, Reason: "Each of the faults may strike."}
	for _, in := range e.In {
		if in.Topology != "" {
			continue
		}
		for _, p := range All(in.Must, in.May) {
			if !checker.Weak(p.Property) && !slices.Contains(sum.May, p) {
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

// Unlike compares the expectation with the violations that were found: missed are the required ones that
// were not found, never the forbidden ones that were.
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

// Allows reports whether the violation is required or allowed. Violations of weak properties are always
// allowed, since sound locks have them too.
func (e *Expectation) Allows(v model.Violation) bool { return e.Word(v) != "never" }

// Word returns "must", "may" or "never" for a violation.
func (e *Expectation) Word(v model.Violation) string {
	switch {
	case slices.Contains(e.Must, v):
		return "must"
	case slices.Contains(e.May, v), checker.Weak(v.Property):
		return "may"
	}
	return "never"
}

// NoFaults returns expectations that allow all limits of leases in every scenario of the registry, and no
// faults.
func NoFaults(lock string, known cell.Registry) Expectations {
	e := Expectations{Lock: lock, Reason: "No expectation names it: no fault is expected, and any limit of leases is accepted."}
	may := anyLimit(known.Properties)
	for _, s := range known.Scenarios {
		e.In = append(e.In, Expectation{Scenario: s.ID, May: may})
	}
	return e
}

// Set parses parameters of the form name=value, for [Expectation].Settings.
func Set(pairs ...string) (list []traces.Parameter) {
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, traces.Parameter{Name: name, Value: value})
	}
	return list
}

// Faults returns violations of the properties as faults of the lock.
func Faults(properties ...string) (list []model.Violation) {
	for _, p := range properties {
		list = append(list, model.Violation{Property: p})
	}
	return list
}

// Limits returns the violations of the sets as limits of leases. Violations of properties that only have faults
// stay faults.
func Limits(sets ...[]model.Violation) (list []model.Violation) {
	for _, v := range All(sets...) {
		p, _ := checker.Find(v.Property)
		v.Limit = p.MayBeLimit
		list = append(list, v)
	}
	return list
}

// Either returns the violations of the sets both as limits and as faults.
func Either(sets ...[]model.Violation) []model.Violation {
	return All(Limits(sets...), All(sets...))
}

// All concatenates sets of violations.
func All(sets ...[]model.Violation) []model.Violation { return slices.Concat(sets...) }
