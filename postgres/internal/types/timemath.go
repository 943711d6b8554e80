package types

import (
	"math"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func intervalOutOfRange() error {
	return pgerror.New(pgerror.DatetimeFieldOverflow, "interval out of range")
}

// plus adds an interval: first its months, the day being at most the month's last, then the days, then the time.
func (t Timestamp) plus(i Interval) (Value, error) {
	if !t.finite() {
		return t, nil
	}
	if i.Months != 0 {
		c := t.clock()
		month := int64(c.year)*12 + int64(c.month-1) + int64(i.Months)
		c.year, c.month = int(floorDiv(month, 12)), int(month-floorDiv(month, 12)*12)+1
		c.day = min(c.day, daysIn(c.year, c.month))
		var ok bool
		if t, ok = c.timestamp(); !ok {
			return nil, timestampOutOfRange()
		}
	}
	for _, micros := range []int64{int64(i.Days) * microsPerDay, i.Micros} {
		sum, ok := intMath["+"](int64(t), micros)
		if micros != 0 && !ok || !Timestamp(sum).inRange() {
			return nil, timestampOutOfRange()
		}
		t = Timestamp(sum)
	}
	return t, nil
}

func (i Interval) negated() (Interval, error) {
	if i.Months == math.MinInt32 || i.Days == math.MinInt32 || i.Micros == math.MinInt64 {
		return i, intervalOutOfRange()
	}
	return Interval{-i.Months, -i.Days, -i.Micros}, nil
}

func addIntervals(a, b Interval) (Value, error) {
	micros, ok := intMath["+"](a.Micros, b.Micros)
	months, days := int64(a.Months)+int64(b.Months), int64(a.Days)+int64(b.Days)
	if b.Micros != 0 && !ok || !fitsInt(Int4OID, months) || !fitsInt(Int4OID, days) {
		return nil, intervalOutOfRange()
	}
	return Interval{int32(months), int32(days), micros}, nil
}

// scaled multiplies an interval. Fractions of months become days, of 30 to a month, and those of days a time.
func (i Interval) scaled(apply func(f float64) float64) (Value, error) {
	roundMicro := func(f float64) float64 { return math.RoundToEven(f*1e6) / 1e6 }
	const secondsPerDay = 86400
	months, days := apply(float64(i.Months)), apply(float64(i.Days))
	wholeMonths, wholeDays := math.Trunc(months), math.Trunc(days)
	restDays := roundMicro((months - wholeMonths) * 30)
	restSeconds := roundMicro((days - wholeDays + restDays - math.Trunc(restDays)) * secondsPerDay)
	if math.Abs(restSeconds) >= secondsPerDay {
		more := math.Trunc(restSeconds / secondsPerDay)
		wholeDays += more
		restSeconds -= more * secondsPerDay
	}
	wholeDays += math.Trunc(restDays)
	micros := math.RoundToEven(apply(float64(i.Micros)) + restSeconds*1e6)
	r, ok := newInterval(wholeMonths, wholeDays, micros)
	if !ok {
		return nil, intervalOutOfRange()
	}
	return r, nil
}

// minus returns the time between two timestamps in days and hours.
func (t Timestamp) minus(other Timestamp) (Value, error) {
	micros, ok := intMath["-"](int64(t), int64(other))
	if !t.finite() || !other.finite() {
		return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "cannot subtract infinite timestamps")
	}
	if other != 0 && !ok {
		return nil, intervalOutOfRange()
	}
	return Interval{Days: int32(micros / microsPerDay), Micros: micros % microsPerDay}, nil
}

func timeOperators() {
	for _, t := range []OID{TimestampOID, TimestamptzOID} {
		op("+", []OID{t, IntervalOID}, t, func(a []Value) (Value, error) { return a[0].(Timestamp).plus(a[1].(Interval)) })
		op("+", []OID{IntervalOID, t}, t, func(a []Value) (Value, error) { return a[1].(Timestamp).plus(a[0].(Interval)) })
		op("-", []OID{t, IntervalOID}, t, func(a []Value) (Value, error) {
			i, err := a[1].(Interval).negated()
			if err != nil {
				return nil, err
			}
			return a[0].(Timestamp).plus(i)
		})
		op("-", pair(t), IntervalOID, func(a []Value) (Value, error) { return a[0].(Timestamp).minus(a[1].(Timestamp)) })
	}
	intervalOperators()
	dateOperators()
}

