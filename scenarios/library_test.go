package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestLibrary searches, with a small budget, for what is expected of each lock
// that TestMustBeFound does not measure: until all is found that must be, in the
// cells in which something must. In the others it takes a short look for what
// must never be; the command matrix takes a longer one.
func TestLibrary(t *testing.T) {
	const most, look = 1600, 16
	const share = 24 // of the cells in which something must be found, those that -short tries
	for i, l := range builtin.Locks() {
		expected, err := expect.Expected(builtin.Families(), l.ID)
		if err != nil {
			continue // TestEveryLockHasExpectations reports it
		}
		for j, s := range scenarios.All() {
			e := expected.Under(s.ID)
			if e.Except != "" || testing.Short() && (len(e.Must) == 0 || (i+j)%share != 0) {
				continue
			}
			if slices.Contains(measured, l.ID) && !slices.ContainsFunc(e.Must, weaker) {
				continue
			}
			if cells.GoRedis() != cells.OldestGoRedis {
				e.Must, e.May = nil, append(slices.Clip(e.Must), e.May...) // how soon is known with that one
			}
			c, err := scenarios.Registry(builtin.Locks()).Cell(s.ID, l.ID, e.Settings)
			if err != nil {
				t.Fatal(err)
			}
			if c.Lacks() != "" {
				continue
			}
			t.Run(l.ID+"/"+s.ID, func(t *testing.T) {
				t.Parallel()
				schedules := most
				if len(e.Must) == 0 {
					schedules = look
				}
				missed, never := e.Unlike(survey(t, c, schedules, e.Must))
				if len(missed) > 0 {
					t.Errorf("not found in %d schedules: %v. %s %s", schedules, missed, expected.Reason, e.Reason)
				}
				if len(never) > 0 {
					t.Errorf("violated, which must never be: %v. %s %s", never, expected.Reason, e.Reason)
				}
			})
		}
	}
}

// survey runs schedules until they have violated all of the properties, if there
// are any, and returns what they violated.
func survey(t *testing.T, c cell.Cell, schedules int, until []model.Violation) (found []model.Violation) {
	t.Helper()
	return surveyFrom(t, c, 1, schedules, until)
}

