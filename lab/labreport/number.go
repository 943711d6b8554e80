package labreport

import (
	"math"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Number formats a figure for readers: with three significant digits or more, and all digits before the point, in groups
// of three. NaN is a dash.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	}
	decimals := 0
	if size := math.Abs(x); size < 99.95 && size != math.Trunc(size) {
		decimals = min(6, 2-int(math.Floor(math.Log10(size))))
	}
	whole, part, _ := strings.Cut(strconv.FormatFloat(x, 'f', decimals, 64), ".")
	if len(whole) > 3 && len(whole) < 19 {
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
			whole = wording.Grouped(n)
		}
	}
	if part == "" {
		return whole
	}
	return whole + "." + part
}

// Interval returns the confidence interval as text, empty if it is the median alone.
func (f Figure) Interval() string {
	if math.IsNaN(f.Low) || f.Low == f.High {
		return ""
	}
	low, high := Number(f.Low), Number(f.High)
	if low == high {
		return ""
	}
	return low + " to " + high
}

// Ratio returns the ratio of the median to another figure, as text: "×0.97". It is empty if there is none.
func (f Figure) Ratio(other float64) string {
	r := f.Median / other
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return ""
	}
	if r >= 0.1 && r < 100 {
		return "×" + strconv.FormatFloat(r, 'f', 2, 64)
	}
	return "×" + Number(r)
}

// known reports whether a figure is not missing.
func known(x float64) bool { return !math.IsNaN(x) }
