package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestLibrary searches, with a small budget, for what is expected of each lock
// that TestMustBeFound does not measure: until all is found that must be, in the
// cells in which something must. In the others it takes a short look for what
// must never be; the command matrix takes a longer one.
func TestLibrary(t *testing.T) {
	const most, look = 1600, 16
	const share = 12 // of the cells in which something must be found, those that -short tries
	for i, l := range scenarios.Locks() {
		expected, err := scenarios.Expected(scenarios.Families(), l.ID)
		if err != nil {
			continue // TestEveryLockHasExpectations tells of it
		}
		for j, s := range scenarios.All() {
			e := expected.Under(s.ID)
			if e.Except != "" || testing.Short() && (len(e.Must) == 0 || (i+j)%share != 0) {
				continue
			}
			if slices.Contains(measured, l.ID) && !slices.ContainsFunc(e.Must, scenarios.Weaker) {
				continue
			}
			if scenarios.Versions().GoRedis != oldestGoRedis {
				e.Must, e.May = nil, append(slices.Clip(e.Must), e.May...) // how soon is known with that one
			}
			t.Run(l.ID+"/"+s.ID, func(t *testing.T) {
				t.Parallel()
				c, err := scenarios.NewCell(s.ID, l.ID, e.Settings, scenarios.Locks())
				if err != nil {
					t.Fatal(err)
				}
				schedules := most
				if len(e.Must) == 0 {
					schedules = look
				}
				missed, never := e.Unlike(survey(t, c, schedules, e.Must))
				if len(missed) > 0 {
					t.Errorf("not found in %d schedules: %s. %s %s", schedules, strings.Join(missed, ", "), expected.Reason, e.Reason)
				}
				if len(never) > 0 {
					t.Errorf("violated, which must never be: %s. %s %s", strings.Join(never, ", "), expected.Reason, e.Reason)
				}
			})
		}
	}
}

// survey runs schedules until they have violated all of the properties, if there
// are any, and returns what they violated.
func survey(t *testing.T, c scenarios.Cell, schedules int, until []string) (found []string) {
	t.Helper()
	request := explore.Request{Cell: c.Encode(), Strategy: explore.PortfolioStrategy, Seed: 1, Count: schedules}
	err := worker(t, 1).Do(t.Context(), request, func(r explore.Result) bool {
		if r.Trouble != nil {
			t.Errorf("schedule %d: %s\n%s", r.Schedule, r.Trouble.Reason, r.Trouble.Stack)
		}
		for _, p := range r.Violated {
			if !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
		return len(until) == 0 || slices.ContainsFunc(until, func(p string) bool { return !slices.Contains(found, p) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestEveryLockHasExpectations: what must be found of a built-in lock is written
// down, once, with the reason.
func TestEveryLockHasExpectations(t *testing.T) {
	var ids []string
	for _, f := range scenarios.Families() {
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
	for _, l := range scenarios.Locks() {
		if _, err := scenarios.Expected(scenarios.Families(), l.ID); err != nil {
			t.Error(err)
		}
	}
	for i, id := range ids {
		if _, err := scenarios.FindLock(scenarios.Locks(), id); err != nil {
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
	for _, f := range scenarios.Families() {
		for _, l := range f.Expectations {
			for i, e := range l.In {
				at := l.Lock + " under " + e.Scenario
				if _, err := scenarios.NewCell(e.Scenario, l.Lock, e.Settings, scenarios.Locks()); err != nil {
					t.Errorf("%s: %v", at, err)
				}
				if slices.ContainsFunc(l.In[:i], func(o scenarios.Expectation) bool { return o.Scenario == e.Scenario }) {
					t.Errorf("%s is there twice", at)
				}
				for _, p := range slices.Concat(e.Must, e.May) {
					weak := scenarios.Weaker(p) && !slices.Contains(e.Settings, traces.Parameter{Name: "weak", Value: "1"})
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

// TestUnlike compares what was found with what is expected.
func TestUnlike(t *testing.T) {
	e := scenarios.Expectation{Must: []string{"a", "b"}, May: []string{"c"}}
	for _, test := range []struct{ found, missed, never string }{
		{"a b", "", ""},
		{"a b c", "", ""},
		{"c a", "b", ""},
		{"a b d e", "", "d e"},
		{"", "a b", ""},
		{"d", "a b", "d"},
	} {
		missed, never := e.Unlike(strings.Fields(test.found))
		if strings.Join(missed, " ") != test.missed || strings.Join(never, " ") != test.never {
			t.Errorf("%q: missed %v, never %v; want %q and %q", test.found, missed, never, test.missed, test.never)
		}
	}
	nothing := (&scenarios.Expectations{}).Under("contention")
	if missed, never := nothing.Unlike([]string{"a"}); len(missed) != 0 || len(never) != 1 || nothing.Scenario != "contention" {
		t.Errorf("where nothing is written down, a violation is %v, %v", missed, never)
	}
}
