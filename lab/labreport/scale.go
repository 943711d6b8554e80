package labreport

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// scale maps the values of an axis to coordinates of a plot.
type scale struct {
	Axis
	from, to float64 // the coordinates of its ends
	about    int     // the number of ticks that fit
	// zero is set if a linear axis begins at 0, unless there are lower values, and tight if an axis ends at the last value,
	// not at the tick after it.
	zero, tight bool

	least, most float64 // the values at its ends
	ticks       []tick
}

// tick is a place on an axis with its label.
type tick struct {
	value float64
	label string
}

// newScale returns the scale for these values. Exact are preferred values for ticks, if they fit.
func newScale(s scale, values, exact []float64) scale {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !s.shows(v) })
	s.least, s.most = 1, 10
	if len(values) > 0 {
		s.least, s.most = slices.Min(values), slices.Max(values)
	}
	most := s.most
	if s.Log {
		s.logarithmic()
	} else {
		s.linear()
	}
	if s.tight && most > s.least {
		s.most = most
		s.ticks = slices.DeleteFunc(s.ticks, func(t tick) bool { return t.value > most*(1+1e-9) })
	}
	if exact = s.apart(exact); exact != nil {
		s.ticks = nil
		for _, v := range exact {
			s.ticks = append(s.ticks, tick{v, s.label(v, v)})
		}
	}
	return s
}

// shows reports whether a value is on the axis.
func (s *scale) shows(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!s.Log || v > 0)
}

// at returns the coordinate of a value.
func (s *scale) at(v float64) float64 {
	part := (v - s.least) / (s.most - s.least)
	if s.Log {
		part = math.Log(v/s.least) / math.Log(s.most/s.least)
	}
	return s.from + part*(s.to-s.from)
}

// linear chooses the ends and the ticks of a linear axis: steps of 1, 2 or 5 times a power
// of ten.
func (s *scale) linear() {
	if s.zero || s.least > 0 && s.least < (s.most-s.least)/4 {
		s.least = min(s.least, 0)
	}
	if s.most == s.least {
		s.most += max(math.Abs(s.most), 1)
	}
	step := niceStep((s.most - s.least) / float64(s.about))
	first, last := math.Floor(s.least/step+1e-9), math.Ceil(s.most/step-1e-9)
	s.least, s.most = first*step, last*step
	for n := first; n <= last; n++ {
		s.ticks = append(s.ticks, tick{n * step, s.label(n*step, step)})
	}
}

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is at least least.
func niceStep(least float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	for _, n := range []float64{1, 2, 5} {
		if n*unit >= least*(1-1e-9) {
			return n * unit
		}
	}
	return 10 * unit
}

// logarithmic chooses the ends and the ticks of a logarithmic axis: powers of ten, or 1, 2
// and 5 times them if there are few.
func (s *scale) logarithmic() {
	first, last := math.Floor(math.Log10(s.least)+1e-9), math.Ceil(math.Log10(s.most)-1e-9)
	if first == last {
		last++
	}
	factors := []float64{1}
	if 3*(last-first)+1 <= float64(s.about)+3 {
		factors = []float64{1, 2, 5}
	}
	every := math.Max(1, math.Ceil((last-first)/float64(s.about)))
	var all []float64
	for n := first; n <= last; n += every {
		for _, f := range factors {
			all = append(all, f*math.Pow(10, n))
		}
	}
	all = slices.DeleteFunc(all, func(v float64) bool { return v > math.Pow(10, last)*(1+1e-9) })
	// The ends are the ticks just outside of the values.
	for len(all) > 2 && all[1] <= s.least*(1+1e-9) {
		all = all[1:]
	}
	for len(all) > 2 && all[len(all)-2] >= s.most*(1-1e-9) {
		all = all[:len(all)-1]
	}
	s.least, s.most = min(s.least, all[0]), max(s.most, all[len(all)-1])
	for _, v := range all {
		s.ticks = append(s.ticks, tick{v, s.label(v, v)})
	}
}

// apart returns the values, sorted and without duplicates, if they are few and a label fits between each two; nil
// otherwise.
func (s *scale) apart(values []float64) []float64 {
	const few, room = 9, 34
	v := slices.Clone(values)
	slices.Sort(v)
	v = slices.Compact(v)
	if len(v) == 0 || len(v) > few {
		return nil
	}
	for i, x := range v {
		if !s.shows(x) || i > 0 && math.Abs(s.at(x)-s.at(v[i-1])) < room {
			return nil
		}
	}
	return v
}

// timeUnits are the units of times in milliseconds, the largest first.
var timeUnits = []struct {
	name string
	of   float64
}{{"s", 1000}, {"ms", 1}, {"µs", 0.001}}

// label returns a tick's label. On a logarithmic axis of times each has a unit of its own.
func (s *scale) label(v, step float64) string {
	if s.Unit != "ms" {
		return tickNumber(v, step)
	}
	if !s.Log {
		return tickNumber(v/s.unit().of, step/s.unit().of)
	}
	for _, u := range timeUnits {
		if v >= u.of*(1-1e-9) {
			return tickNumber(v/u.of, v/u.of) + " " + u.name
		}
	}
	return tickNumber(v, v) + " ms"
}

// unit returns the unit of the labels of a linear axis of times.
func (s *scale) unit() (u struct {
	name string
	of   float64
}) {
	switch {
	case s.most >= 10_000:
		return timeUnits[0]
	case s.most < 1:
		return timeUnits[2]
	}
	return timeUnits[1]
}

// title returns the name of the axis with its unit, if the labels do not have it.
func (s *scale) title() string {
	switch {
	case s.Unit == "" || s.Unit == "ms" && s.Log:
		return s.Name
	case s.Unit == "ms":
		return s.Name + " (" + s.unit().name + ")"
	}
	return s.Name + " (" + s.Unit + ")"
}

// tickNumber formats a value with the decimals of a step.
func tickNumber(v, step float64) string {
	decimals := 0
	for f := math.Abs(step); decimals < 9 && math.Abs(f-math.Round(f)) > 1e-6*f; f *= 10 {
		decimals++
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	if decimals == 0 && math.Abs(v) < 1e15 {
		return wording.Grouped(int64(math.Round(v)))
	}
	return text
}
