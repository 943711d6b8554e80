package scenarios

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// failure is what one scenario has against the lock: a violation that fails the
// test, or a run that did not finish.
type failure struct {
	scenario string
	// trace is that of the violation, or of the tape of the run that did not
	// finish, nil if there is no tape.
	trace   *traces.Trace
	trouble *explore.Trouble // nil for a violation
	// causes are the reasons why it fails: its own first, then those of what else
	// is violated in the run.
	causes []string
	// note says what there is to know besides, path is of its case if it is kept,
	// and unsteady is set if it may not come again.
	note, path string
	unsteady   bool
	// reduced is set if it was made as small as it gets, and first if nothing was
	// violated before in its run.
	reduced, first bool
}

// causeOf names the cause of a violation.
func causeOf(v *model.Verdict) string { return cmp.Or(v.Cause, v.Property) }

// causeOfTrouble names the cause of a run that did not finish. Panics differ by
// what they say, in whichever client.
func causeOfTrouble(t *explore.Trouble) string {
	words := []string{string(t.Kind), string(t.Cause)}
	switch {
	case t.Leaked:
		words = append(words, "leaked")
	case t.Kind == explore.Crashed:
		reason, _, _ := strings.Cut(t.Reason, "\n")
		if _, panicked, ok := strings.Cut(reason, "panic: "); ok {
			reason = panicked
		}
		words = append(words, reason)
	}
	return strings.Join(words, " ")
}

// violates makes a failure of a trace's violation.
func (a *attack) violates(t *traces.Trace) *failure {
	f := &failure{scenario: t.Scenario, trace: t, causes: []string{t.Property}}
	if v := t.Verdict(); v != nil {
		f.causes[0] = causeOf(v)
	}
	failing := a.failing(t)
	for _, v := range failing {
		f.causes = append(f.causes, causeOf(v))
	}
	f.causes = unique(f.causes)
	f.first = len(failing) == 0 || failing[0].Property == t.Property
	return f
}

// failing are the verdicts of a trace that fail the test, in the order in which the
// properties were violated, those behind that only follow from others.
func (a *attack) failing(t *traces.Trace) (list []*model.Verdict) {
	for i := range t.Verdicts {
		if v := &t.Verdicts[i]; a.failsFor(t.Scenario, v) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b *model.Verdict) int {
		return cmp.Or(cmp.Compare(slices.Index(follow, a.Property), slices.Index(follow, b.Property)),
			order(!a.From.Happened(), !b.From.Happened()), cmp.Compare(a.From.Seq, b.From.Seq))
	})
	return list
}

// follow are the properties whose violation follows from how a grant ended, in
// their order: two holders, their calls, and what they write.
var follow = []string{checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate}

// failsFor reports whether a verdict on a run in the scenario fails the test.
func (a *attack) failsFor(scenario string, v *model.Verdict) bool {
	return v.Status == model.Violated && !a.expects(scenario, v.Property) && (!v.Limit || a.strict)
}

// what says in a line what is wrong.
func (f *failure) what() string {
	if f.trouble != nil {
		const most = 100
		line, _, _ := strings.Cut(f.trouble.Reason, "\n")
		if runes := []rune(line); len(runes) > most {
			line = string(runes[:most]) + " …"
		}
		return string(f.trouble.Kind) + ": " + line
	}
	return causeText(f.causes[0])
}

// causeText says in a line what a cause is.
func causeText(cause string) string {
	return cmp.Or(model.CauseOf(cause).Text, cause+" is violated")
}

// The order in which is told what fails: runs that did not finish, since it is not
// known what they would have come to; faults; limits, if they are to fail.
const (
	troubleRank = iota
	faultRank
	limitRank
)

func (f *failure) rank() int {
	switch {
	case f.trouble != nil:
		return troubleRank
	case !f.trace.Limit:
		return faultRank
	}
	return limitRank
}

// simpler compares two failures of one rank: by how much has to go otherwise than
// usual, then by how many steps it takes to tell them.
func simpler(a, b *failure) int {
	if a.trouble != nil || b.trouble != nil {
		return 0 // in the order of the scenarios
	}
	if n := cmp.Compare(a.unusual(), b.unusual()); n != 0 || !a.reduced || !b.reduced {
		return n
	}
	return cmp.Compare(len(stepsUntil(a.trace)), len(stepsUntil(b.trace)))
}