// surveyFrom is survey with another seed.
func surveyFrom(t *testing.T, c cell.Cell, seed uint64, schedules int, until []model.Violation) (found []model.Violation) {
	t.Helper()
	request := explore.Request{Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: seed, Count: schedules}
	err := cells.Worker(t, 1).Do(t.Context(), request, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("schedule %d: %s\n%s", r.Schedule, r.Trouble.Reason, r.Trouble.Stack)
		}
		for _, v := range r.Violated {
			if !slices.Contains(found, v) {
				found = append(found, v)
			}
		}
		return len(until) == 0 || slices.ContainsFunc(until, func(v model.Violation) bool { return !slices.Contains(found, v) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// findsFault reports whether a search of so many schedules finds a fault with one of four seeds. How soon a seed
// finds a bug varies: of bugs that take several faults, one search in ten takes four times the median.
func findsFault(t *testing.T, c cell.Cell, schedules int, property string) bool {
	t.Helper()
	for seed := range uint64(4) {
		if model.Violates(surveyFrom(t, c, 1+seed, schedules, asFaults(property)), property) {
			return true
		}
	}
	return false
}

// TestEveryLockHasExpectations: what must be found of a built-in lock is written
// down, once, with the reason.
func TestEveryLockHasExpectations(t *testing.T) {
	var ids []string
	for _, f := range builtin.Families() {
		for _, e := range f.Expectations {
			ids = append(ids, e.Lock)
			if !strings.HasSuffix(e.Reason, ".") {
				t.Errorf("%s: the reason is no sentence: %q", e.Lock, e.Reason)
			}
			if f.Title == "" {
				t.Errorf("%s: its family has no title", e.Lock)
			}
		}
	}
	for _, l := range builtin.Locks() {
		if _, err := expect.Expected(builtin.Families(), l.ID); err != nil {
			t.Error(err)
		}
	}
	for i, id := range ids {
		if _, err := scenarios.Registry(builtin.Locks()).Lock(id); err != nil {
			t.Errorf("expectations of what is no lock: %v", err)
		}
		if slices.Contains(ids[:i], id) {
			t.Errorf("%s has expectations twice", id)
		}
	}
}

// TestExpectationsMeanSomething: they are of scenarios and properties that exist,
// in cells that can be made, each once, and none contradicts itself.
func TestExpectationsMeanSomething(t *testing.T) {
	for _, f := range builtin.Families() {
		for _, l := range f.Expectations {
			for i, e := range l.In {
				at := l.Lock + " under " + e.Scenario
				if _, err := scenarios.Registry(builtin.Locks()).Cell(e.Scenario, l.Lock, e.Settings); err != nil {
					t.Errorf("%s: %v", at, err)
				}
				if slices.ContainsFunc(l.In[:i], func(o expect.Expectation) bool { return o.Scenario == e.Scenario && o.Topology == e.Topology }) {
					t.Errorf("%s is there twice", at)
				}
				for _, v := range slices.Concat(e.Must, e.May) {
					p := v.Property
					weak := checker.Weak(p) && !slices.Contains(e.Settings, traces.Parameter{Name: "weak", Value: "1"})
					if !checker.Known(p) || weak {
						t.Errorf("%s: %q is no property that is judged there", at, p)
					}
				}
				if e.Except != "" && (len(e.Must)+len(e.May) > 0 || e.Vacuous || e.Undecided) {
					t.Errorf("%s does not apply, and yet something is expected", at)
				}
				if e.Reason != "" && !strings.HasSuffix(e.Reason, ".") {
					t.Errorf("%s: the reason is no sentence: %q", at, e.Reason)
				}
			}
		}
	}
}

// TestUnlike compares what was found with what is expected: that a property is
// violated as a fault, or as a limit, is expected apart.
func TestUnlike(t *testing.T) {
	list := func(text string) (list []model.Violation) {
		for _, word := range strings.Fields(text) {
			p, limit := strings.CutSuffix(word, "~") // of a limit
			list = append(list, model.Violation{Property: p, Limit: limit})
		}
		return list
	}
	text := func(list []model.Violation) string {
		var words []string
		for _, v := range list {
			words = append(words, strings.Replace(v.String(), " (limit)", "~", 1))
		}
		return strings.Join(words, " ")
	}
	e := expect.Expectation{Must: list("a b~"), May: list("c d~")}
	for _, test := range []struct{ found, missed, never string }{
		{"a b~", "", ""},
		{"a b~ c d~", "", ""},
		{"c a", "b~", ""},
		{"a b~ e f~", "", "e f~"},
		{"", "a b~", ""},
		{"e", "a b~", "e"},
		{"a b~ a~ b", "", "a~ b"},
		{"a~ b", "a b~", "a~ b"},
		{"a b~ c~", "", "c~"},
		{"a b~ d", "", "d"},
		{"a b~ late-orphan", "", ""},
	} {
		missed, never := e.Unlike(list(test.found))
		if text(missed) != test.missed || text(never) != test.never {
			t.Errorf("%q: missed %v, never %v; want %q and %q", test.found, missed, never, test.missed, test.never)
		}
	}
	for word, want := range map[string]string{"a": "must", "a~": "never", "b": "never", "b~": "must", "c": "may", "c~": "never", "d~": "may", "release-denied": "may"} {
		if v := list(word)[0]; e.Word(v) != want || e.Allows(v) != (want != "never") {
			t.Errorf("%s: %s, allowed %v; want %s", v, e.Word(v), e.Allows(v), want)
		}
	}
	nothing := (&expect.Expectations{}).Under("contention")
	if missed, never := nothing.Unlike(list("a")); len(missed) != 0 || len(never) != 1 || nothing.Scenario != "contention" {
		t.Errorf("where nothing is written down, a violation is %v, %v", missed, never)
	}
}

// TestExpectedClasses: what is expected of well-known locks says whether it is a
// fault or a limit.
func TestExpectedClasses(t *testing.T) {
	for _, test := range []struct {
		lock, scenario, property string
		fault, limit             string
	}{
		{"setpx", "gc-pause", checker.MutualExclusion, "never", "must"},
		{"setpx", "cancel", checker.NoOrphan, "must", "never"},
		{"setpx-del", "gc-pause", checker.OwnerOnlyRelease, "must", "never"},
		{"setpx-del", "lost-reply", checker.MutualExclusion, "must", "never"},
		{"setpx-void-as-printed", "contention", checker.NoLostUpdate, "must", "never"},
		{"pull", "gc-pause", checker.Overrun, "never", "must"},
		{"semaphore", "holder-crash", checker.Progress, "must", "never"},
		{"semaphore", "partition", checker.Progress, "may", "never"},
	} {
		expected, err := expect.Expected(builtin.Families(), test.lock)
		if err != nil {
			t.Fatal(err)
		}
		e := expected.Under(test.scenario)
		fault, limit := e.Word(model.Violation{Property: test.property}), e.Word(model.Violation{Property: test.property, Limit: true})
		if fault != test.fault || limit != test.limit {
			t.Errorf("%s under %s: %s as a fault %s, as a limit %s; want %s and %s", test.lock, test.scenario, test.property, fault, limit, test.fault, test.limit)
		}
	}
}
