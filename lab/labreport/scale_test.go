package labreport

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {1, "1"}, {12, "12"}, {99.96, "100"}, {1234567, "1,234,567"}, {-1234, "-1,234"}, {1234.5, "1,234"}, {123.4, "123"},
		{26, "26"}, {25.96, "26.0"}, {5.728, "5.73"}, {0.2634, "0.263"}, {0.00412, "0.00412"}, {-0.5, "-0.500"}, {1e-9, "0.000000"},
		{math.NaN(), "–"}, {math.Inf(1), "∞"}, {math.Inf(-1), "-∞"}, {1e21, "1000000000000000000000"},
	} {
		if got := Number(test.x); got != test.want {
			t.Errorf("%v is %s, not %s", test.x, got, test.want)
		}
	}
}

func TestFigure(t *testing.T) {
	f := Figure{Median: 50, Low: 40, High: 60, Published: 100, Real: 0}
	if got := f.Interval(); got != "40 to 60" {
		t.Error(got)
	}
	if got := f.Ratio(f.Published) + f.Ratio(f.Real) + f.Ratio(math.NaN()) + f.Ratio(10_000); got != "×0.50×0.00500" {
		t.Error(got)
	}
	if got := (Figure{Median: 1, Low: 1, High: 1}).Interval() + None().Interval(); got != "" {
		t.Error(got)
	}
}

func labels(s scale) string {
	var list []string
	for _, t := range s.ticks {
		list = append(list, t.label)
	}
	return strings.Join(list, " ")
}

func TestTicks(t *testing.T) {
	log, time := Axis{Log: true}, Axis{Unit: "ms"}
	logTime := Axis{Unit: "ms", Log: true}
	for _, test := range []struct {
		name   string
		axis   Axis
		values []float64
		exact  []float64
		want   string
	}{
		{"linear", Axis{}, []float64{3, 97}, nil, "0 20 40 60 80 100"},
		{"far from zero", Axis{}, []float64{1003, 1007}, nil, "1,003 1,004 1,005 1,006 1,007"},
		{"small", Axis{}, []float64{0, 0.011}, nil, "0 0.002 0.004 0.006 0.008 0.010 0.012"},
		{"below zero", Axis{}, []float64{-1, 1}, nil, "-1.0 -0.5 0 0.5 1.0"},
		{"one value", Axis{}, []float64{5}, nil, "5 6 7 8 9 10"},
		{"seconds", time, []float64{0, 42_000}, nil, "0 10 20 30 40 50"},
		{"microseconds", time, []float64{0, 0.42}, nil, "0 100 200 300 400 500"},
		{"decades", log, []float64{0.5, 20_000}, nil, "0.1 1 10 100 1,000 10,000 100,000"},
		{"few decades", log, []float64{3, 70}, nil, "2 5 10 20 50 100"},
		{"one power", log, []float64{10}, nil, "10 20"},
		{"times", logTime, []float64{0.02, 3000}, nil, "10 µs 100 µs 1 ms 10 ms 100 ms 1 s 10 s"},
		{"exact", log, []float64{1, 64}, []float64{64, 1, 4, 16, 1}, "1 4 16 64"},
		{"too close", log, []float64{1, 64}, []float64{1, 1.1, 64}, "1 2 5 10 20 50 100"},
		{"nothing", Axis{}, nil, nil, "0 2 4 6 8 10"},
	} {
		s := newScale(scale{Axis: test.axis, from: 0, to: 400, about: 6}, test.values, test.exact)
		if got := labels(s); got != test.want {
			t.Errorf("%s: %s, not %s", test.name, got, test.want)
		}
	}
}

// TestScale: whatever the values are, each has a place between the ends, in their order, and
// there are some ticks between the ends, but not many.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Log: rapid.Bool().Draw(t, "log")}
		least := -1e6
		if a.Log {
			least = 1e-6
		}
		values := rapid.SliceOfN(rapid.Float64Range(least, 1e6), 1, 30).Draw(t, "values")
		s := newScale(scale{
			Axis: a, from: 50, to: 450, about: rapid.IntRange(4, 8).Draw(t, "about"),
			zero: rapid.Bool().Draw(t, "zero"), tight: rapid.Bool().Draw(t, "tight"),
		}, values, nil)
		for _, v := range values {
			if at := s.at(v); !(at >= 50-1e-6 && at <= 450+1e-6) {
				t.Fatalf("%v is at %v of %+v", v, at, s)
			}
		}
		if n := len(s.ticks); n < 1 || n > 2*s.about+4 {
			t.Fatalf("%d ticks: %+v", n, s)
		}
		for i, k := range s.ticks {
			if at := s.at(k.value); !(at >= 50-1e-6 && at <= 450+1e-6) || i > 0 && at <= s.at(s.ticks[i-1].value) {
				t.Fatalf("the tick %+v is at %v of %+v", k, at, s)
			}
		}
	})
}

// TestPoints: the table of a plot's points has them all, or an even part of them.
func TestPoints(t *testing.T) {
	r := sampleReport()
	lines := r.Plots[0].points()
	if len(lines.Rows) != 4 || len(lines.Head) != 5 || lines.Rows[0][1] != "900 (837 to 972)" || lines.Rows[2][4] != "–" {
		t.Errorf("%+v", lines)
	}
	steps := r.Plots[1].points()
	if len(steps.Rows) != mostRows || steps.Rows[0][0] != "0" || steps.Rows[mostRows-1][0] != "100" || !strings.Contains(steps.Note, "some of 201 points") {
		t.Errorf("%+v", steps)
	}
	other := Plot{Series: []Series{{"a", []Point{{1, 2, 2, 2}}}, {"b", []Point{{3, 4, 4, 4}, {5, 6, 6, 6}}}}}
	if g := other.points(); len(g.Rows) != 3 || g.Rows[2][0] != "b" || g.Rows[2][1] != "5" || g.Rows[2][2] != "6" {
		t.Errorf("%+v", g)
	}
}
