package scenarios

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// violated is a counterexample with so many deviations: of the first of the
// violations, each "property/cause", which come about in the order given.
func violated(scenario string, deviations int, violations ...string) *traces.Trace {
	t := &traces.Trace{Scenario: scenario}
	for range deviations {
		t.Tape = append(t.Tape, sim.Choice{Kind: sim.Delay, Options: 2, Option: 1})
	}
	for i, v := range violations {
		property, cause, _ := strings.Cut(v, "/")
		if i == 0 {
			t.Property = property
		}
		t.Verdicts = append(t.Verdicts, model.Verdict{
			Property: property, Status: model.Violated, Cause: cause, Limit: model.CauseOf(cause).Limit, From: model.Stamp{Seq: int64(i + 1)},
		})
	}
	t.Limit = t.Verdict().Limit
	return t
}

const (
	removed   = checker.OwnerOnlyRelease + "/" + checker.RemovedByAnother
	twoHold   = checker.MutualExclusion + "/" + checker.RemovedByAnother
	lost      = checker.NoLostUpdate + "/" + checker.RemovedByAnother
	liedTo    = checker.TruthfulRelease + "/" + checker.Untrue
	heardLate = checker.TruthfulAcquire + "/" + checker.AcquiredTooLate
	lateHold  = checker.MutualExclusion + "/" + checker.AcquiredTooLate
	orphan    = checker.NoOrphan + "/" + checker.LeftBehind
	stopped   = checker.MutualExclusion + "/" + checker.HolderStopped
)

// TestOneStoryOfEachCause: what is told, of which run, and for which properties and
// scenarios it stands.
func TestOneStoryOfEachCause(t *testing.T) {
	small := func(t *traces.Trace) *failure {
		f := (&attack{settings: settings{strict: true}}).violates(t)
		f.reduced = true
		return f
	}
	raw := func(t *traces.Trace) *failure { return (&attack{settings: settings{strict: true}}).violates(t) }
	kept := func(t *traces.Trace) *failure {
		f := small(t)
		f.path = "kept.json"
		return f
	}
	died := func(scenario, reason string) *failure {
		trouble := &explore.Trouble{Kind: explore.Crashed, Reason: reason}
		return &failure{scenario: scenario, trouble: trouble, causes: []string{causeOfTrouble(trouble)}}
	}
	again := violated("cancel", 0, removed)
	again.Parameters = []traces.Parameter{{Name: "again", Value: "1"}}
	for _, test := range []struct {
		name  string
		found []*failure
		want  []string // the scenario of the story, its properties, its scenarios
	}{
		{"the same cause in several scenarios, the simplest is told",
			[]*failure{small(violated("a", 3, removed)), small(violated("b", 1, removed)), raw(violated("c", 0, twoHold)), small(violated("d", 2, twoHold))},
			[]string{"b owner-only-release,mutual-exclusion b,a,c,d"}},
		{"two causes", []*failure{small(violated("a", 2, removed)), small(violated("b", 1, heardLate)), small(violated("c", 1, lateHold))},
			[]string{"b truthful-acquire,mutual-exclusion b,c", "a owner-only-release a"}},
		{"two causes in one run are told once", []*failure{small(violated("a", 1, removed, liedTo)), raw(violated("a", 5, liedTo, removed)), raw(violated("b", 5, liedTo))},
			[]string{"a owner-only-release,truthful-release a,b"}},
		{"though one of them alone is simpler", []*failure{small(violated("a", 0, liedTo)), small(violated("b", 1, removed, liedTo))},
			[]string{"b owner-only-release,truthful-release b,a"}},
		{"not if no run shows both", []*failure{small(violated("a", 0, liedTo)), small(violated("b", 1, removed))},
			[]string{"a truthful-release a", "b owner-only-release b"}},
		{"a third belongs to the cause that is found more often",
			[]*failure{small(violated("a", 1, heardLate, liedTo)), small(violated("b", 1, removed, liedTo)), raw(violated("c", 5, removed)), raw(violated("d", 5, liedTo))},
			[]string{"b owner-only-release,truthful-release b,c,d", "a truthful-acquire a"}},
		{"what is violated first is told", []*failure{small(violated("a", 1, twoHold, removed)), small(violated("b", 2, removed, twoHold))},
			[]string{"b owner-only-release,mutual-exclusion b,a"}},
		{"faults before limits", []*failure{small(violated("a", 0, stopped)), small(violated("b", 4, orphan))},
			[]string{"b no-orphan b", "a mutual-exclusion a"}},
		{"what did not finish first, and panics by what they say",
			[]*failure{small(violated("a", 0, removed)), died("a", "in c1: panic: one"), died("b", "in c2: panic: one"), died("b", "the worker died: panic: two")},
			[]string{"a  a,b", "b  b", "a owner-only-release a"}},
		{"a kept case stays", []*failure{small(violated("a", 0, removed)), kept(violated("b", 3, removed))},
			[]string{"b owner-only-release b,a"}},
		{"what is as it was found is told if there is nothing else", []*failure{raw(violated("a", 7, removed)), raw(violated("b", 6, removed))},
			[]string{"b owner-only-release b,a"}},
		{"releasing again is no calm run", []*failure{small(again), small(violated("gc-pause", 1, removed))},
			[]string{"gc-pause owner-only-release gc-pause,cancel"}},
	} {
		f := &findings{failures: test.found}
		var got []string
		for _, s := range f.stories() {
			got = append(got, strings.Join([]string{s.scenario, strings.Join(s.properties, ","), strings.Join(s.scenarios, ",")}, " "))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

// TestFailing: which verdicts fail, and in which order they are told: a consequence
// comes behind what it follows from.
func TestFailing(t *testing.T) {
	run := violated("gc-pause", 1, lost, stopped, twoHold, liedTo, removed, orphan)
	for _, test := range []struct {
		settings settings
		want     string
	}{
		{settings{}, "truthful-release owner-only-release no-orphan mutual-exclusion no-lost-update"},
		{settings{strict: true}, "truthful-release owner-only-release no-orphan mutual-exclusion mutual-exclusion no-lost-update"},
		{settings{expected: []expectation{{"gc-pause", checker.NoOrphan}, {"storm", checker.NoLostUpdate}}}, "truthful-release owner-only-release mutual-exclusion no-lost-update"},
	} {
		var got []string
		for _, v := range (&attack{settings: test.settings}).failing(run) {
			got = append(got, v.Property)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %q, want %q", test.settings, got, test.want)
		}
	}
}

// TestFreshCauses: the subtest of a scenario says what no scenario before it had.
func TestFreshCauses(t *testing.T) {
	a, f := &attack{}, &findings{}
	for _, test := range []struct {
		found []*traces.Trace
		want  int
	}{
		{[]*traces.Trace{violated("a", 1, removed, liedTo)}, 1},
		{[]*traces.Trace{violated("b", 1, twoHold), violated("b", 1, liedTo)}, 0},
		{[]*traces.Trace{violated("c", 1, removed), violated("c", 1, heardLate), violated("c", 1, orphan)}, 2},
	} {
		var list []*failure
		for _, one := range test.found {
			list = append(list, a.violates(one))
		}
		if fresh := f.add(list); len(fresh) != test.want {
			t.Errorf("%s: %q is new", test.found[0].Scenario, fresh)
		}
	}
}
