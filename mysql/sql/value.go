package sql

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of a value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Integer
	Float
	Text
	Moment // a date with a time
)

// Value is a value of SQL.
type Value struct {
	Kind Kind
	// Int is an integer, or a moment in microseconds since 1970, UTC.
	Int   int64
	Float float64
	Text  string
	// Decimals is the number of digits of a moment's fractional seconds, 0 to 6.
	Decimals int
}

// IntValue returns an integer.
func IntValue[N ~int | ~int64 | ~uint32](n N) Value { return Value{Kind: Integer, Int: int64(n)} }

// TextValue returns a text.
func TextValue(s string) Value { return Value{Kind: Text, Text: s} }

// BoolValue returns 1 or 0.
func BoolValue(b bool) Value {
	if b {
		return IntValue(1)
	}
	return IntValue(0)
}

// MomentValue returns a moment with the given number of decimals of its seconds, 0 to 6; further ones are cut off.
func MomentValue(t time.Time, decimals int) Value {
	return Value{Kind: Moment, Int: cutOff(t.UnixMicro(), decimals), Decimals: decimals}
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

// String returns the value as clients read it.
func (v Value) String() string {
	switch v.Kind {
	case Integer:
		return strconv.FormatInt(v.Int, 10)
	case Float:
		return strconv.FormatFloat(v.Float, 'g', -1, 64)
	case Moment:
		layout := "2006-01-02 15:04:05"
		if v.Decimals > 0 {
			layout += "." + strings.Repeat("0", v.Decimals)
		}
		return v.Time().Format(layout)
	case Text:
		return v.Text
	}
	return "NULL"
}

// Time returns a moment as a time, UTC.
func (v Value) Time() time.Time { return time.UnixMicro(v.Int).UTC() }

// Number returns the value as a number. For a text it is the number at its beginning.
func (v Value) Number() float64 {
	switch v.Kind {
	case Integer:
		return float64(v.Int)
	case Float:
		return v.Float
	case Moment:
		n, _ := strconv.ParseFloat(v.Time().Format("20060102150405.000000"), 64)
		return n
	case Text:
		return leadingNumber(v.Text)
	}
	return 0
}

// leadingNumber returns the number that a text begins with, 0 if there is none.
func leadingNumber(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\r")
	n, _ := strconv.ParseFloat(numeral(s), 64)
	return min(max(n, -math.MaxFloat64), math.MaxFloat64)
}

// numeral is the number that a text begins with, as it is written: digits with a sign, a fraction and an
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

// digits returns how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// Integer returns the value as a whole number, rounded, and cut to 64 bits.
func (v Value) Integer() int64 {
	n, _ := v.rounded()
	return n
}

// rounded returns the value as a whole number; fits is false if 64 bits are too few, and it was cut.
func (v Value) rounded() (n int64, fits bool) {
	switch v.Kind {
	case Integer:
		return v.Int, true
	case Text:
		if n, err := strconv.ParseInt(strings.TrimSpace(v.Text), 10, 64); err == nil {
			return n, true
		}
	}
	const beyond = 1 << 63
	f := math.Round(v.Number())
	switch {
	case f >= beyond:
		return math.MaxInt64, false
	case f < -beyond:
		return math.MinInt64, false
	}
	return int64(f), true
}

func isNullValue(v Value) bool { return v.Kind == Null }

// IsTrue reports whether the value is neither NULL nor zero.
func (v Value) IsTrue() bool { return v.Kind != Null && v.Number() != 0 }

// Collation maps texts to the texts by which they are compared. If it is nil, texts are compared as
// they are.
type Collation func(text string) string

// Compare orders two values, neither of which is NULL.
func (c Collation) Compare(a, b Value) int {
	switch {
	case a.Kind == Text && b.Kind == Text:
		if c == nil {
			return strings.Compare(a.Text, b.Text)
		}
		return strings.Compare(c(a.Text), c(b.Text))
	case a.Kind == Moment && b.Kind == Text:
		b = ParseMoment(b.Text)
	case a.Kind == Text && b.Kind == Moment:
		a = ParseMoment(a.Text)
	}
	if a.Kind == b.Kind && (a.Kind == Integer || a.Kind == Moment) {
		return cmp.Compare(a.Int, b.Int)
	}
	return cmp.Compare(a.Number(), b.Number())
}

// Like reports whether a text matches a pattern: % is any text, _ any character, and a backslash makes the next
// character stand for itself. Blanks at the end count.
func (c Collation) Like(text, pattern string) bool {
	fold := func(s string) []rune {
		if c != nil {
			s = strings.TrimSuffix(c(s+"."), ".")
		}
		return []rune(s)
	}
	t, p := fold(text), fold(pattern)
	at, star, tried := 0, -1, 0 // only the last % is tried again
	for i := 0; i < len(t); {
		if at < len(p) && p[at] == '%' {
			star, tried = at, i
			at++
		} else if n := matching(p[at:], t[i]); n > 0 {
			at += n
			i++
		} else if star < 0 {
			return false
		} else {
			tried++
			at, i = star+1, tried
		}
	}
	return strings.Trim(string(p[at:]), "%") == ""
}

// matching returns how many characters of a pattern stand for a character, 0 if the first does not match it.
func matching(pattern []rune, r rune) int {
	switch {
	case len(pattern) > 1 && pattern[0] == '\\' && pattern[1] == r:
		return 2
	case len(pattern) > 1 && pattern[0] == '\\' || len(pattern) == 0 || pattern[0] != '_' && pattern[0] != r:
		return 0
	}
	return 1
}

// order orders values as an index does: NULL first.
func (c Collation) order(a, b Value) int {
	switch {
	case a.Kind == Null || b.Kind == Null:
		return cmp.Compare(BoolValue(a.Kind != Null).Int, BoolValue(b.Kind != Null).Int)
	default:
		return c.Compare(a, b)
	}
}

// orderAll orders lists of values by the values that both have.
func (c Collation) orderAll(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		if o := c.order(a[i], b[i]); o != 0 {
			return o
		}
	}
	return 0
}

// same reports whether two values are the same to the byte.
func same(a, b Value) bool {
	a.Decimals, b.Decimals = 0, 0
	return a == b
}

// momentLayouts are how moments are written; the digits after the second may be missing.
var momentLayouts = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02", "20060102150405"}

// ParseMoment parses a moment; the result is NULL if the text is not one.
func ParseMoment(s string) Value {
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
		return MomentValue(t, decimals)
	}
	return Value{}
}

// Seconds returns a number of seconds as a duration, at most a year.
func Seconds(n float64) time.Duration {
	const year = 365 * 24 * 3600
	return time.Duration(min(max(n, 0), year) * float64(time.Second))
}
