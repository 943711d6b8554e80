package story

import (
	"fmt"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
)

// paired compares two traces.
func paired(a, b *traces.Trace) *Difference {
	return Compare(Compared{"a.json", a}, Compared{"b.json", b})
}

// TestDiffAlone: a step that one run is said to have alone is not among the other's steps, at
// that moment, and is not of the time in which both were the same.
func TestDiffAlone(t *testing.T) {
	a, b := sampletraces.Named(t, "gc-pause"), sampletraces.Unpaused(t)
	d := paired(a, b)
	if d.From == 0 || d.From == len(d.Rows) {
		t.Fatalf("row %d of %d is the first that differs", d.From, len(d.Rows))
	}
	for _, r := range d.Rows {
		one, other := r.A, d.B.Plot
		if one == nil {
			one, other = r.B, d.A.Plot
		}
		if (r.A == nil || r.B == nil) && one.Seq < d.First.Number {
			t.Errorf("%s %s at %v is of the time in which both were the same", one.Actor, one.Text, one.At)
		}
		for _, c := range (&chooser{Plot: other}).candidates() {
			if (r.A == nil || r.B == nil) && c.Actor == one.Actor && c.Text == one.Text && c.At == one.At {
				t.Errorf("%s %s at %v is in both", one.Actor, one.Text, one.At)
			}
		}
	}
}

// TestMatches: of steps in another order as many as can be are in both; steps of the same moment
// come first; before the runs differ, another moment is another step.
func TestMatches(t *testing.T) {
	steps := func(texts ...string) (list []candidate) {
		for i, text := range texts {
			list = append(list, candidate{Step: Step{Actor: "c1", Text: text, At: time.Duration(i)}})
		}
		return list
	}
	for _, test := range []struct {
		a, b    []candidate
		differs time.Duration
		want    string
	}{
		{steps("x", "y", "z"), steps("x", "z"), 1, "[[0 0] [2 1]]"},
		{steps("x", "y", "z"), steps("x", "z"), 3, "[[0 0]]"},
		{steps("x", "y"), steps("z", "y", "x"), 0, "[[1 1]]"},
		{steps(), steps("x"), 0, "[]"},
	} {
		if got := fmt.Sprint(matches(test.a, test.b, test.differs)); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