// unusual is how many things go otherwise than in a calm run of the plain
// workload: the deviations, and twice as much what not everybody does, releasing
// again and holding for longer than a lease.
func (f *failure) unusual() int {
	if f.trouble != nil {
		return 0
	}
	n := explore.CountDeviations(f.trace.Tape)
	for _, p := range f.trace.Parameters {
		if (p.Name == "again" || p.Name == "long-holds") && p.Value != "0" {
			n += 2
		}
	}
	return n
}

// stepsUntil are the steps of a trace until its property is violated.
func stepsUntil(t *traces.Trace) []render.Step {
	steps := render.Steps(t)
	if i := slices.IndexFunc(steps, func(s render.Step) bool { return s.Violating }); i >= 0 {
		return steps[:i+1]
	}
	return steps
}

// findings are all that a call of Check has found so far.
type findings struct {
	searched []string // the scenarios
	failures []*failure
	limits   []*traces.Trace // violations that do not fail, and are not expected
	expected []*traces.Trace
	warnings []string
}

// add takes the failures of one scenario, and returns what is wrong that was not
// known before.
func (f *findings) add(list []*failure) (fresh []string) {
	for _, one := range list {
		if !slices.ContainsFunc(f.failures, func(o *failure) bool { return slices.Contains(o.causes, one.causes[0]) }) {
			fresh = append(fresh, one.what())
		}
		f.failures = append(f.failures, one)
	}
	return fresh
}

// simple are the failures that tell of their causes well enough: no other is made
// smaller for these.
func (f *findings) simple() []*failure {
	return slices.DeleteFunc(slices.Clone(f.failures), func(o *failure) bool {
		return o.path == "" && (o.trouble != nil || !o.reduced || o.unusual() > 1)
	})
}

// causeStory is one cause, or several that show in one run, with the failure that tells
// of it.
type causeStory struct {
	*failure
	// properties are violated for that cause, that of the failure first, and
	// scenarios are those in which it shows.
	properties, scenarios []string
}

// stories are what there is to tell: as few failures as show every cause, the
// simplest of each, in the order in which they are told. A case that is kept is
// told before one that is not.
func (f *findings) stories() []*causeStory {
	list := slices.Clone(f.failures)
	slices.SortStableFunc(list, func(a, b *failure) int {
		return cmp.Or(order(a.unsteady, b.unsteady), order(b.path != "", a.path != ""), order(b.tellable(), a.tellable()), cmp.Compare(a.rank(), b.rank()), order(b.first, a.first), simpler(a, b))
	})
	var told []*failure
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
	all := f.tell(told)
	slices.SortStableFunc(all, func(a, b *causeStory) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.unusual(), b.unusual()), cmp.Compare(len(b.scenarios), len(a.scenarios)), simpler(a.failure, b.failure))
	})
	return all
}

// tellable reports whether the failure is as small as it gets.
func (f *failure) tellable() bool { return f.reduced || f.trouble != nil }

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// covered reports whether the failures show all of the causes.
func covered(causes []string, by []*failure) bool {
	return !slices.ContainsFunc(causes, func(c string) bool {
		return !slices.ContainsFunc(by, func(f *failure) bool { return slices.Contains(f.causes, c) })
	})
}

// tell makes stories of failures.
func (f *findings) tell(told []*failure) (list []*causeStory) {
	owner := f.owners(told)
	for _, one := range told {
		s := &causeStory{failure: one, scenarios: []string{one.scenario}}
		for _, other := range f.failures {
			if owner[other.causes[0]] != one {
				continue
			}
			s.scenarios = append(s.scenarios, other.scenario)
			if other.trouble == nil {
				s.properties = append(s.properties, other.trace.Property)
			}
		}
		s.scenarios = unique(s.scenarios)
		if one.trouble == nil {
			s.properties = inOrder(one.trace.Property, s.properties)
		}
		list = append(list, s)
	}
	return list
}

// owners says which of the failures tells of each cause: the one whose own it is, or
// else, of those that show it, the one whose own cause was found most often.
func (f *findings) owners(told []*failure) map[string]*failure {
	often := map[string]int{}
	for _, one := range f.failures {
		often[one.causes[0]]++
	}
	owner := map[string]*failure{}
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

// unique is a list without what it has had before.
func unique(list []string) (once []string) {
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// inOrder are properties in the order of the checker's, one of them first.
func inOrder(first string, list []string) []string {
	ids := slices.DeleteFunc(checker.IDs(), func(id string) bool { return !slices.Contains(list, id) })
	return unique(append([]string{first}, ids...))
}
