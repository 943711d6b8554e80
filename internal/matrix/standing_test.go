package matrix

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// TestLetters: usual properties come before weak ones, and what another violation of the
// same class implies has no letter.
func TestLetters(t *testing.T) {
	limit := func(id string) model.Violation { return model.Violation{Property: id, Limit: true} }
	for _, test := range []struct {
		found []model.Violation
		want  string
	}{
		{[]model.Violation{denied, {Property: checker.NoLostUpdate}, {Property: checker.FairOrder}, {Property: checker.Fencing}, holders}, "HTUQd"},
		{[]model.Violation{{Property: checker.Linearizable}, holdersThen}, "HL"},
		{[]model.Violation{{Property: checker.Linearizable}, holders}, "H"},
		{[]model.Violation{{Property: checker.Linearizable}, limit(checker.Linearizable), limit(checker.Fencing)}, "LT"},
	} {
		c := Cell{options: &Options{}}
		if got := c.Letters(test.found, func(_ model.Violation, letter string) string { return letter }); got != test.want {
			t.Errorf("%v: %s, want %s", test.found, got, test.want)
		}
	}
}

// TestUsual: a program is judged by its rules, and a lock by the checker's properties.
func TestUsual(t *testing.T) {
	rule := program.AtMostOnce("no mail is sent twice", "mail")
	l, err := cell.Program{ID: "mails", Stores: []stage.Store{redis.Store}, Rules: []program.Rule{rule}, Main: func(*cell.Process) error { return nil }}.Lock()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		lock              cell.Lock
		judged, notJudged string
	}{
		{l, "no-mail-is-sent-twice", checker.MutualExclusion},
		{builtin.Locks()[0], checker.MutualExclusion, "no-mail-is-sent-twice"},
	} {
		one, err := scenarios.Registry([]cell.Lock{test.lock}).Cell("contention", test.lock.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := Cell{Cell: one, options: &Options{}}
		has := func(id string) bool {
			return slices.ContainsFunc(c.Usual(), func(p checker.Property) bool { return p.ID == id })
		}
		if !has(test.judged) || has(test.notJudged) {
			t.Errorf("%s: %s is judged: %t, want true; %s: %t, want false", test.lock.ID, test.judged, has(test.judged), test.notJudged, has(test.notJudged))
		}
	}
}

// found is the summary of a search of 16 schedules that found these.
func found(list ...model.Violation) *explore.Summary {
	s := &explore.Summary{}
	s.Schedules, s.Happened = 16, []int{1, 1, 1}
	s.Violations, s.First = map[model.Violation]int{}, map[model.Violation]explore.Found{}
	for _, v := range list {
		s.Violations[v] = 3
	}
	return s
}

var (
	holders     = model.Violation{Property: checker.MutualExclusion}
	holdersThen = model.Violation{Property: checker.MutualExclusion, Limit: true}
	denied      = model.Violation{Property: checker.ReleaseDenied}
)

// cellOf is a cell of setpx that was searched.
func cellOf(t *testing.T, e expect.Expectation, s *explore.Summary) *Cell {
	t.Helper()
	m, err := New(Options{
		Known: scenarios.Registry(builtin.Locks()), Scenarios: []string{"gc-pause"}, Runs: 16, Program: "simrun",
		Families: []expect.Family{{Title: "Tried", Expectations: []expect.Expectations{{Lock: "setpx", Reason: "Because.", In: []expect.Expectation{e}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := m.Cells()[0]
	c.Summary = s
	return c
}

// TestStanding: how a lock stands goes by the worst that was found, and what is
// not as expected by the class of each violation.
func TestStanding(t *testing.T) {
	must := expect.Expectation{Scenario: "gc-pause", Must: []model.Violation{holdersThen}}
	none := expect.Expectation{Scenario: "gc-pause"}
	undecided := found()
	undecided.Undecided, undecided.FirstUndecided = 2, &model.Verdict{}
	vacuous := found()
	vacuous.Happened[0] = 0
	interrupted := found()
	interrupted.Interrupted = true
	for _, test := range []struct {
		name     string
		expected expect.Expectation
		sum      *explore.Summary
		stands   Standing
		problems []string // kind, and a part of the text
	}{
		{"before the search", must, nil, NotSearched, nil},
		{"nothing", none, found(), NoneFound, nil},
		{"nothing, and a limit must be", must, found(), NoneFound, []string{kindMissed, "mutual-exclusion as a limit was not found in 16 schedules, but is expected. Because."}},
		{"the limit that must be", must, found(holdersThen), Limit, nil},
		{"a limit that must not be", none, found(holdersThen), Limit, []string{kindUnexpected, "mutual-exclusion is violated as a limit, which is unexpected: in 3 of 16 schedules"}},
		{"a fault for the limit that must be", must, found(holders), Fault,
			[]string{kindUnexpected, "mutual-exclusion is violated as a fault", kindMissed, "was not found in 16 schedules, but is expected; it was found as a fault."}},
		{"both", must, found(holders, holdersThen), Fault, []string{kindUnexpected, "as a fault"}},
		{"a weaker property, which is judged where it is asked for", none, found(denied), NoneFound, nil},
		{"undecided", none, undecided, Undecided, []string{string(explore.Inconclusive), "2 schedules could not be decided"}},
		{"vacuous", none, vacuous, Vacuous, []string{explore.Vacuous, "it never happened in 16 schedules"}},
		{"vacuous, as expected", expect.Expectation{Scenario: "gc-pause", Vacuous: true}, vacuous, Vacuous, nil},
		{"interrupted", must, interrupted, NotSearched, nil},
		{"not applicable", expect.Expectation{Scenario: "gc-pause", Except: "It need not."}, nil, NotApplicable, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := cellOf(t, test.expected, test.sum)
			if got := c.Standing(); got != test.stands {
				t.Errorf("it stands as %s, want %s", got, test.stands)
			}
			problems := c.Problems()
			if len(problems) != len(test.problems)/2 {
				t.Fatalf("problems %+v, want %q", problems, test.problems)
			}
			for i, p := range problems {
				if kind, text := test.problems[2*i], test.problems[2*i+1]; p.Kind != kind || !strings.Contains(p.Text, text) {
					t.Errorf("%s: %s\nwant %s: %s", p.Kind, p.Text, kind, text)
				}
			}
		})
	}
}

// TestResult: what is not as expected comes before what could not be decided.
func TestResult(t *testing.T) {
	m := &Matrix{Groups: []Group{{Rows: []Row{{}}}}}
	add := func(s *explore.Summary) {
		row := &m.Groups[0].Rows[0]
		row.Cells = append(row.Cells, cellOf(t, expect.Expectation{Scenario: "gc-pause"}, s))
	}
	is := func(want string, totals Totals) {
		t.Helper()
		if got, sums := m.Result(), m.Totals(); got != want || sums != totals {
			t.Errorf("%s, %+v, want %s, %+v", got, sums, want, totals)
		}
	}
	is(Inconclusive, Totals{})
	add(found())
	is(AsExpected, Totals{1, 1, 1, 16})
	undecided := found()
	undecided.Undecided, undecided.FirstUndecided = 1, &model.Verdict{}
	add(undecided)
	is(Inconclusive, Totals{2, 2, 1, 32})
	add(found(holders))
	is(NotAsExpected, Totals{3, 3, 1, 48})
	m.Interrupted = true
	is(Interrupted, Totals{3, 3, 1, 48})
}
