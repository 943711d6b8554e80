package explore

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim"
)

// taught is a guided strategy that has seen runs of the toy protocol.
func taught(t *testing.T, seed uint64, runs int) *guided {
	t.Helper()
	s := newGuided(seed, 0).(*guided)
	for range runs {
		o, taken := protocol(s.Next())
		s.Learn(&o, taken)
	}
	return s
}

// faults are the decisions about faults in a run of the toy protocol.
func faults(tape sim.Tape) (list []Taken) {
	_, taken := protocol(tape)
	return slices.DeleteFunc(taken, func(d Taken) bool { return !isFault(d.Kind) })
}

// TestGuidedLearnsBudgets: the first schedule is calm, and the second takes all
// faults that there can be.
func TestGuidedLearnsBudgets(t *testing.T) {
	s := taught(t, 1, 1)
	for _, d := range s.runs[0].trail {
		if d.option != 0 {
			t.Fatal("a fault in the first schedule")
		}
	}
	s = taught(t, 1, 2)
	if s.budget != 2 || len(s.budgets) != 1 {
		t.Errorf("the budget is %d, by kind %v, want 2 of one kind", s.budget, s.budgets)
	}
}

// TestScatter: faults strike within the budget, of one process if it is said
// which, and mostly in different stretches.
func TestScatter(t *testing.T) {
	pairs, apart := 0, 0
	for seed := range uint64(200) {
		s := taught(t, seed, 2)
		p := &plan{noise: s.noise(), strikes: s.scatter(s.runs[0].trail, 1, s.budgets)}
		var struck []stretch
		for _, d := range faults(newPlanTape(p)) {
			if d.Option == 0 {
				continue
			}
			if d.Site.Process != 1 {
				t.Fatalf("seed %d: a fault at %+v", seed, d.Site)
			}
			struck = append(struck, (&passing{place: placeOf(&d.Decision)}).stretch())
		}
		if len(struck) > s.budget {
			t.Fatalf("seed %d: %d faults, more than %d", seed, len(struck), s.budget)
		}
		if len(struck) == 2 {
			pairs++
			if struck[0] != struck[1] {
				apart++
			}
		}
	}
	if pairs < 100 || apart < pairs*2/3 {
		t.Errorf("of 200 schedules %d have two faults, %d in two stretches", pairs, apart)
	}
}

// TestBranch: a branch is the earlier run up to the place where it strikes, and
// strikes there.
func TestBranch(t *testing.T) {
	slowtest.SkipIfShort(t)
	branches := 0
	for seed := range uint64(200) {
		s := taught(t, seed, 30)
		p := s.branch()
		parents := slices.DeleteFunc(slices.Clone(s.runs), func(q *parent) bool { return q.noise.seed != p.noise.seed })
		if len(parents) == 0 {
			continue // it met runs only in which everything has struck
		}
		branches++
		_, branch := protocol(newPlanTape(p))
		if !slices.ContainsFunc(parents, func(q *parent) bool { return leaves(q.plan, branch) }) {
			t.Errorf("seed %d: it is no earlier run up to a new fault", seed)
		}
	}
	if branches < 180 {
		t.Errorf("only %d of 200 went the way of another run", branches)
	}
}

// leaves reports whether a fault is the first in which a run differs from that
// of a plan.
func leaves(p *plan, run []Taken) bool {
	_, earlier := protocol(newPlanTape(p))
	for i := range min(len(earlier), len(run)) {
		if earlier[i].Option != run[i].Option {
			return isFault(run[i].Kind) && earlier[i].Option == 0
		}
	}
	return false
}

// TestPick: a fault that says whom it could strike strikes whom it is meant
// for.
func TestPick(t *testing.T) {
	ends := []sim.Candidate{{From: 3, To: 1}, {From: 4, To: 1}, {From: 3, To: 2}}
	tests := []struct {
		name          string
		process, want int
		option        int
		candidates    []sim.Candidate
	}{
		{"the first of its own", 3, 1, 1, ends},
		{"the second of its own", 3, 3, 2, ends},
		{"round again", 3, 1, 3, ends},
		{"its only one", 4, 2, 3, ends},
		{"the other end counts, too", 2, 3, 1, ends},
		{"none of its own", 5, 2, 2, ends},
		{"nobody said whom", 3, 3, 9, nil},
	}
	for _, test := range tests {
		k := strike{option: test.option}
		k.fixed[byProcess], k.at[byProcess] = true, uint64(test.process)
		if got := k.pick(&sim.Decision{Options: 4, Candidates: test.candidates}); got != test.want {
			t.Errorf("%s: option %d, want %d", test.name, got, test.want)
		}
	}
}
