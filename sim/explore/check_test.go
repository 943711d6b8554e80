package explore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// check runs a check of a toy.
func check(t testing.TB, c toy, bound int, plain bool) *CheckSummary {
	t.Helper()
	sum, err := Check{Worker: self(t), Cell: c.json(), Bound: bound, Plain: plain, Jobs: 2, Happenings: 1}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Troubles) > 0 {
		t.Fatalf("%+v", sum.Troubles)
	}
	return sum
}

func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1)
}

// TestSenders is the classical check: the messages of k senders to one receiver
// can come in k! orders that matter, those to k receivers in one.
func TestSenders(t *testing.T) {
	t.Parallel()
	most := 5
	if testing.Short() {
		most = 4
	}
	for k := 1; k <= most; k++ {
		for _, one := range []bool{true, false} {
			classes := 1
			if one {
				classes = factorial(k)
			}
			plain, reduced := check(t, toy{K: k, One: one}, k-1, true), check(t, toy{K: k, One: one}, k-1, false)
			if len(plain.Orders) != classes || len(reduced.Orders) != classes {
				t.Errorf("%d senders, to one: %v: %d classes, %d with reduction, want %d", k, one, len(plain.Orders), len(reduced.Orders), classes)
			}
			if plain.Schedules != factorial(k) || reduced.Schedules != classes {
				t.Errorf("%d senders, to one: %v: %d schedules, %d with reduction; want %d and %d", k, one, plain.Schedules, reduced.Schedules, factorial(k), classes)
			}
		}
	}
}

// TestReductionIsSound: within every bound, what plain depth-first search sees
// of a random world is what is seen with reduction.
func TestReductionIsSound(t *testing.T) {
	spared, most := 0, 3
	if testing.Short() {
		most = 2
	}
	runner := func(seed uint64) Runner { return toy{Mesh: seed}.run }
	rapid.Check(t, func(t *rapid.T) {
		seed, bound := rapid.Uint64Range(1, 1<<20).Draw(t, "mesh"), rapid.IntRange(1, most).Draw(t, "bound")
		plain, reduced := wholeTree(t, runner(seed), bound, true), wholeTree(t, runner(seed), bound, false)
		for _, c := range slices.Sorted(maps.Keys(plain.kept)) {
			if _, ok := reduced.kept[c]; !ok {
				t.Fatalf("class %x of %d is not seen with reduction", c, len(plain.kept))
			}
		}
		for _, c := range slices.Sorted(maps.Keys(reduced.needless)) {
			if _, ok := reduced.kept[c]; !ok {
				t.Fatalf("a needless run is of class %x, which no other has", c)
			}
		}
		spared += plain.runs - reduced.runs
		if reduced.runs > plain.runs {
			t.Fatalf("%d runs with reduction, %d without", reduced.runs, plain.runs)
		}
	})
	if spared == 0 {
		t.Error("the reduction never spared a run")
	}
}

// tree is what a depth-first search has seen.
type tree struct {
	kept, needless Classes
	runs           int
}

