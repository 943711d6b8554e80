package types

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func timestampCodec(zone bool) codec {
	suffix, t := "", TimestampOID
	if zone {
		suffix, t = "+00", TimestamptzOID
	}
	return codec{
		text:  func(v Value) string { return v.(Timestamp).text(suffix) },
		parse: func(s string) (Value, error) { return parseTimestamp(t, s) },
		binary: func(v Value) []byte {
			ts := v.(Timestamp)
			if ts.finite() {
				ts -= Timestamp(days2000 * microsPerDay)
			}
			return bigEndian(uint64(ts), 8)
		},
		unbinary: sized(8, func(b []byte) (Value, error) {
			ts := Timestamp(fromBigEndian(b))
			if !ts.finite() {
				return ts, nil
			}
			if ts > endTimestamp-Timestamp(days2000*microsPerDay) {
				return nil, timestampOutOfRange()
			}
			if ts += Timestamp(days2000 * microsPerDay); !ts.inRange() {
				return nil, timestampOutOfRange()
			}
			return ts, nil
		}),
	}
}

func timestampOutOfRange() error {
	return pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp out of range")
}

// dateTime is the format of dates and times that is read: ISO 8601, with a space or a T.
var dateTime = regexp.MustCompile(`(?i)^(?:(\d{4,6})-(\d{1,2})-(\d{1,2})|(\d{4})(\d{2})(\d{2}))` +
	`(?:(?:T|\s+)(\d{1,2}):(\d{1,2})(?::(\d{1,2})(\.\d*)?)?\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2}(?::?\d{2})?)?)?)?\s*(BC|AD)?$`)

// parseTimestamp reads a date with a time or without.
func parseTimestamp(t OID, s string) (Value, error) {
	text := strings.ToLower(strings.Trim(s, spaces))
	switch text {
	case "infinity", "+infinity":
		return Infinity, nil
	case "-infinity":
		return NegativeInfinity, nil
	case "epoch":
		return Timestamp(0), nil
	}
	m := dateTime.FindStringSubmatch(text)
	if m == nil {
		return nil, unknownDate(t, s, text)
	}
	c, err := readDate(m, s)
	if err != nil {
		return nil, err
	}
	if m[7] != "" {
		if c.micros, err = readTime(m[7], m[8], m[9], m[10], s); err != nil {
			return nil, err
		}
	}
	if t == TimestamptzOID {
		offset, err := readZone(m[11], s)
		if err != nil {
			return nil, err
		}
		c.micros -= offset
	}
	ts, ok := c.timestamp()
	if !ok {
		return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", s)
	}
	return ts, nil
}

