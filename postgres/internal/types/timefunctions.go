package types

import (
	"math"
	"math/big"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func init() {
	for _, t := range []OID{TimestampOID, TimestamptzOID, DateOID, IntervalOID, TimeOID} {
		fn("extract", []OID{TextOID, t}, NumericOID, func(a []Value) (Value, error) { return extract(t, a[0].(string), a[1]) })
		fn("date_part", []OID{TextOID, t}, Float8OID, func(a []Value) (Value, error) {
			v, err := extract(t, a[0].(string), a[1])
			if err != nil || v == nil {
				return nil, err
			}
			return v.(Numeric).toFloat(), nil
		})
	}
	truncFunctions()
	zoneFunctions()
	makeFunctions()
}

func unknownUnit(unit string, t OID) error {
	return pgerror.New(pgerror.InvalidParameterValue, "unit \"%s\" not recognized for type %s", unit, Name(t))
}

func unsupportedUnit(unit string, t OID) error {
	return pgerror.New(pgerror.FeatureNotSupported, "unit \"%s\" not supported for type %s", unit, Name(t))
}

// timeUnits are the units of extract and date_trunc by their names.
var timeUnits = func() map[string]string {
	units := map[string]string{}
	for _, names := range []string{
		"microseconds us usec usecs microsecond", "milliseconds ms msec msecs millisecond", "second s sec secs seconds", "minute m min mins minutes",
		"hour h hr hrs hours", "day d days", "week w weeks", "month mon mons months", "quarter qtr", "year y yr yrs years",
		"decade dec decs decades", "century c cent centuries", "millennium mil mils millennia", "dow", "isodow", "doy", "isoyear", "epoch", "julian",
		"timezone", "timezone_hour", "timezone_minute",
	} {
		list := strings.Fields(names)
		for _, n := range list {
			units[n] = list[0]
		}
	}
	return units
}()

// extract returns a field of a time.
func extract(t OID, name string, v Value) (Value, error) {
	name = strings.ToLower(name)
	unit, ok := timeUnits[name]
	if !ok {
		return nil, unknownUnit(name, t)
	}
	var r Value
	switch v := v.(type) {
	case Interval:
		r = v.extract(unit)
	case TimeOfDay:
		r = extractTime(unit, int64(v))
		if unit == "epoch" {
			r = micros(int64(v))
		}
	case Date:
		if unit == "timezone" || timeOnlyUnit(unit) {
			return nil, unsupportedUnit(name, t)
		}
		ts, err := v.timestamp()
		if err != nil {
			return nil, err
		}
		r = ts.extract(unit)
		if n, isNumber := r.(Numeric); unit == "epoch" && isNumber {
			r = n.rounded(0)
		}
	case Timestamp:
		if strings.HasPrefix(unit, "timezone") && t == TimestampOID {
			return nil, unsupportedUnit(name, t)
		}
		r = v.extract(unit)
	}
	if r == nil && unit == "julian" && t != IntervalOID && t != TimeOID {
		return nil, pgerror.Lacks("the unit julian of extract")
	}
	if r == nil {
		if ts, ok := v.(Timestamp); ok && !ts.finite() {
			return nil, nil
		}
		return nil, unsupportedUnit(name, t)
	}
	return r, nil
}

// timeOnlyUnit reports whether a unit is smaller than a day.
func timeOnlyUnit(unit string) bool {
	switch unit {
	case "microseconds", "milliseconds", "second", "minute", "hour", "timezone_hour", "timezone_minute":
		return true
	}
	return false
}

// whole makes a number, micros one of seconds.
func whole(n int) Value { return NewNumeric(int64(n)) }
func micros(n int64) Value {
	return Numeric{Unscaled: big.NewInt(n), Scale: 6}
}

// extractTime returns a field of a time of the day, or nil.
func extractTime(unit string, n int64) Value {
	switch unit {
	case "microseconds":
		return NewNumeric(n % microsPerMinute)
	case "milliseconds":
		return Numeric{Unscaled: big.NewInt(n % microsPerMinute), Scale: 3}
	case "second":
		return micros(n % microsPerMinute)
	case "minute":
		return NewNumeric(n / microsPerMinute % 60)
	case "hour":
		return NewNumeric(n / microsPerHour)
	}
	return nil
}

// extractDate returns a field of a date, or nil.
func (c clock) extract(unit string, day int64) Value {
	weekday := int(day+4) - 7*int(floorDiv(day+4, 7)) // 1970-01-01 was a Thursday
	year := c.year
	if year <= 0 {
		year--
	}
	switch unit {
	case "day":
		return whole(c.day)
	case "month":
		return whole(c.month)
	case "quarter":
		return whole((c.month-1)/3 + 1)
	case "year":
		return whole(year)
	case "decade":
		return whole(int(floorDiv(int64(c.year), 10)))
	case "century":
		return whole(periodOf(year, 100))
	case "millennium":
		return whole(periodOf(year, 1000))
	case "dow":
		return whole(weekday)
	case "isodow":
		return whole((weekday+6)%7 + 1)
	case "doy":
		return whole(int(day-dayOf(c.year, 1, 1)) + 1)
	case "week", "isoyear":
		isoYear, week := isoWeek(day)
		if unit == "week" {
			return whole(week)
		}
		if isoYear <= 0 {
			isoYear--
		}
		return whole(isoYear)
	case "timezone", "timezone_hour", "timezone_minute":
		return whole(0)
	}
	return nil
}

// periodOf returns the number of the century or millennium of a year, that of the year 1 being 1.
func periodOf(year, length int) int {
	if year > 0 {
		return (year + length - 1) / length
	}
	return -((length - 1 - year) / length)
}

// isoWeek returns the year and the number of the week of a day: the week belongs to the year of its Thursday.
func isoWeek(day int64) (year, week int) {
	monday := day + 3 - floorMod(day+3, 7) - 3
	year, _, _ = civil(monday + 3)
	return year, int(monday+3-dayOf(year, 1, 1))/7 + 1
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// extract returns a field of a timestamp, or nil.
func (t Timestamp) extract(unit string) Value {
	if !t.finite() {
		switch unit {
		case "year", "decade", "century", "millennium", "isoyear", "epoch", "julian":
			return Numeric{Special: map[bool]byte{true: '+', false: '-'}[t == Infinity]}
		}
		return nil
	}
	if unit == "epoch" {
		return micros(int64(t))
	}
	c := t.clock()
	if r := extractTime(unit, c.micros); r != nil {
		return r
	}
	return c.extract(unit, floorDiv(int64(t), microsPerDay))
}

// extract returns a field of an interval, or nil.
func (i Interval) extract(unit string) Value {
	year := int(i.Months / 12)
	switch unit {
	case "day":
		return whole(int(i.Days))
	case "month":
		return whole(int(i.Months % 12))
	case "quarter":
		return whole(int(i.Months%12)/3 + 1)
	case "year":
		return whole(year)
	case "decade":
		return whole(year / 10)
	case "century":
		return whole(year / 100)
	case "millennium":
		return whole(year / 1000)
	case "epoch":
		quarters := 1461*int64(i.Months/12) + 120*int64(i.Months%12) + 4*int64(i.Days)
		days := new(big.Int).Mul(big.NewInt(quarters), big.NewInt(microsPerDay/4))
		return Numeric{Unscaled: days.Add(days, big.NewInt(i.Micros)), Scale: 6}
	}
	return extractTime(unit, i.Micros)
}

func truncFunctions() {
	for _, t := range []OID{TimestampOID, TimestamptzOID} {
		fn("date_trunc", []OID{TextOID, t}, t, func(a []Value) (Value, error) { return truncTime(t, a[0].(string), a[1].(Timestamp)) })
	}
	fn("date_trunc", []OID{TextOID, TimestamptzOID, TextOID}, TimestamptzOID, func(a []Value) (Value, error) {
		if err := onlyUTC(a[2].(string)); err != nil {
			return nil, err
		}
		return truncTime(TimestamptzOID, a[0].(string), a[1].(Timestamp))
	})
	fn("date_trunc", []OID{TextOID, IntervalOID}, IntervalOID, nil).lacking("date_trunc of intervals")
}

// timeSizes are the sizes of units that are parts of a day, or a day.
var timeSizes = map[string]int64{
	"microseconds": 1, "milliseconds": 1000, "second": microsPerSecond, "minute": microsPerMinute, "hour": microsPerHour, "day": microsPerDay,
}

func truncTime(t OID, name string, ts Timestamp) (Value, error) {
	name = strings.ToLower(name)
	unit, ok := timeUnits[name]
	switch unit {
	case "dow", "isodow", "doy", "isoyear", "epoch", "julian":
		ok = false
	}
	if !ok {
		return nil, unknownUnit(name, t)
	}
	if !ts.finite() {
		return ts, nil
	}
	if size := timeSizes[unit]; size > 0 {
		return ts - Timestamp(floorMod(int64(ts), size)), nil
	}
	c := ts.clock()
	c.micros, c.day = 0, 1
	switch unit {
	case "week":
		day := floorDiv(int64(ts), microsPerDay)
		return Timestamp((day - floorMod(day+3, 7)) * microsPerDay), nil
	case "month":
	case "quarter":
		c.month = (c.month-1)/3*3 + 1
	case "year":
		c.month = 1
	case "decade":
		c.year, c.month = int(floorDiv(int64(c.year), 10))*10, 1
	case "century":
		c.year, c.month = int(floorDiv(int64(c.year)-1, 100))*100+1, 1
	case "millennium":
		c.year, c.month = int(floorDiv(int64(c.year)-1, 1000))*1000+1, 1
	default:
		return nil, unsupportedUnit(name, t)
	}
	r, ok := c.timestamp()
	if !ok {
		return nil, timestampOutOfRange()
	}
	return r, nil
}

// onlyUTC refuses time zones other than UTC.
func onlyUTC(zone string) error {
	switch strings.ToUpper(zone) {
	case "UTC", "GMT", "Z", "UCT", "ETC/UTC", "ETC/GMT", "ZULU":
		return nil
	}
	return pgerror.Lacks("the time zone %q", zone)
}

func zoneFunctions() {
	for from, to := range map[OID]OID{TimestampOID: TimestamptzOID, TimestamptzOID: TimestampOID} { // unordered: types differ
		fn("timezone", []OID{TextOID, from}, to, func(a []Value) (Value, error) { return a[1], onlyUTC(a[0].(string)) })
	}
	for _, t := range []OID{TimestampOID, TimestamptzOID} {
		fn("isfinite", []OID{t}, BoolOID, func(a []Value) (Value, error) { return a[0].(Timestamp).finite(), nil })
	}
	fn("to_timestamp", []OID{Float8OID}, TimestamptzOID, func(a []Value) (Value, error) {
		seconds := a[0].(float64)
		switch {
		case math.IsNaN(seconds):
			return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp cannot be NaN")
		case math.IsInf(seconds, 0):
			return map[bool]Timestamp{true: Infinity, false: NegativeInfinity}[seconds > 0], nil
		}
		// PostgreSQL counts from 2000 before it multiplies, which rounds otherwise.
		sinceEpoch := (seconds - days2000*86400) * 1e6
		t := Timestamp(0)
		if math.Abs(sinceEpoch) < math.MaxInt64-days2000*float64(microsPerDay) {
			t = Timestamp(math.RoundToEven(sinceEpoch)) + Timestamp(days2000*microsPerDay)
		}
		if t == 0 && seconds != 0 && math.Abs(seconds) > 1 || !t.inRange() {
			return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", formatG(seconds))
		}
		return t, nil
	})
}

func makeFunctions() {
	f := fn("make_interval", []OID{Int4OID, Int4OID, Int4OID, Int4OID, Int4OID, Int4OID, Float8OID}, IntervalOID, makeInterval)
	f.ArgNames = []string{"years", "months", "weeks", "days", "hours", "mins", "secs"}
	zero := int64(0)
	f.Defaults = []Value{zero, zero, zero, zero, zero, zero, 0.0}
	fn("make_date", []OID{Int4OID, Int4OID, Int4OID}, DateOID, func(a []Value) (Value, error) {
		year, month, day := int(a[0].(int64)), int(a[1].(int64)), int(a[2].(int64))
		if year < 1 || year > 99999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
			return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "date field value out of range: %d-%02d-%02d", year, month, day)
		}
		return Date(dayOf(year, month, day)), nil
	}).ArgNames = []string{"year", "month", "day"}
	justify := func(name string, hours, days bool) {
		fn(name, []OID{IntervalOID}, IntervalOID, func(a []Value) (Value, error) { return a[0].(Interval).justified(hours, days), nil })
	}
	justify("justify_hours", true, false)
	justify("justify_days", false, true)
	justify("justify_interval", true, true)
}

