package types

import (
	"math/big"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

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