// wholeTree searches in this process.
func wholeTree(t interface{ Fatal(...any) }, run Runner, bound int, plain bool) tree {
	all := tree{kept: Classes{}, needless: Classes{}}
	for b := 0; b <= bound; b++ {
		w := &walk{server: &server{run: run, guard: guarded}, Tree: Tree{Bound: b, Count: 1 << 30, Plain: plain}}
		w.hear = func(r Result) {
			switch {
			case r.Trouble != nil:
				t.Fatal(r.Trouble.Reason)
			case r.Node.Inner:
			case r.Node.Needless && !plain:
				all.runs++
				all.needless[r.Node.Class] = struct{}{}
			default:
				all.runs++
				all.kept[r.Node.Class] = struct{}{}
			}
		}
		if _, err := w.visit(&branch{at: -1}, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestCheck finds what needs two faults at bound 2 and not before, whoever
// does the work, and counts every schedule once.
func TestCheck(t *testing.T) {
	t.Parallel()
	c := toy{Places: 6, Faults: []int{1, 4}}
	// At each of 6 places a segment is prompt or slow, and a fault strikes in
	// one of two ways or not.
	sizes := []int{1, 18, 15*9 - 6*3 + 36 - 9}
	for bound := range 3 {
		sum := check(t, c, bound, false)
		want := Exhausted
		if bound == 2 {
			want = Violation
		}
		if sum.Result() != want || sum.Complete != bound || len(sum.Levels) != bound+1 {
			t.Errorf("bound %d: %s, %+v", bound, sum.Result(), sum.Levels)
		}
		for b := range min(bound+1, 2) {
			if sum.Levels[b].Schedules != sizes[b] {
				t.Errorf("bound %d has %d schedules, want %d", b, sum.Levels[b].Schedules, sizes[b])
			}
		}
		if bound == 2 && (sum.First[pFault].Deviations != 2 || sum.Violations[pFault] != 4) {
			t.Errorf("%d violations, the first with %d deviations", sum.Violations[pFault], sum.First[pFault].Deviations)
		}
	}
}

// TestCheckInParts: two shards, and a check that goes on with what is known,
// have together what one has.
func TestCheckInParts(t *testing.T) {
	t.Parallel()
	k := Check{Worker: self(t), Cell: toy{Places: 5, Faults: []int{0, 3}}.json(), Bound: 2, Happenings: 1}
	var parts []CheckPart
	keep := func(p CheckPart) { parts = append(parts, p) }
	whole, err := k.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.OnPart = keep
	for i := range 3 {
		k.Shard = Shard{i + 1, 3}
		if _, err := k.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	findings := 0
	joined := k
	joined.Shard, joined.Known, joined.OnPart = Shard{}, parts, nil
	joined.OnFinding = func(f Finding) { findings++ }
	joined.OnProgress = func(*CheckSummary) { t.Error("something was run again") }
	again, err := joined.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again.Schedules != whole.Schedules || again.Complete != whole.Complete || !slices.Equal(again.Levels, whole.Levels) ||
		!maps.Equal(again.Violations, whole.Violations) || !maps.Equal(again.Orders, whole.Orders) || findings != 1 {
		t.Errorf("%+v and %+v, %d findings", again, whole, findings)
	}
}

// TestCheckLimit: a bound with too many schedules is not begun, and how many it
// has is said after the first run.
func TestCheckLimit(t *testing.T) {
	t.Parallel()
	var early []float64
	sum, err := Check{
		Worker: self(t), Cell: toy{Places: 10, Faults: []int{0}}.json(), Bound: 5, Limit: 100, Happenings: 1,
		OnPlan: func(p Plan) {
			if early == nil {
				early = slices.Clone(p.Sizes)
			}
		},
	}.Run(t.Context())
	if err != nil || !sum.Limited || sum.Complete != 1 || sum.Result() != Violation {
		t.Errorf("%s, %+v, %v", sum.Result(), sum, err)
	}
	// All of 30 choices, 5 of them: 142,506, less those of one place.
	if len(early) != 6 || early[5] < 50_000 || early[5] > 500_000 {
		t.Errorf("estimates: %v", early)
	}
}

// TestCheckTrouble: a schedule that comes to no proper end is one of the
// results, and the bound is not complete.
func TestCheckTrouble(t *testing.T) {
	t.Parallel()
	for _, do := range []string{"panic in workload", "exit"} {
		sum, err := Check{Worker: self(t), Cell: cell{do, always}.json(), Bound: 1}.Run(t.Context())
		if trouble := (*Trouble)(nil); err != nil && !errors.As(err, &trouble) {
			t.Fatal(err)
		}
		if sum.Result() != string(Crashed) || sum.Complete >= 0 {
			t.Errorf("%s: %s, complete to %d", do, sum.Result(), sum.Complete)
		}
	}
}