func intervalOperators() {
	two := pair(IntervalOID)
	op("+", two, IntervalOID, func(a []Value) (Value, error) { return addIntervals(a[0].(Interval), a[1].(Interval)) })
	op("-", two, IntervalOID, func(a []Value) (Value, error) {
		i, err := a[1].(Interval).negated()
		if err != nil {
			return nil, err
		}
		return addIntervals(a[0].(Interval), i)
	})
	op("-", []OID{IntervalOID}, IntervalOID, func(a []Value) (Value, error) { i, err := a[0].(Interval).negated(); return i, err })
	multiply := func(i Interval, factor float64) (Value, error) {
		return i.scaled(func(f float64) float64 { return f * factor })
	}
	op("*", []OID{IntervalOID, Float8OID}, IntervalOID, func(a []Value) (Value, error) { return multiply(a[0].(Interval), a[1].(float64)) })
	op("*", []OID{Float8OID, IntervalOID}, IntervalOID, func(a []Value) (Value, error) { return multiply(a[1].(Interval), a[0].(float64)) })
	op("/", []OID{IntervalOID, Float8OID}, IntervalOID, func(a []Value) (Value, error) {
		divisor := a[1].(float64)
		if divisor == 0 {
			return nil, divisionByZero()
		}
		return a[0].(Interval).scaled(func(f float64) float64 { return f / divisor })
	})
}

func dateOperators() {
	addDays := func(d Date, days int64) (Value, error) {
		n := int64(d) + days
		switch {
		case d == InfinityDate || d == NegativeInfinityDate:
			return d, nil
		case n < int64(firstDate) || n >= int64(endDate):
			return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "date out of range")
		}
		return Date(n), nil
	}
	op("+", []OID{DateOID, Int4OID}, DateOID, func(a []Value) (Value, error) { return addDays(a[0].(Date), a[1].(int64)) })
	op("+", []OID{Int4OID, DateOID}, DateOID, func(a []Value) (Value, error) { return addDays(a[1].(Date), a[0].(int64)) })
	op("-", []OID{DateOID, Int4OID}, DateOID, func(a []Value) (Value, error) { return addDays(a[0].(Date), -a[1].(int64)) })
	op("-", pair(DateOID), Int4OID, func(a []Value) (Value, error) { return int64(a[0].(Date)) - int64(a[1].(Date)), nil })
	plus := func(d Date, i Interval) (Value, error) {
		t, err := d.timestamp()
		if err != nil {
			return nil, err
		}
		return t.plus(i)
	}
	op("+", []OID{DateOID, IntervalOID}, TimestampOID, func(a []Value) (Value, error) { return plus(a[0].(Date), a[1].(Interval)) })
	op("+", []OID{IntervalOID, DateOID}, TimestampOID, func(a []Value) (Value, error) { return plus(a[1].(Date), a[0].(Interval)) })
	op("-", []OID{DateOID, IntervalOID}, TimestampOID, func(a []Value) (Value, error) {
		i, err := a[1].(Interval).negated()
		if err != nil {
			return nil, err
		}
		return plus(a[0].(Date), i)
	})
	ofDay := func(t TimeOfDay, i int64) (Value, error) {
		n := int64(t) + i%microsPerDay
		return TimeOfDay(n - floorDiv(n, microsPerDay)*microsPerDay), nil
	}
	op("+", []OID{TimeOID, IntervalOID}, TimeOID, func(a []Value) (Value, error) { return ofDay(a[0].(TimeOfDay), a[1].(Interval).Micros) })
	op("+", []OID{IntervalOID, TimeOID}, TimeOID, func(a []Value) (Value, error) { return ofDay(a[1].(TimeOfDay), a[0].(Interval).Micros) })
	op("-", []OID{TimeOID, IntervalOID}, TimeOID, func(a []Value) (Value, error) {
		return ofDay(a[0].(TimeOfDay), -(a[1].(Interval).Micros % microsPerDay))
	})
	op("-", pair(TimeOID), IntervalOID, func(a []Value) (Value, error) {
		return Interval{Micros: int64(a[0].(TimeOfDay) - a[1].(TimeOfDay))}, nil
	})
	at := func(d Date, t TimeOfDay) (Value, error) { return plus(d, Interval{Micros: int64(t)}) }
	op("+", []OID{DateOID, TimeOID}, TimestampOID, func(a []Value) (Value, error) { return at(a[0].(Date), a[1].(TimeOfDay)) })
	op("+", []OID{TimeOID, DateOID}, TimestampOID, func(a []Value) (Value, error) { return at(a[1].(Date), a[0].(TimeOfDay)) })
}
