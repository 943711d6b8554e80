package explore

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
)

// once finds a seed of whose first schedules exactly one draws the number
// below, and says which.
func once(number, schedules int) (seed uint64, schedule int) {
	for seed = 1; ; seed++ {
		found := []int{}
		for i := range schedules {
			if draw(seed, i) == number {
				found = append(found, i)
			}
		}
		if len(found) == 1 && found[0] > 0 && found[0] < schedules-1 {
			return seed, found[0]
		}
	}
}

// TestTroubles: a run that comes to no proper end is a result with its
// stacks, and the search goes on behind it.
func TestTroubles(t *testing.T) {
	const schedules = 6
	seed, bad := once(3, schedules)
	tests := []struct {
		do     string
		procs  int
		kind   TroubleKind
		reason string
		stack  []string
	}{
		{"exit", 0, Crashed, "the worker died: exit status 3", nil},
		{"exit well", 0, Crashed, "the worker ended before it was done", nil},
		{"panic", 0, Crashed, "the worker died: panic: boom", []string{"goroutine "}},
		{"write a map", 2, Crashed, "the worker died: fatal error: concurrent map writes", []string{"explore.init", "goroutine "}},
		{"panic in workload", 0, Crashed, "in c1: panic: boom", []string{"main_test.go:"}},
		{"leak", 0, Crashed, "the run left goroutines behind: some goroutines had not ended 5m0s of virtual time after the run", []string{"chan receive (durable)", "main_test.go:"}},
		{"hold a mutex", 0, Stalled, "a goroutine is blocked in sync.Mutex.Lock", []string{"[sync.Mutex.Lock, synctest bubble", "explore.(*cart).add", "sim.(*Conn).Read"}},
		{"spin", 0, Inconclusive, " of processor time without progress: code that spins", []string{"explore.spin"}},
		{"draw at random", 0, Nondeterministic, `two runs of the same tape differ: event 2 is "step" at `, nil},
		{"change its mind", 0, Nondeterministic, "two runs of the same tape differ: events and histories are alike, but the verdicts differ", nil},
	}
	for _, test := range tests {
		t.Run(test.do, func(t *testing.T) {
			if testing.Short() && test.do == "spin" {
				t.Skip("takes two seconds")
			}
			t.Parallel()
			w := self(t)
			w.Procs = test.procs
			search := Search{Worker: w, Cell: cell{test.do, 3}.json(), Seed: seed, Schedules: schedules, Happenings: 10}
			start := time.Now()
			sum, err := search.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(sum.Troubles) != 1 {
				t.Fatalf("%d troubles: %+v", len(sum.Troubles), sum.Troubles)
			}
			trouble := sum.Troubles[0]
			if trouble.Kind != test.kind || trouble.Schedule != bad || !strings.Contains(trouble.Reason, test.reason) {
				t.Errorf("%s in schedule %d: %s", trouble.Kind, trouble.Schedule, trouble.Reason)
			}
			if tape := trouble.Tape; len(tape) == 0 || tape[0].Kind != question.Kind || tape[0].Option != 3 {
				t.Errorf("the tape is %+v", tape)
			}
			result, violations := string(test.kind), 0
			if test.do == "leak" || test.kind == Nondeterministic { // the run itself was judged
				result, violations = Violation, 1
			}
			if sum.Result() != result {
				t.Errorf("the result is %s", sum.Result())
			}
			for _, part := range test.stack {
				if !strings.Contains(trouble.Stack, part) {
					t.Errorf("no %q in the stack\n%s", part, trouble.Stack)
				}
			}
			for i := range schedules {
				if want := 1; i != bad && sum.Happened[draw(seed, i)] < want {
					t.Errorf("schedule %d was not run", i)
				}
			}
			if sum.Violations[pFault] != violations {
				t.Errorf("violations: %v", sum.Violations)
			}
			if took := time.Since(start); test.kind == Stalled && took > 20*time.Second {
				t.Errorf("it took %v to prove", took)
			}
		})
	}
}

// TestKilledOnce: a schedule is not blamed for a worker that was killed from
// outside, and is run as any other.
func TestKilledOnce(t *testing.T) {
	t.Parallel()
	w := self(t)
	w.Env = append(w.Env, onceFile+"="+filepath.Join(t.TempDir(), "killed"))
	sum, err := Search{Worker: w, Cell: cell{"be killed once", always}.json(), Seed: 1, Schedules: 20}.Run(t.Context())
	if err != nil || sum.Schedules != 20 || sum.Result() != NoneFound {
		t.Errorf("%s: %+v, %v", sum.Result(), sum, err)
	}
}