func makeInterval(a []Value) (Value, error) {
	n := func(i int) float64 { return float64(a[i].(int64)) }
	seconds := a[6].(float64)
	if math.IsInf(seconds, 0) || math.IsNaN(seconds) {
		return nil, intervalOutOfRange()
	}
	i, ok := newInterval(n(0)*12+n(1), n(2)*7+n(3), n(4)*float64(microsPerHour)+n(5)*float64(microsPerMinute)+math.RoundToEven(seconds*1e6))
	if !ok {
		return nil, intervalOutOfRange()
	}
	return i, nil
}

// justified makes days of hours and months of days, so that all have the same sign.
func (i Interval) justified(hours, days bool) Interval {
	whole := func(n, size int64) (int64, int64) { return n / size, n % size }
	d, m := int64(i.Days), int64(i.Months)
	if hours {
		var more int64
		more, i.Micros = whole(i.Micros, microsPerDay)
		d += more
	}
	if days {
		var more int64
		more, d = whole(d, 30)
		m += more
	}
	switch {
	case days && m > 0 && (d < 0 || d == 0 && hours && i.Micros < 0):
		d, m = d+30, m-1
	case days && m < 0 && (d > 0 || d == 0 && hours && i.Micros > 0):
		d, m = d-30, m+1
	}
	switch {
	case hours && d > 0 && i.Micros < 0:
		d, i.Micros = d-1, i.Micros+microsPerDay
	case hours && d < 0 && i.Micros > 0:
		d, i.Micros = d+1, i.Micros-microsPerDay
	}
	return Interval{int32(m), int32(d), i.Micros}
}
