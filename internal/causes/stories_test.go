package causes

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
	removed   = checker.OwnerOnlyRelease + "/" + model.RemovedByAnother
	twoHold   = checker.MutualExclusion + "/" + model.RemovedByAnother
	lost      = checker.NoLostUpdate + "/" + model.RemovedByAnother
	liedTo    = checker.TruthfulRelease + "/" + model.Untrue
	heardLate = checker.TruthfulAcquire + "/" + model.AcquiredTooLate
	lateHold  = checker.MutualExclusion + "/" + model.AcquiredTooLate
	orphan    = checker.NoOrphan + "/" + model.LeftBehind
	granted   = checker.MutualExclusion + "/" + model.GrantedToBoth
	stopped   = checker.MutualExclusion + "/" + model.HolderStopped
)

// What fails a test: every violation, or every fault.
func all(string, model.Violation) bool            { return true }
func onlyFaults(_ string, v model.Violation) bool { return !v.Limit }

// properties are those of a story's causes.
func (s *Story) properties() (list []string) {
	for _, c := range s.covers {
		list = append(list, c.Property)
	}
	return list
}

// TestOneStoryOfEachCause: what is told, of which run, and for which properties and
// scenarios it stands.
func TestOneStoryOfEachCause(t *testing.T) {
	raw := func(t *traces.Trace) *Failure { return Violates(t, all) }
	small := func(t *traces.Trace) *Failure {
		f := raw(t)
		f.Reduced = true
		return f
	}
	kept := func(t *traces.Trace) *Failure {
		f := small(t)
		f.Kept = true
		return f
	}
	died := func(scenario, reason string) *Failure {
		return Unfinished(scenario, nil, &explore.Trouble{Kind: explore.Crashed, Reason: reason})
	}
	by := func(kind sim.Kind, t *traces.Trace) *traces.Trace {
		for i := range t.Tape {
			t.Tape[i].Kind = kind
		}
		return t
	}
	again := violated("cancel", 0, removed)
	again.Parameters = []traces.Parameter{{Name: "again", Value: "1"}}
	for _, test := range []struct {
		name  string
		found []*Failure
		want  []string // the scenario of the story, its properties, its scenarios
	}{
		{"the same cause in several scenarios, the simplest is told",
			[]*Failure{small(violated("a", 3, removed)), small(violated("b", 1, removed)), raw(violated("c", 0, twoHold)), small(violated("d", 2, twoHold))},
			[]string{"b owner-only-release b,a", "d mutual-exclusion d,c"}},
		{"two causes", []*Failure{small(violated("a", 2, removed)), small(violated("b", 1, heardLate)), small(violated("c", 1, lateHold))},
			[]string{"c mutual-exclusion c", "b truthful-acquire b", "a owner-only-release a"}},
		{"two causes in one run are told once", []*Failure{small(violated("a", 1, removed, liedTo)), raw(violated("a", 5, liedTo, removed)), raw(violated("b", 5, liedTo))},
			[]string{"a owner-only-release,truthful-release a"}},
		{"unless one of them alone is simpler", []*Failure{small(violated("a", 0, liedTo)), small(violated("b", 1, removed, liedTo))},
			[]string{"a truthful-release a,b", "b owner-only-release b"}},
		{"not if no run shows both", []*Failure{small(violated("a", 0, liedTo)), small(violated("b", 1, removed))},
			[]string{"a truthful-release a", "b owner-only-release b"}},
		{"the simplest story is told, though a later one shows more", // a lock that fails in contention alone
			[]*Failure{small(by(sim.Order, violated("contention", 1, granted))), small(by("fault:late", violated("late-request", 2, removed, granted)))},
			[]string{"contention mutual-exclusion contention,late-request", "late-request owner-only-release late-request"}},
		{"of two rules each is told in its simplest scenario",
			[]*Failure{
				small(by(sim.Delay, violated("cancel", 3, "first-rule/", "second-rule/"))), raw(by(sim.Delay, violated("cancel", 3, "second-rule/", "first-rule/"))),
				small(by("fault:pause", violated("gc-pause", 1, "second-rule/"))),
			},
			[]string{"gc-pause second-rule gc-pause,cancel", "cancel first-rule cancel"}},
		{"of two rules of one reason, too", []*Failure{small(violated("a", 2, "first-rule/rule-broken")), small(violated("b", 1, "second-rule/rule-broken"))},
			[]string{"b second-rule b", "a first-rule a"}},
		{"a fault and a limit of one property are two", []*Failure{small(violated("a", 1, stopped)), small(violated("b", 1, granted))},
			[]string{"b mutual-exclusion b", "a mutual-exclusion a"}},
		{"what no failure is of is told of the simplest run that shows it",
			[]*Failure{small(violated("a", 1, twoHold, heardLate)), small(violated("b", 0, twoHold))},
			[]string{"b mutual-exclusion b,a", "a truthful-acquire a"}},
		{"of two violations of one run the first is told", []*Failure{small(violated("a", 1, twoHold, removed)), small(violated("a", 1, removed, twoHold))},
			[]string{"a owner-only-release,mutual-exclusion a"}},
		{"faults before limits", []*Failure{small(violated("a", 0, stopped)), small(violated("b", 4, orphan))},
			[]string{"b no-orphan b", "a mutual-exclusion a"}},
		{"what did not finish first, and panics by what they say",
			[]*Failure{small(violated("a", 0, removed)), died("a", "in c1: panic: one"), died("b", "in c2: panic: one"), died("b", "the worker died: panic: two")},
			[]string{"a  a,b", "b  b", "a owner-only-release a"}},
		{"a kept case stays", []*Failure{small(violated("a", 0, removed)), kept(violated("b", 3, removed))},
			[]string{"b owner-only-release b,a"}},
		{"what needs no fault comes before what needs one, with however many other choices",
			[]*Failure{small(by("fault:pause", violated("gc-pause", 1, removed))), small(by(sim.Order, violated("contention", 4, removed)))},
			[]string{"contention owner-only-release contention,gc-pause"}},
		{"of two causes, too",
			[]*Failure{small(by("fault:pause", violated("gc-pause", 1, removed))), small(by(sim.Latency, violated("contention", 4, orphan)))},
			[]string{"contention no-orphan contention", "gc-pause owner-only-release gc-pause"}},
		{"of as many deviations the familiar fault is told",
			[]*Failure{small(by("fault:failover", violated("failover-loss", 1, removed))), small(by("fault:pause", violated("gc-pause", 1, removed)))},
			[]string{"gc-pause owner-only-release gc-pause,failover-loss"}},
		{"a familiar fault is no reason for another of its kind",
			[]*Failure{small(by("fault:failover", violated("failover-loss", 1, removed))), small(by("fault:pause", violated("gc-pause", 2, removed)))},
			[]string{"failover-loss owner-only-release failover-loss,gc-pause"}},
		{"two holders before a false answer", []*Failure{small(violated("a", 1, liedTo)), small(violated("b", 1, granted)), small(violated("c", 1, liedTo))},
			[]string{"b mutual-exclusion b", "a truthful-release a,c"}},
		{"what is as it was found is told if there is nothing else", []*Failure{raw(violated("a", 7, removed)), raw(violated("b", 6, removed))},
			[]string{"b owner-only-release b,a"}},
		{"releasing again is no calm run", []*Failure{small(again), small(violated("gc-pause", 1, removed))},
			[]string{"gc-pause owner-only-release gc-pause,cancel"}},
	} {
		f := &Findings{failures: test.found}
		var got []string
		for _, s := range f.Stories() {
			got = append(got, strings.Join([]string{s.Scenario, strings.Join(s.properties(), ","), strings.Join(s.scenarios, ",")}, " "))
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
		name  string
		fails Fails
		want  string
	}{
		{"faults", onlyFaults, "owner-only-release no-orphan mutual-exclusion truthful-release no-lost-update"},
		{"limits, too", all, "owner-only-release no-orphan mutual-exclusion mutual-exclusion truthful-release no-lost-update"},
		{"all but one property", func(scenario string, v model.Violation) bool {
			return scenario == "gc-pause" && v.Property != checker.NoOrphan && !v.Limit
		},
			"owner-only-release mutual-exclusion truthful-release no-lost-update"},
	} {
		var got []string
		for _, v := range Failing(run, test.fails) {
			got = append(got, v.Property)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestTelling: a violation is told by what is violated first, and by itself.
func TestTelling(t *testing.T) {
	for _, test := range []struct{ violations, want string }{
		{removed, "owner-only-release"},
		{removed + " " + liedTo, "owner-only-release"},
		{twoHold + " " + heardLate + " " + removed, "truthful-acquire mutual-exclusion"},
		{liedTo + " " + removed, "owner-only-release truthful-release"}, // a false answer comes behind what it is about
		{liedTo + " " + granted, "mutual-exclusion truthful-release"},
		{liedTo + " " + lost, "truthful-release"},
		{stopped, ""},
	} {
		var got []string
		for _, v := range Representatives(violated("a", 0, strings.Fields(test.violations)...), onlyFaults) {
			got = append(got, v.String())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: told by %q, want %q", test.violations, got, test.want)
		}
	}
}

// TestFreshCauses: the subtest of a scenario says what no scenario before it had.
func TestFreshCauses(t *testing.T) {
	f := &Findings{}
	for _, test := range []struct {
		found []*traces.Trace
		want  int
	}{
		{[]*traces.Trace{violated("a", 1, removed, liedTo)}, 1},
		{[]*traces.Trace{violated("b", 1, twoHold), violated("b", 1, liedTo)}, 0},
		{[]*traces.Trace{violated("c", 1, removed), violated("c", 1, heardLate), violated("c", 1, orphan)}, 2},
	} {
		var list []*Failure
		for _, one := range test.found {
			list = append(list, Violates(one, onlyFaults))
		}
		if fresh := f.Add(list); len(fresh) != test.want {
			t.Errorf("%s: %q is new", test.found[0].Scenario, fresh)
		}
	}
}

// TestSimple: which failures are so simple that no other of their cause is shrunk.
func TestSimple(t *testing.T) {
	of := func(kind sim.Kind, deviations int, reduced bool, path string) *Failure {
		f := Violates(violated("a", deviations, removed), all)
		f.Reduced, f.Kept = reduced, path != ""
		for i := range f.Trace.Tape {
			f.Trace.Tape[i].Kind = kind
		}
		return f
	}
	for _, test := range []struct {
		name string
		f    *Failure
		want bool
	}{
		{"a pause", of("fault:pause", 1, true, ""), true},
		{"an order", of(sim.Order, 1, true, ""), true},
		{"nothing", of(sim.Order, 0, true, ""), true},
		{"a failover", of("fault:failover", 1, true, ""), false},
		{"a fault of a test", of("fault:nap", 1, true, ""), false},
		{"two pauses", of("fault:pause", 2, true, ""), false},
		{"a pause, as it was found", of("fault:pause", 1, false, ""), false},
		{"a kept case", of("fault:failover", 3, true, "kept.json"), true},
	} {
		f := Findings{failures: []*Failure{test.f}}
		if got := len(f.Simple()) == 1; got != test.want {
			t.Errorf("%s: simple %t", test.name, got)
		}
	}
}
