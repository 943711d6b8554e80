package causes

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Findings are the findings of a search so far.
type Findings struct {
	Searched []string        // the scenarios
	Limits   []*traces.Trace // violations that do not fail, and are not expected
	Expected []*traces.Trace
	// NotSearched are flaws that no schedule can show.
	NotSearched []string
	// Limit is why limits are reported at all.
	Limit string

	failures []*Failure
}

// Add adds the failures of one scenario. It returns a line for each new cause, unless another property has reported the
// same.
func (f *Findings) Add(list []*Failure) (fresh []string) {
	for _, one := range list {
		said := func(o *Failure) bool { return o.What() == one.What() }
		if !one.ShownBy(f.failures) && !slices.ContainsFunc(f.failures, said) {
			fresh = append(fresh, one.What())
		}
		f.failures = append(f.failures, one)
	}
	return unique(fresh)
}

// Failures returns the added failures, in their order.
func (f *Findings) Failures() []*Failure { return f.failures }

// Simple returns the failures that show their causes well enough.
func (f *Findings) Simple() []*Failure {
	return slices.DeleteFunc(slices.Clone(f.failures), func(o *Failure) bool { return !o.Simple() })
}

// Story is one cause, with the simplest of the failures that show it. It also explains other causes for which no simpler
// run exists.
type Story struct {
	*Failure
	// Found is the failure as it was added. If a simpler run shows the failure's own cause, the story is of another violation
	// of its run.
	Found *Failure
	// covers are the causes, the story's own first. In has the scenarios that show each, and scenarios are those of its own
	// cause, that of the story first.
	covers    []cause
	in        map[cause][]string
	scenarios []string
	// limit is the note on a limit.
	limit string
}

// Explains reports whether the story explains a failure's own cause. Exactly one story explains each cause.
func (s *Story) Explains(f *Failure) bool { return slices.Contains(s.covers, f.causes[0]) }

// Stories returns the report, in reporting order: each cause once, by the simplest run that shows it.
func (f *Findings) Stories() (all []*Story) {
	in, order := map[cause][]string{}, []cause(nil)
	for _, one := range f.failures {
		for _, c := range one.causes {
			in[c] = append(in[c], one.Scenario)
		}
		order = append(order, one.causes...)
	}
	for _, c := range unique(order) {
		one := f.simplest(c)
		i := slices.IndexFunc(all, func(s *Story) bool { return s.Found == one })
		if i < 0 {
			i = len(all)
			all = append(all, &Story{Failure: one, Found: one, in: in, limit: f.Limit})
		}
		all[i].covers = append(all[i].covers, c)
	}
	for _, s := range all {
		s.order()
	}
	slices.SortStableFunc(all, func(a, b *Story) int {
		return cmp.Or(
			cmp.Compare(a.rank(), b.rank()),
			byDeviations(a.Failure, b.Failure),
			FalseFirst(a.answers(), b.answers()),
			FalseFirst(b.first, a.first), // consequences of others of its run come last
			cmp.Compare(len(b.scenarios), len(a.scenarios)),
			simpler(a.Failure, b.Failure),
		)
	})
	return all
}

// simplest returns the failure that shows a cause best: a kept case of the cause itself, or else the simplest run. Of
// several violations of one run it is the main one.
func (f *Findings) simplest(c cause) *Failure {
	list := slices.DeleteFunc(slices.Clone(f.failures), func(one *Failure) bool { return !one.shows(c) })
	kept := func(o *Failure) bool { return o.Kept && o.causes[0] == c }
	return slices.MinFunc(list, func(a, b *Failure) int {
		return cmp.Or(
			FalseFirst(a.Unsteady, b.Unsteady),
			FalseFirst(kept(b), kept(a)),
			FalseFirst(b.tellable(), a.tellable()),
			plainer(a, b),
			FalseFirst(b.Kept, a.Kept),
			cmp.Compare(a.rank(), b.rank()),
			FalseFirst(b.Heavy(), a.Heavy()),
			FalseFirst(b.first, a.first),
			simpler(a, b),
		)
	})
}

// order sorts the causes of a story. First is the cause of its failure or, if a simpler run shows that, the first cause
// that this run shows.
func (s *Story) order() {
	slices.SortStableFunc(s.covers, func(a, b cause) int {
		return cmp.Compare(slices.Index(s.causes, a), slices.Index(s.causes, b))
	})
	own := s.covers[0]
	if s.Trouble == nil && own.Violation != s.Trace.Violation() {
		first, t := *s.Failure, *s.Trace
		t.Property, t.Limit, t.Attribution = own.Property, own.Limit, nil // that is of the other violation
		first.Trace = &t
		first.causes = unique(append([]cause{own}, first.causes...))
		s.Failure = &first
	}
	rest := s.covers[1:]
	slices.SortStableFunc(rest, func(a, b cause) int { return checker.Compare(a.Property, b.Property) })
	s.scenarios = unique(append([]string{s.Scenario}, s.in[own]...))
}

// sentence returns the first violation in the run of a story for one of its causes, if it needs a sentence of its own: it
// has another reason than those before, and is of the story's class. A fault is explained only beside a fault.
func (s *Story) sentence(c cause) *model.Verdict {
	at := slices.Index(s.covers, c)
	known := c.why != "" && slices.ContainsFunc(s.covers[:at], func(o cause) bool { return o.why == c.why })
	i := slices.IndexFunc(s.failing, func(v *model.Verdict) bool { return causeOf(v) == c && c.Limit == s.Trace.Limit && v.Sentence != "" })
	if known || i < 0 {
		return nil
	}
	return s.failing[i]
}

// byDeviations compares two failures of one rank as [Plainer] does, but not by how familiar the faults are: at equal
// numbers of deviations, the story of more scenarios comes first.
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

// inOrder returns properties in the checker's order, but with one of them first.
func inOrder(first string, list []string) []string {
	return unique(append([]string{first}, slices.SortedFunc(slices.Values(list), checker.Compare)...))
}