// unknownDate is the error about what is no date, or a date in a format that is not read here.
func unknownDate(t OID, s, text string) error {
	switch {
	case text == "now", text == "today", text == "tomorrow", text == "yesterday", text == "allballs":
		return pgerror.Lacks("the date %q", s)
	case isNoDate(text):
		name, _ := strings.CutSuffix(Name(t), " without time zone")
		return pgerror.New(pgerror.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", name, s)
	}
	return pgerror.Lacks("the format of the date or time %q", s)
}

// isNoDate reports whether a text is no date in any format: without digits, only a word, or with a word that no date has.
func isNoDate(text string) bool {
	if !strings.ContainsAny(text, "0123456789") || !strings.ContainsAny(text, "-/: ,.") && !isDigits(text) {
		return true
	}
	letters := strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(letters, func(w string) bool {
		_, isUnit := intervalUnits[w]
		return isUnit && len(w) > 2 && w != "dec" && w != "sec"
	})
}

func fieldOverflow(s string) *pgerror.Error {
	return pgerror.New(pgerror.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", s)
}

// readDate reads the year, the month and the day of a match.
func readDate(m []string, s string) (c clock, err error) {
	fields := m[1:4]
	if fields[0] == "" {
		fields = m[4:7]
	}
	c.year, c.month, c.day = atoi(fields[0]), atoi(fields[1]), atoi(fields[2])
	if m[12] == "bc" {
		c.year = 1 - c.year
	}
	switch {
	case c.year == 0 && m[12] != "bc", m[12] == "bc" && c.year == 1:
		return c, fieldOverflow(s)
	case c.month < 1 || c.month > 12 || c.day < 1 || c.day > 31:
		return c, fieldOverflow(s).WithHint("Perhaps you need a different \"datestyle\" setting.")
	case c.day > daysIn(c.year, c.month):
		return c, fieldOverflow(s)
	}
	return c, nil
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// readTime reads a time of the day; 24:00:00 and the second 60 are allowed.
func readTime(hour, minute, second, fraction, s string) (int64, error) {
	h, m, sec := int64(atoi(hour)), int64(atoi(minute)), int64(atoi(second))
	micros := h*microsPerHour + m*microsPerMinute + sec*microsPerSecond + readFraction(fraction)
	if m > 59 || sec > 60 || micros > microsPerDay {
		return 0, fieldOverflow(s)
	}
	return micros, nil
}

// readFraction reads a fraction of a second, with its point or "".
func readFraction(fraction string) int64 {
	if len(fraction) < 2 {
		return 0
	}
	f, _ := strconv.ParseFloat("0"+fraction, 64)
	return int64(math.RoundToEven(f * 1e6))
}

// readZone reads an offset from UTC.
func readZone(zone, s string) (int64, error) {
	if zone == "" || zone[0] != '+' && zone[0] != '-' {
		return 0, nil
	}
	digits := strings.ReplaceAll(zone[1:], ":", "")
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	digits += "0000"
	h, m, sec := int64(atoi(digits[:2])), int64(atoi(digits[2:4])), int64(atoi(digits[4:6]))
	const mostHours = 15
	if h > mostHours || m > 59 || sec > 59 {
		return 0, pgerror.New("22009", "time zone displacement out of range: \"%s\"", s)
	}
	offset := h*microsPerHour + m*microsPerMinute + sec*microsPerSecond
	if zone[0] == '-' {
		return -offset, nil
	}
	return offset, nil
}

var dateCodec = codec{
	text: func(v Value) string {
		switch d := v.(Date); d {
		case InfinityDate:
			return "infinity"
		case NegativeInfinityDate:
			return "-infinity"
		default:
			date, era := formatDate(civil(int64(d)))
			return date + era
		}
	},
	parse: func(s string) (Value, error) {
		v, err := parseTimestamp(DateOID, s)
		if err != nil {
			return nil, err
		}
		return v.(Timestamp).date(), nil
	},
	binary: func(v Value) []byte {
		d := v.(Date)
		if d != InfinityDate && d != NegativeInfinityDate {
			d -= days2000
		}
		return bigEndian(uint64(d), 4)
	},
	unbinary: sized(4, func(b []byte) (Value, error) {
		d := int64(int32(fromBigEndian(b)))
		if Date(d) == InfinityDate || Date(d) == NegativeInfinityDate {
			return Date(d), nil
		}
		if d += days2000; d < int64(firstDate) || d >= int64(endDate) {
			return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "date out of range")
		}
		return Date(d), nil
	}),
}

// date returns the day of a timestamp.
func (t Timestamp) date() Date {
	switch t {
	case Infinity:
		return InfinityDate
	case NegativeInfinity:
		return NegativeInfinityDate
	}
	return Date(floorDiv(int64(t), microsPerDay))
}

// timestamp returns the timestamp at which a day begins.
func (d Date) timestamp() (Timestamp, error) {
	switch d {
	case InfinityDate:
		return Infinity, nil
	case NegativeInfinityDate:
		return NegativeInfinity, nil
	}
	if int64(d) >= int64(endTimestamp)/microsPerDay {
		return 0, pgerror.New(pgerror.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return Timestamp(int64(d) * microsPerDay), nil
}

var timeOnly = regexp.MustCompile(`^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(\.\d*)?)?$`)

var timeCodec = codec{
	text: func(v Value) string { return formatTime(int64(v.(TimeOfDay))) },
	parse: func(s string) (Value, error) {
		m := timeOnly.FindStringSubmatch(strings.Trim(s, spaces))
		if m == nil {
			return nil, unknownDate(TimeOID, s, strings.ToLower(strings.Trim(s, spaces)))
		}
		micros, err := readTime(m[1], m[2], m[3], m[4], s)
		return TimeOfDay(micros), err
	},
	binary: func(v Value) []byte { return bigEndian(uint64(v.(TimeOfDay)), 8) },
	unbinary: sized(8, func(b []byte) (Value, error) {
		t := int64(fromBigEndian(b))
		if t < 0 || t > microsPerDay {
			return nil, pgerror.New(pgerror.DatetimeFieldOverflow, "time out of range")
		}
		return TimeOfDay(t), nil
	}),
}
