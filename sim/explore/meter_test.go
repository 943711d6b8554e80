package explore

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// needsProcessorTime skips the test where nothing says what a process takes: there nothing is cut.
func needsProcessorTime(t *testing.T) {
	t.Helper()
	if processorTime() == 0 {
		t.Skip("the operating system does not say what a process takes")
	}
}

// TestSearchTime: a search whose time ends has the first schedules of the whole one, with what they show, and says
// that it was cut; one that has made its last schedule by then was not.
func TestSearchTime(t *testing.T) {
	t.Parallel()
	needsProcessorTime(t)
	c := toy{Places: 6, Faults: []int{1}}
	for _, jobs := range []int{1, 4} {
		search := func(schedules int, s Search) *Summary {
			meter := &Meter{}
			s.Worker, s.Cell, s.Schedules, s.Jobs, s.Happenings = self(t), c.json(), schedules, jobs, 1
			s.Worker.Meter = meter
			sum, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if meter.Spent() <= 0 {
				t.Errorf("%d schedules have taken %v", sum.Schedules, meter.Spent())
			}
			return sum
		}
		cut := search(3*BlockSize, Search{Time: 1})
		if !cut.Cut || cut.Schedules < 1 || cut.Schedules >= 3*BlockSize {
			t.Fatalf("%d workers: %d schedules, cut %t", jobs, cut.Schedules, cut.Cut)
		}
		if word := cut.Result(); len(cut.Violations) == 0 && word != string(Inconclusive) {
			t.Errorf("a search that was cut comes to %s", word)
		}
		whole := search(cut.Schedules, Search{Time: 1 << 60})
		if whole.Cut || !reflect.DeepEqual(whole.Tally, cut.Tally) {
			t.Errorf("%d workers: the first %d schedules come to %+v, and in the time to %+v", jobs, cut.Schedules, whole.Tally, cut.Tally)
		}
		if last := search(1, Search{Time: 1}); last.Cut || last.Schedules != 1 {
			t.Errorf("a search of one schedule: %d schedules, cut %t", last.Schedules, last.Cut)
		}
	}
}

// TestSearchTimeEnough: what ends a search for another reason does not say that it was the time.
func TestSearchTimeEnough(t *testing.T) {
	t.Parallel()
	s := Search{Worker: self(t), Cell: cell{"violate p", always}.json(), Schedules: 50, Time: 1 << 60, Happenings: 10}
	s.Enough = func(sum *Summary) bool { return sum.Schedules == 7 }
	if sum, err := s.Run(t.Context()); err != nil || sum.Cut || sum.Schedules != 7 || sum.Result() != Violation {
		t.Errorf("%d schedules, cut %t, %s: %v", sum.Schedules, sum.Cut, sum.Result(), err)
	}
}

// TestShrinkTime: what the time ends still violates the property, is no worse than what it began with, and says that
// it was cut.
func TestShrinkTime(t *testing.T) {
	t.Parallel()
	needsProcessorTime(t)
	c := toy{Places: 12, Faults: []int{2, 7}}
	tape := counterexample(t, c, 3)
	for _, test := range []struct {
		time time.Duration
		cut  bool
	}{{1, true}, {1 << 60, false}, {0, false}} {
		got, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p", Time: test.time}.Run(t.Context(), tape)
		if err != nil {
			t.Fatal(err)
		}
		if got.Cut != test.cut || got.Exhausted != test.cut || test.cut != (got.Deviations > 2) || got.Deviations > got.Before ||
			!slices.Contains(got.Outcome.Violated(), model.Violation{Property: "p"}) {
			t.Errorf("in %v: cut %t, exhausted %t, %d deviations of %d, %v", test.time, got.Cut, got.Exhausted, got.Deviations, got.Before, got.Outcome.Violated())
		}
	}
}

// TestAttributeTime: what there was no time to try is not known to be needed, nor not to be.
func TestAttributeTime(t *testing.T) {
	t.Parallel()
	needsProcessorTime(t)
	c := toy{Places: 12, Faults: []int{2, 7}}
	small, err := Shrink{Worker: self(t), Cell: c.json(), Property: "p"}.Run(t.Context(), counterexample(t, c, 3))
	if err != nil {
		t.Fatal(err)
	}
	for limit, untried := range map[time.Duration]int{1: 1, 0: 0} { // unordered: each by itself
		got, err := Attribute{Worker: self(t), Cell: c.json(), Property: "p", Time: limit}.Run(t.Context(), small.Tape)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, d := range got.Necessary {
			if d.Untried {
				n++
			} else if !d.Needed {
				t.Errorf("%s is not needed", d.Choice.ID())
			}
		}
		if n != untried || len(got.Necessary) != 2 {
			t.Errorf("in %v %d of %d are untried", limit, n, len(got.Necessary))
		}
	}
}

// TestSought: a run that does not have the violation that is sought comes without its tape.
func TestSought(t *testing.T) {
	c := toy{Places: 4, Faults: []int{1}}
	tape := Deviations(counterexample(t, c, 1))
	p, limit := model.Violation{Property: "p"}, model.Violation{Property: "p", Limit: true}
	for _, test := range []struct {
		sought model.Violation
		calm   bool
		want   bool
	}{{p, false, true}, {p, true, false}, {limit, false, false}, {model.Violation{}, true, true}} {
		q := Request{Cell: c.json(), Replay: true, Lenient: true, Sought: test.sought, Tape: tape}
		if test.calm {
			q.Tape = nil
		}
		if got := served(t, q)[0]; (got.Tape != nil) != test.want {
			t.Errorf("%v, calm %t: the tape is sent: %t", test.sought, test.calm, got.Tape != nil)
		}
	}
}