// TestPrinting: what code under test prints is no answer of the worker's.
func TestPrinting(t *testing.T) {
	t.Parallel()
	sum, err := Search{Worker: self(t), Cell: cell{"print", always}.json(), Seed: 1, Schedules: 5}.Run(t.Context())
	if err != nil || sum.Schedules != 5 || sum.Result() != NoneFound {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestTroublesWithoutEnd: a search ends after a number of troubles.
func TestTroublesWithoutEnd(t *testing.T) {
	t.Parallel()
	sum, err := Search{Worker: self(t), Cell: cell{"panic", always}.json(), Seed: 1, Schedules: 100}.Run(t.Context())
	if err != nil || len(sum.Troubles) != maxTroubles || sum.Schedules != maxTroubles {
		t.Errorf("%d troubles, %d schedules, %v", len(sum.Troubles), sum.Schedules, err)
	}
	for i, trouble := range sum.Troubles {
		if trouble.Schedule != i {
			t.Errorf("trouble %d is of schedule %d", i, trouble.Schedule)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	const seed, schedules = 1, 60
	count, first := 0, -1
	for i := range schedules {
		if draw(seed, i) == 4 {
			if count++; first < 0 {
				first = i
			}
		}
	}
	var findings []Finding
	progress := 0
	search := Search{
		Worker: self(t), Cell: cell{"violate p and q", 4}.json(), Seed: seed, Schedules: schedules, Happenings: 10,
		OnFinding:  func(f Finding) { findings = append(findings, f) },
		OnProgress: func(*Summary) { progress++ },
	}
	sum, err := search.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Result() != Violation || sum.Schedules != schedules || progress != schedules || sum.Events != 2*schedules || sum.Simulated != schedules*time.Millisecond {
		t.Errorf("%s: %+v, %d times progress", sum.Result(), sum, progress)
	}
	for _, p := range []string{"p", "q"} {
		if sum.Violated(p) != count || sum.First[model.Violation{Property: p}].Schedule != first {
			t.Errorf("%s was violated %d times, first in %d; want %d, %d", p, sum.Violated(p), sum.First[model.Violation{Property: p}].Schedule, count, first)
		}
	}
	if len(findings) != 2 || findings[0].Property != "p" || findings[1].Property != "q" {
		t.Fatalf("findings: %+v", findings)
	}
	for _, f := range findings {
		if f.Schedule != first || f.Outcome.Recording == nil || len(f.Tape) != 1 || len(f.Outcome.Verdicts) != 2 || len(f.Outcome.Violated()) != 2 {
			t.Errorf("finding: %+v", f)
		}
	}
	happened := make([]int, 10)
	for i := range schedules {
		happened[draw(seed, i)]++
	}
	if !slices.Equal(sum.Happened, happened) {
		t.Errorf("happened: %v, want %v", sum.Happened, happened)
	}

	search.FailFast = true
	sum, err = search.Run(t.Context())
	if err != nil || sum.Schedules != first+1 || sum.Violations[pFault] != 1 || sum.Interrupted {
		t.Errorf("failing fast: %+v, %v", sum, err)
	}
}

// TestEnough: a search ends with the first schedule after which it is enough,
// however many workers are ahead of it.
func TestEnough(t *testing.T) {
	t.Parallel()
	const enough = BlockSize + 5
	for _, jobs := range []int{1, 3} {
		asked := 0
		sum, err := Search{Worker: self(t), Cell: cell{"violate p", draw(1, 0)}.json(), Seed: 1, Schedules: 10 * BlockSize, Jobs: jobs, Enough: func(s *Summary) bool {
			asked++
			return s.Schedules == enough
		}}.Run(t.Context())
		if err != nil || sum.Schedules != enough || asked != enough || sum.Interrupted || sum.Violations[pFault] == 0 {
			t.Errorf("%d jobs: %d schedules, asked %d times, %v", jobs, sum.Schedules, asked, err)
		}
	}
}

// TestInterrupted: what was found until then is kept.
func TestInterrupted(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	const seed = 1
	ctx, cancel := context.WithCancel(t.Context())
	search := Search{Worker: self(t), Cell: cell{"violate p", draw(seed, 0)}.json(), Seed: seed, Schedules: 1e9, OnProgress: func(s *Summary) {
		if s.Schedules == 5 {
			cancel()
		}
	}}
	sum, err := search.Run(ctx)
	if !errors.Is(err, context.Canceled) || !sum.Interrupted || sum.Schedules < 5 || sum.Violations[pFault] == 0 || sum.Result() != Violation {
		t.Errorf("%s: %+v, %v", sum.Result(), sum, err)
	}
	search.Cell = cell{}.json()
	sum, err = search.Run(ctx) // ended before it began
	if !errors.Is(err, context.Canceled) || !sum.Interrupted || sum.Schedules > 0 || sum.Result() != string(Inconclusive) {
		t.Errorf("%s: %+v, %v", sum.Result(), sum, err)
	}
}

func TestResult(t *testing.T) {
	violated := map[model.Violation]int{pFault: 1}
	trouble := func(kinds ...TroubleKind) (list []Trouble) {
		for _, k := range kinds {
			list = append(list, Trouble{Kind: k})
		}
		return list
	}
	tests := []struct {
		name string
		sum  Summary
		want string
	}{
		{"nothing", Summary{}, "none-found"},
		{"all happened", Summary{Tally: Tally{Happened: []int{1, 2}}}, "none-found"},
		{"something never happened", Summary{Tally: Tally{Happened: []int{1, 0}}}, "vacuous"},
		{"undecided", Summary{Tally: Tally{Undecided: 1}}, "inconclusive"},
		{"undecided outranks vacuous", Summary{Tally: Tally{Undecided: 1, Happened: []int{0}}}, "inconclusive"},
		{"interrupted", Summary{Tally: Tally{Happened: []int{0}}, Interrupted: true}, "inconclusive"},
		{"given up on", Summary{Tally: Tally{Troubles: trouble(Inconclusive)}}, "inconclusive"},
		{"stalled", Summary{Tally: Tally{Troubles: trouble(Inconclusive, Stalled)}}, "stalled"},
		{"crashed outranks stalled", Summary{Tally: Tally{Troubles: trouble(Stalled, Crashed, Inconclusive)}}, "crashed"},
		{"nondeterministic outranks crashed", Summary{Tally: Tally{Troubles: trouble(Crashed, Nondeterministic)}}, "nondeterministic"},
		{"trouble outranks what is missing", Summary{Tally: Tally{Troubles: trouble(Stalled), Undecided: 1, Happened: []int{0}}, Interrupted: true}, "stalled"},
		{"a violation outranks everything", Summary{Tally: Tally{Violations: violated, Troubles: trouble(Nondeterministic), Undecided: 1, Happened: []int{0}}, Interrupted: true}, "violation"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.sum.Result(); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestUndecided: schedules with an undecided property are counted.
func TestUndecided(t *testing.T) {
	t.Parallel()
	seed, _ := once(3, 6)
	sum, err := Search{Worker: self(t), Cell: cell{"be undecided", 3}.json(), Seed: seed, Schedules: 6}.Run(t.Context())
	if err != nil || sum.Undecided != 1 || sum.Result() != string(Inconclusive) {
		t.Errorf("%+v, %v", sum, err)
	}
	if of := sum.FirstUndecided.Property; len(sum.UndecidedOf) != 1 || sum.UndecidedOf[of] != 1 {
		t.Errorf("of each property: %v, and the first is of %s", sum.UndecidedOf, of)
	}
	two := newTally(0)
	two.join(&sum.Tally)
	two.join(&Tally{Undecided: 2, UndecidedOf: map[string]int{"other": 2}})
	if len(two.UndecidedOf) != 2 || two.UndecidedOf["other"] != 2 || len(sum.UndecidedOf) != 1 {
		t.Errorf("joined: %v, and the parts are %v", two.UndecidedOf, sum.UndecidedOf)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a, b := self(t), self(t)
	a.Procs, b.Procs = 1, 2
	differ, err := Compare(t.Context(), a, b, cell{}.json(), 1, 20)
	if err != nil || len(differ) > 0 {
		t.Errorf("alike: %+v, %v", differ, err)
	}
	seed, bad := once(3, 6)
	differ, err = Compare(t.Context(), a, b, cell{"draw at random", 3}.json(), seed, 6)
	if err != nil || len(differ) != 1 || differ[0].Schedule != bad || !strings.Contains(differ[0].What, `event 2 is "step" at `) {
		t.Errorf("one that differs: %+v, %v", differ, err)
	}
	_, err = Compare(t.Context(), a, b, cell{"panic", 3}.json(), seed, 6)
	if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || trouble.Kind != Crashed {
		t.Errorf("a crash: %v", err)
	}
	_, err = Compare(t.Context(), a, b, cell{"leak", 3}.json(), seed, 6)
	if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || trouble.Kind != Crashed {
		t.Errorf("a schedule that did not finish: %v", err)
	}
	_, err = Compare(t.Context(), Worker{Command: []string{"echo", `{"done":true}`}}, b, cell{}.json(), seed, 6)
	if trouble := (*Trouble)(nil); !errors.As(err, &trouble) || trouble.Kind != Inconclusive {
		t.Errorf("a worker that runs nothing: %v", err)
	}
}
