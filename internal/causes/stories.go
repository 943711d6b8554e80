package causes

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Findings are all that a search has found so far.
type Findings struct {
	Searched []string        // the scenarios
	Limits   []*traces.Trace // violations that do not fail, and are not expected
	Expected []*traces.Trace
	// NotSearched is what no schedule can show.
	NotSearched []string
	// Limit says why a limit is reported at all.
	Limit string

	failures []*Failure
}

// Add adds the failures of one scenario. It describes those of causes that were
// not known before.
func (f *Findings) Add(list []*Failure) (fresh []string) {
	for _, one := range list {
		if !one.ToldBy(f.failures) {
			fresh = append(fresh, one.What())
		}
		f.failures = append(f.failures, one)
	}
	return unique(fresh)
}

// Failures are those that were added, in their order.
func (f *Findings) Failures() []*Failure { return f.failures }

// Simple are the failures that show their causes well enough: no other is
// shrunk for these causes. Kept cases do, and a single deviation that readers know.
func (f *Findings) Simple() []*Failure {
	return slices.DeleteFunc(slices.Clone(f.failures), func(o *Failure) bool {
		return o.Path == "" && (o.Trouble != nil || !o.Reduced || unusual(o.Trace) > 1 || !everyday(o.Trace))
	})
}

// Story is one cause, or several that show in one run, with the failure that
// shows it.
type Story struct {
	*Failure
	// properties are violated for that cause, that of the failure first, and
	// scenarios are those in which it shows.
	properties, scenarios []string
	// besides are the first violations of the other causes that the run shows, each in a sentence
	// of its own.
	besides []*model.Verdict
	// limit is the note on a limit.
	limit string
}

// Stories are the report: the fewest failures that show every cause, the
// simplest for each, in reporting order. A kept case comes
// before one that is not kept.
func (f *Findings) Stories() []*Story {
	all := f.tell(f.fewest())
	slices.SortStableFunc(all, func(a, b *Story) int {
		return cmp.Or(
			cmp.Compare(a.rank(), b.rank()),
			byDeviations(a.Failure, b.Failure),
			FalseFirst(a.answers(), b.answers()),
			cmp.Compare(len(b.scenarios), len(a.scenarios)),
			simpler(a.Failure, b.Failure),
		)
	})
	return all
}

// byDeviations compares two failures of one rank as [Plainer] does, but for how familiar the faults are:
// of as many deviations, the story of more scenarios comes first.
func byDeviations(a, b *Failure) int {
	if a.Trouble != nil || b.Trouble != nil {
		return 0
	}
	return cmp.Or(FalseFirst(!ordinary(a.Trace), !ordinary(b.Trace)), cmp.Compare(unusual(a.Trace), unusual(b.Trace)))
}

// answers reports whether the failure is that an answer contradicts the store.
func (f *Failure) answers() bool {
	return f.Trouble == nil && f.Trace.Verdict() != nil && isAnswer(f.Trace.Verdict())
}

// fewest are as few of the failures as show every cause, the simplest of each.
func (f *Findings) fewest() (told []*Failure) {
	list := slices.Clone(f.failures)
	slices.SortStableFunc(list, func(a, b *Failure) int {
		return cmp.Or(
			FalseFirst(a.Unsteady, b.Unsteady),
			FalseFirst(b.Path != "", a.Path != ""),
			FalseFirst(b.tellable(), a.tellable()),
			cmp.Compare(a.rank(), b.rank()),
			FalseFirst(b.Heavy(), a.Heavy()),
			FalseFirst(b.first, a.first),
			simpler(a, b),
		)
	})
	for _, one := range list {
		if !covered(one.causes, told) {
			told = append(told, one)
		}
	}
	for i := 0; i < len(told); { // what came later may show more
		if others := slices.Delete(slices.Clone(told), i, i+1); covered(told[i].causes, others) {
			told = others
			continue
		}
		i++
	}
	return told
}

// tell makes stories of failures.
func (f *Findings) tell(told []*Failure) (list []*Story) {
	owner := f.owners(told)
	for _, one := range told {
		s := &Story{Failure: one, scenarios: []string{one.Scenario}, limit: f.Limit}
		for _, other := range f.failures {
			if owner[other.causes[0]] != one {
				continue
			}
			s.scenarios = append(s.scenarios, other.Scenario)
			if other.Trouble == nil {
				s.properties = append(s.properties, other.Trace.Property)
			}
		}
		s.scenarios = unique(s.scenarios)
		if one.Trouble == nil {
			s.properties = inOrder(one.Trace.Property, s.properties)
			s.besides = one.besides(func(cause string) bool { return owner[cause] == one })
		}
		list = append(list, s)
	}
	return list
}

// besides are the first violations in the failure's run of the causes that it tells but for its own.
// They are of its class: a fault is told beside a fault.
func (f *Failure) besides(tells func(cause string) bool) (list []*model.Verdict) {
	for _, c := range f.causes[1:] {
		i := slices.IndexFunc(f.failing, func(v *model.Verdict) bool { return causeOf(v) == c && v.Limit == f.Trace.Limit })
		if i >= 0 && tells(c) && f.failing[i].Sentence != "" {
			list = append(list, f.failing[i])
		}
	}
	return list
}

// owners chooses the failure that reports each cause: the one whose own it is, or
// else, of those that show it, the one whose own cause was found most often.
func (f *Findings) owners(told []*Failure) map[string]*Failure {
	often := map[string]int{}
	for _, one := range f.failures {
		often[one.causes[0]]++
	}
	owner := map[string]*Failure{}
	for _, one := range told {
		owner[one.causes[0]] = one
	}
	for _, one := range told {
		for _, c := range one.causes[1:] {
			if o := owner[c]; o == nil || o.causes[0] != c && often[o.causes[0]] < often[one.causes[0]] {
				owner[c] = one
			}
		}
	}
	return owner
}

// inOrder are properties in the order of the checker's, one of them first.
func inOrder(first string, list []string) []string {
	return unique(append([]string{first}, slices.SortedFunc(slices.Values(list), checker.Compare)...))
}
