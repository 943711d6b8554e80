package simmysql

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// kind is the type of a value.
type kind uint8

const (
	null kind = iota
	integer
	float
	text
	moment // a date with a time
)

// value is a value of SQL.
type value struct {
	kind kind
	// i is an integer, or a moment in microseconds since 1970, UTC.
	i int64
	f float64
	s string
	// decimals is how many digits of a moment's second are shown.
	decimals int
}

func intValue[N ~int | ~int64 | ~uint32](n N) value { return value{kind: integer, i: int64(n)} }

func textValue(s string) value { return value{kind: text, s: s} }

func boolValue(b bool) value {
	if b {
		return intValue(1)
	}
	return intValue(0)
}

// momentValue is a moment with so many digits after the second, cut off.
func momentValue(t time.Time, decimals int) value {
	return value{kind: moment, i: cutOff(t.UnixMicro(), decimals), decimals: decimals}
}

func cutOff(micros int64, decimals int) int64 {
	unit := int64(math.Pow10(6 - decimals))
	return micros - ((micros%unit)+unit)%unit
}

// The first and the last moment that there are: the years 1 to 9999, in microseconds since 1970.
var (
	firstMoment = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	lastMoment  = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - 1
)

// String is the value as the text protocol sends it.
func (v value) String() string {
	switch v.kind {
	case integer:
		return strconv.FormatInt(v.i, 10)
	case float:
		return strconv.FormatFloat(v.f, 'g', -1, 64)
	case moment:
		layout := "2006-01-02 15:04:05"
		if v.decimals > 0 {
			layout += "." + strings.Repeat("0", v.decimals)
		}
		return v.time().Format(layout)
	case text:
		return v.s
	}
	return "NULL"
}

func (v value) time() time.Time { return time.UnixMicro(v.i).UTC() }

// number is the value as a number; a text counts as far as it begins with one.
func (v value) number() float64 {
	switch v.kind {
	case integer:
		return float64(v.i)
	case float:
		return v.f
	case moment:
		n, _ := strconv.ParseFloat(v.time().Format("20060102150405.000000"), 64)
		return n
	case text:
		return leadingNumber(v.s)
	}
	return 0
}

// leadingNumber is the number that a text begins with, 0 if there is none.
func leadingNumber(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\r")
	n, _ := strconv.ParseFloat(numeral(s), 64)
	return min(max(n, -math.MaxFloat64), math.MaxFloat64)
}

// numeral is the number that a text begins with, as it stands there: digits with a sign, a fraction and an
// exponent, as far as it has them. It is empty if there is none.
func numeral(s string) string {
	sign := 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign = 1
	}
	whole := digits(s[sign:])
	end, count := sign+whole, whole
	if end < len(s) && s[end] == '.' {
		fraction := digits(s[end+1:])
		end, count = end+1+fraction, count+fraction
	}
	if count == 0 {
		return ""
	}
	if e := s[end:]; len(e) > 1 && (e[0] == 'e' || e[0] == 'E') {
		n := 1
		if e[1] == '-' || e[1] == '+' {
			n = 2
		}
		if power := digits(e[n:]); power > 0 {
			end += n + power
		}
	}
	return s[:end]
}

// digits is how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// integer is the value as a whole number, rounded, and cut to 64 bits.
func (v value) integer() int64 {
	n, _ := v.rounded()
	return n
}

// rounded is the value as a whole number; fits is false if 64 bits are too few, and it was cut.
func (v value) rounded() (n int64, fits bool) {
	switch v.kind {
	case integer:
		return v.i, true
	case text:
		if n, err := strconv.ParseInt(strings.TrimSpace(v.s), 10, 64); err == nil {
			return n, true
		}
	}
	const beyond = 1 << 63
	f := math.Round(v.number())
	switch {
	case f >= beyond:
		return math.MaxInt64, false
	case f < -beyond:
		return math.MinInt64, false
	}
	return int64(f), true
}

// isTrue reports whether the value is neither NULL nor zero.
func (v value) isTrue() bool { return v.kind != null && v.number() != 0 }

// folded is a text as comparisons see it: without regard to case and trailing spaces, as
// the collation utf8mb4_general_ci has it.
func folded(s string) string { return strings.ToLower(strings.TrimRight(s, " ")) }

// compare orders two values, neither of which is NULL.
func compare(a, b value) int {
	switch {
	case a.kind == text && b.kind == text:
		return strings.Compare(folded(a.s), folded(b.s))
	case a.kind == moment && b.kind == text:
		b = parseMoment(b.s)
	case a.kind == text && b.kind == moment:
		a = parseMoment(a.s)
	}
	if a.kind == b.kind && (a.kind == integer || a.kind == moment) {
		return cmp.Compare(a.i, b.i)
	}
	return cmp.Compare(a.number(), b.number())
}

// order orders values as an index does: NULL first.
func order(a, b value) int {
	switch {
	case a.kind == null || b.kind == null:
		return cmp.Compare(boolValue(a.kind != null).i, boolValue(b.kind != null).i)
	default:
		return compare(a, b)
	}
}

// orderAll orders lists of values by the values that both have.
func orderAll(a, b []value) int {
	for i := range min(len(a), len(b)) {
		if c := order(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// same reports whether two values are the same to the byte.
func same(a, b value) bool {
	a.decimals, b.decimals = 0, 0
	return a == b
}

// momentLayouts are how moments are written; the digits after the second may be missing.
var momentLayouts = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02", "20060102150405"}

// parseMoment reads a moment; the result is NULL if it is none.
func parseMoment(s string) value {
	s = strings.TrimSpace(s)
	for _, layout := range momentLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		decimals := 0
		if _, digits, found := strings.Cut(s, "."); found {
			decimals = min(len(digits), 6)
		}
		return momentValue(t, decimals)
	}
	return value{}
}
