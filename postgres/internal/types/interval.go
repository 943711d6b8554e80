package types

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

var intervalCodec = codec{
	text:  func(v Value) string { return v.(Interval).String() },
	parse: parseInterval,
	binary: func(v Value) []byte {
		i := v.(Interval)
		return appendLongs(bigEndian(uint64(i.Micros), 8), uint32(i.Days), uint32(i.Months))
	},
	unbinary: sized(16, func(b []byte) (Value, error) {
		return Interval{
			Micros: int64(fromBigEndian(b[:8])),
			Days:   int32(fromBigEndian(b[8:12])),
			Months: int32(fromBigEndian(b[12:])),
		}, nil
	}),
}

// String writes an interval as PostgreSQL does by default: 1 mon 2 days 03:04:05.6.
func (i Interval) String() string {
	var b strings.Builder
	negative := false
	part := func(n int32, unit string) {
		if n == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if negative && n > 0 {
			b.WriteByte('+')
		}
		fmt.Fprintf(&b, "%d %s", n, unit)
		if n != 1 {
			b.WriteByte('s')
		}
		negative = n < 0
	}
	part(i.Months/12, "year")
	part(i.Months%12, "mon")
	part(i.Days, "day")
	if b.Len() > 0 && i.Micros == 0 {
		return b.String()
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	switch {
	case i.Micros < 0:
		b.WriteByte('-')
	case negative:
		b.WriteByte('+')
	}
	// The parts are made positive one by one, since the smallest number has no positive one.
	abs := func(n int64) int64 { return max(n, -n) }
	fmt.Fprintf(&b, "%02d:%02d:%s", abs(i.Micros/microsPerHour), abs(i.Micros/microsPerMinute%60), formatSeconds(abs(i.Micros%microsPerMinute)))
	return b.String()
}

// intervalUnits are the units of intervals, as many microseconds, days or months.
var intervalUnits = func() map[string]Interval {
	units := map[string]Interval{}
	add := func(i Interval, names string) {
		for _, n := range strings.Fields(names) {
			units[n] = i
		}
	}
	add(Interval{Micros: 1}, "microsecond microseconds microsecon us usec usecs usecond useconds")
	add(Interval{Micros: 1000}, "millisecond milliseconds ms msec msecs msecond mseconds")
	add(Interval{Micros: microsPerSecond}, "second seconds s sec secs")
	add(Interval{Micros: microsPerMinute}, "minute minutes m min mins")
	add(Interval{Micros: microsPerHour}, "hour hours h hr hrs")
	add(Interval{Days: 1}, "day days d")
	add(Interval{Days: 7}, "week weeks w")
	add(Interval{Months: 1}, "month months mon mons")
	add(Interval{Months: 12}, "year years y yr yrs")
	add(Interval{Months: 120}, "decade decades dec decs")
	add(Interval{Months: 1200}, "century centuries c cent")
	add(Interval{Months: 12000}, "millennium millennia mil mils")
	return units
}()

// intervalItem is a number with a unit, or a time, at the beginning of what is left.
var intervalItem = regexp.MustCompile(`^([+-]?)(?:(\d+):(\d+)(?::(\d+))?(\.\d*)?|(\d*)(\.\d*)?\s*([a-z]*))\s*`)

func invalidInterval(s string) error {
	return pgerror.New(pgerror.InvalidDatetimeFormat, "invalid input syntax for type interval: \"%s\"", s)
}

func intervalOverflow(s string) error {
	return pgerror.New(pgerror.IntervalFieldOverflow, "interval field value out of range: \"%s\"", s)
}

// parseInterval reads PostgreSQL's format: numbers with units, a time, and ago.
func parseInterval(s string) (Value, error) {
	rest := strings.ToLower(strings.Trim(s, spaces+"@"))
	if strings.HasPrefix(rest, "p") {
		return nil, pgerror.Lacks("the ISO 8601 format of the interval %q", s)
	}
	var sum intervalSum
	for items := 0; rest != "" || items == 0; items++ {
		if rest == "ago" && items > 0 {
			sum.negate()
			break
		}
		m := intervalItem.FindStringSubmatch(rest)
		if m == nil || m[0] == "" || m[2] == "" && m[6] == "" && len(m[7]) < 2 {
			return nil, invalidInterval(s)
		}
		rest = rest[len(m[0]):]
		if err := sum.add(m, rest, s); err != nil {
			return nil, err
		}
	}
	return sum.interval(s)
}

// intervalSum adds up the items of an interval.
type intervalSum struct{ months, days, micros float64 }

// add adds an item. A number without a unit is days before a time and else seconds, if it is the last.
func (sum *intervalSum) add(m []string, rest, s string) error {
	sign := 1.0
	if m[1] == "-" {
		sign = -1
	}
	if m[2] != "" {
		h, min, sec := float64(atoi(m[2])), atoi(m[3]), atoi(m[4])
		if m[4] == "" && m[5] != "" { // minutes and seconds
			h, min, sec = 0, atoi(m[2]), atoi(m[3])
		}
		if min > 59 || sec > 60 {
			return intervalOverflow(s)
		}
		sum.micros += sign * (h*float64(microsPerHour) + float64(int64(min)*microsPerMinute+int64(sec)*microsPerSecond+readFraction(m[5])))
		return nil
	}
	name := m[8]
	if name == "" {
		name = "s"
		if next := intervalItem.FindStringSubmatch(rest); rest != "" && (next == nil || next[2] == "") {
			return invalidInterval(s)
		} else if rest != "" {
			name = "d"
		}
	}
	unit, ok := intervalUnits[name]
	if !ok {
		return invalidInterval(s)
	}
	whole, err := strconv.ParseFloat("0"+m[6], 64)
	if err != nil {
		return intervalOverflow(s)
	}
	fraction, _ := strconv.ParseFloat("0"+m[7], 64)
	sum.addUnits(unit, sign*whole, sign*fraction)
	return nil
}

// addUnits adds a whole number of a unit, and a fraction that becomes smaller units.
func (sum *intervalSum) addUnits(unit Interval, whole, fraction float64) {
	sum.micros += whole*float64(unit.Micros) + math.RoundToEven(fraction*float64(unit.Micros))
	days := float64(unit.Days)
	sum.days += whole * days
	switch {
	case unit.Months > 1:
		sum.months += whole*float64(unit.Months) + math.RoundToEven(fraction*float64(unit.Months))
	case unit.Months == 1:
		sum.months += whole
		days = 30
	}
	if part := fraction * days; part != 0 {
		sum.days += math.Trunc(part)
		sum.micros += math.RoundToEven((part - math.Trunc(part)) * float64(microsPerDay))
	}
}

func (sum *intervalSum) negate() {
	sum.months, sum.days, sum.micros = -sum.months, -sum.days, -sum.micros
}

func (sum *intervalSum) interval(s string) (Value, error) {
	i, ok := newInterval(sum.months, sum.days, sum.micros)
	if !ok {
		return nil, intervalOverflow(s)
	}
	return i, nil
}

// newInterval makes an interval of whole numbers, if they are in range.
func newInterval(months, days, micros float64) (Interval, bool) {
	const most = 1 << 31
	if !(math.Abs(months) < most && math.Abs(days) < most && math.Abs(micros) < math.MaxInt64) {
		return Interval{}, false
	}
	return Interval{Months: int32(months), Days: int32(days), Micros: int64(micros)}, true
}

// compareInterval compares by the length, a month having 30 days and a day 24 hours.
func compareInterval(a, b Interval) int {
	days := func(i Interval) (int64, int64) {
		whole := floorDiv(i.Micros, microsPerDay)
		return int64(i.Months)*30 + int64(i.Days) + whole, i.Micros - whole*microsPerDay
	}
	d1, m1 := days(a)
	d2, m2 := days(b)
	if d1 != d2 {
		return compareInts(d1, d2)
	}
	return compareInts(m1, m2)
}
