package types

import (
	"fmt"
	"math"
	"strings"
)

const (
	microsPerSecond = int64(1e6)
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour

	julian1970 = 2440588 // the Julian day of 1970-01-01
	days2000   = 10957   // 2000-01-01, from which binary formats count
)

// The range of finite timestamps: from 4714-11-24 BC on. It ends in the year 294247, with the numbers, 30 years before
// PostgreSQL's.
const (
	firstTimestamp = Timestamp(-210866803200000000)
	endTimestamp   = Infinity
)

// The range of dates, whose end is that of the type in PostgreSQL.
const (
	firstDate = Date(-julian1970)
	endDate   = Date(2145031949 + 1)
)

// civil returns the year, month and day of a day that is counted from 1970. The year before 1 is 0.
func civil(day int64) (year, month, dayOfMonth int) {
	// Days are counted from March 1st of a year that is a multiple of 400.
	day += 719468
	era := floorDiv(day, 146097)
	ofEra := day - era*146097
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*ofYear + 2) / 153
	dayOfMonth = int(ofYear - (153*m+2)/5 + 1)
	month = int(m + 3)
	if month > 12 {
		month -= 12
	}
	year = int(yearOfEra + era*400)
	if month <= 2 {
		year++
	}
	return year, month, dayOfMonth
}

// dayOf returns the day of a date, counted from 1970.
func dayOf(year, month, dayOfMonth int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yearOfEra := y - era*400
	m := int64(month)
	if m > 2 {
		m -= 3
	} else {
		m += 9
	}
	ofYear := (153*m+2)/5 + int64(dayOfMonth) - 1
	return era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + ofYear - 719468
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// daysIn returns the number of days of a month.
func daysIn(year, month int) int {
	if month == 12 {
		return 31
	}
	return int(dayOf(year, month+1, 1) - dayOf(year, month, 1))
}

// clock are the fields of a timestamp.
type clock struct {
	year, month, day int
	micros           int64 // of the day
}

func (t Timestamp) clock() clock {
	day := floorDiv(int64(t), microsPerDay)
	c := clock{micros: int64(t) - day*microsPerDay}
	c.year, c.month, c.day = civil(day)
	return c
}

// timestamp returns the timestamp of the fields, and whether it is in range.
func (c clock) timestamp() (Timestamp, bool) {
	day := dayOf(c.year, c.month, c.day)
	if day < math.MinInt64/microsPerDay+1 || day > math.MaxInt64/microsPerDay-1 {
		return 0, false
	}
	t := Timestamp(day*microsPerDay + c.micros)
	return t, t.inRange()
}

func (t Timestamp) inRange() bool { return firstTimestamp <= t && t < endTimestamp }

func (t Timestamp) finite() bool { return t != Infinity && t != NegativeInfinity }

// formatDate writes a date without the era, and the era.
func formatDate(year, month, day int) (date, era string) {
	if year <= 0 {
		year, era = 1-year, " BC"
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day), era
}

// formatTime writes a time of the day, or of an interval.
func formatTime(micros int64) string {
	return fmt.Sprintf("%02d:%02d:", micros/microsPerHour, micros/microsPerMinute%60) + formatSeconds(micros%microsPerMinute)
}

// formatSeconds writes seconds with two digits and a fraction without zeros at its end.
func formatSeconds(micros int64) string {
	text := fmt.Sprintf("%02d", micros/microsPerSecond)
	if fraction := micros % microsPerSecond; fraction != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%06d", fraction), "0")
	}
	return text
}

// text writes a timestamp; zone is "+00" or "".
func (t Timestamp) text(zone string) string {
	switch t {
	case Infinity:
		return "infinity"
	case NegativeInfinity:
		return "-infinity"
	}
	c := t.clock()
	date, era := formatDate(c.year, c.month, c.day)
	return date + " " + formatTime(c.micros) + zone + era
}
