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
	// violation, but for one that combines the faults of others: it allows what they show.
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

// Under returns the expectation in a scenario of the usual topology. In a scenario that combines faults of others it also
// allows what they require or allow. In one that is not Lockpick's it allows any limit of leases.
func (e *Expectations) Under(scenario string) Expectation {
	in := Expectation{Scenario: scenario}
	s, err := scenarios.Find(scenario)
	if i := slices.IndexFunc(e.In, func(o Expectation) bool { return o.Scenario == scenario && o.Topology == "" }); i >= 0 {
		in = e.In[i]
	} else if err != nil {
		return Expectation{Scenario: scenario, May: anyLimit(nil), Reason: "No expectation names this scenario: any limit of leases is accepted."}
	}
	if err == nil && s.Combines {
		e.combine(&in, s)
	}
	return in
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

// combine adds to the expectation in a scenario what may be found in those that have one of its faults, and in the calm one.
// What must be found in these may be found here.
func (e *Expectations) combine(in *Expectation, s *cell.Scenario) {
	own := in.May
	in.May = nil
	allow := func(list []model.Violation) {
		for _, v := range list {
			if !checker.Weak(v.Property) && !slices.Contains(in.Must, v) && !slices.Contains(in.May, v) {
				in.May = append(in.May, v)
			}
		}
	}
	for _, part := range e.In {
		if part.Topology == "" && isPart(part.Scenario, s) {
			allow(All(part.Must, part.May))
			in.MayBeUndecided = in.MayBeUndecided || part.Undecided || part.MayBeUndecided
		}
	}
	allow(own)
	if in.Reason == "" {
		in.Reason = "Each of the faults may strike."
	}
}

// isPart reports whether the scenario with the id has a fault of s, or no fault can strike in it. One that combines others is no part.
func isPart(id string, s *cell.Scenario) bool {
	part, err := scenarios.Find(id)
	if err != nil || part.Combines {
		return false
	}
	for _, a := range s.Params.Faults {
		if part.Params.Faults.Of(a.Fault) > 0 {
			return true
		}
	}
	return part == scenarios.Calm()
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

// Instead returns the expectations with others in place of those in the same scenarios and topologies.
func Instead(list []Expectation, others ...Expectation) []Expectation {
	list = slices.DeleteFunc(slices.Clone(list), func(e Expectation) bool {
		return slices.ContainsFunc(others, func(o Expectation) bool { return o.Scenario == e.Scenario && o.Topology == e.Topology })
	})
	return append(list, others...)
}

// Everywhere expects the same in every scenario, of a lock that needs no fault to violate properties, but for the given
// expectations. Without faults there are no limits.
func Everywhere(must, may []model.Violation, but ...Expectation) (list []Expectation) {
	for _, s := range scenarios.All() {
		e := Expectation{Scenario: s.ID, Must: must, May: may}
		if s == scenarios.Calm() {
			e.May = slices.DeleteFunc(slices.Clone(may), func(v model.Violation) bool { return v.Limit })
		}
		if !s.Combines {
			list = append(list, e)
		}
	}
	return Instead(list, but...)
}

// All concatenates sets of violations.
func All(sets ...[]model.Violation) []model.Violation { return slices.Concat(sets...) }
