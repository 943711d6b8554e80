package types

import (
	"math"
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
