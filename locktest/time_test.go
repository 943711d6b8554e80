package locktest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// spending is a time budget, and what was taken from it.
type spending struct {
	timeBudget
	searched, reducing time.Duration
}

func newSpending(all time.Duration, scenarios int) *spending {
	s := &spending{}
	s.all, s.scenarios = all, scenarios
	s.spent = func() time.Duration { return s.searched + s.reducing }
	s.reduced = func() time.Duration { return s.reducing }
	return s
}

// search takes what a search needs, as far as it may, and returns what it lacks.
func (s *spending) search(need time.Duration) (lacks time.Duration) {
	took := min(need, s.forSearch())
	s.searched += took
	return need - took
}

// reduce takes what n findings need.
func (s *spending) reduce(n int, need time.Duration) (lacks time.Duration) {
	for range n {
		took := min(need, s.forReducing())
		s.reducing += took
		lacks += need - took
	}
	return lacks
}

// TestBudgetSuffices: who has shares that suffice gets all that it asks for, whatever comes before.
func TestBudgetSuffices(t *testing.T) {
	const share = time.Second // of searching: two thirds of 30s for 20 scenarios
	for _, test := range []struct {
		name  string
		first func(*spending) time.Duration
		after time.Duration // what each later search needs
	}{
		{"nothing is found", func(s *spending) time.Duration { return s.search(share) }, share},
		{"the first needs the half that the others do not", func(s *spending) time.Duration { return s.search(10 * share) }, share / 2},
		{"the first finds without an end", func(s *spending) time.Duration { defer s.reduce(30, time.Hour); return s.search(share) }, share},
	} {
		s := newSpending(30*time.Second, 20)
		lacks := test.first(s)
		for range 19 {
			lacks += s.search(test.after)
		}
		if lacks > 0 {
			t.Errorf("%s: the searches lack %v", test.name, lacks)
		}
	}
	s := newSpending(30*time.Second, 1)
	if lacks := s.search(20*time.Second) + s.reduce(1, 4*time.Second); lacks > 0 {
		t.Errorf("a scenario that is alone lacks %v", lacks)
	}
}

// TestBudgetOfReducing: what searches leave over is half for reducing, but for two shares, which a scenario with long runs may
// need that comes last.
func TestBudgetOfReducing(t *testing.T) {
	s := newSpending(30*time.Second, 20)
	for range 10 {
		s.search(100 * time.Millisecond)
	}
	if lacks := s.reduce(1, 4*time.Second); lacks > 0 {
		t.Errorf("a finding lacks %v, though the searches have taken a tenth of their shares", lacks)
	}
	s = newSpending(30*time.Second, 20)
	for range 19 {
		s.search(900 * time.Millisecond)
		s.reduce(3, time.Hour)
	}
	if lacks := s.search(2800 * time.Millisecond); lacks > 0 {
		t.Errorf("the last search lacks %v", lacks)
	}
}

// TestBudgetIsKept: all together take no more than there is and the least for each that comes when nothing is left.
func TestBudgetIsKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(25)
		s := newSpending(28*time.Second, n)
		search, tell := s.shares()
		told := 0
		for range n {
			s.search(time.Duration(rng.Int64N(int64(4 * search))))
			findings := rng.IntN(5)
			told += findings
			s.reduce(findings, time.Duration(rng.Int64N(int64(6*tell))))
		}
		if most := s.all + time.Duration(told)*tell/8; s.spent() > most {
			t.Fatalf("%d scenarios take %v of %v", n, s.spent(), most)
		}
	}
	hog := newSpending(30*time.Second, 20)
	for i := range 20 {
		if hog.forSearch() <= 0 || hog.forReducing() <= 0 { // 0 would be no limit
			t.Fatalf("scenario %d has nothing", i)
		}
		hog.searched += time.Minute
	}
}

// TestEnough: with -short a search ends when it has found all that is expected, and not before others do; an expected
// violation may be a fault or a limit.
func TestEnough(t *testing.T) {
	s := settings{expected: []expectation{{"storm", "p"}, {"storm", "q"}, {"cancel", "p"}}}
	sum := func(schedules int, found ...model.Violation) *explore.Summary {
		of := &explore.Summary{}
		of.Schedules, of.Violations = schedules, map[model.Violation]int{}
		for _, v := range found {
			of.Violations[v] = 1
		}
		return of
	}
	p, limit, q := model.Violation{Property: "p"}, model.Violation{Property: "p", Limit: true}, model.Violation{Property: "q"}
	enough := s.enoughOf("storm")
	for _, test := range []struct {
		sum  *explore.Summary
		want bool
	}{
		{sum(ShortRuns, p, q), true}, {sum(ShortRuns, limit, q), true}, {sum(ShortRuns-1, p, q), false},
		{sum(10*ShortRuns, p), false}, {sum(10 * ShortRuns), false},
	} {
		if got := enough(test.sum); got != test.want {
			t.Errorf("%d schedules with %v: %t", test.sum.Schedules, test.sum.Violations, got)
		}
	}
	for scenario, want := range map[string]bool{"storm": testing.Short(), "gc-pause": false} { // unordered: each by itself
		if got := s.enough(scenario) != nil; got != want {
			t.Errorf("%s ends early: %t", scenario, got)
		}
	}
	for scenario, want := range map[string]int{"storm": DefaultRuns, "gc-pause": map[bool]int{true: ShortRuns, false: DefaultRuns}[testing.Short()]} { // unordered: each by itself
		if got := s.schedules(scenario); got != want {
			t.Errorf("%s has %d schedules", scenario, got)
		}
	}
}
