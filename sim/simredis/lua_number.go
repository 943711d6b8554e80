package simredis

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Redis's Lua's conversions between numbers and text. The interpreter's own differ: it
// writes whole numbers with all their digits, where Redis's writes fourteen, so that
// 1e14 is "1e+14" there, and it reads "010" as eight. Scripts that keep microseconds
// depend on it.

// digits are those that Lua writes of a number, and callDigits those that
// redis.call sends.
const (
	digits     = 14
	callDigits = 17
)

// formatNumber writes a number as C's printf does with %.*g.
func formatNumber(v float64, digits int) string {
	if whole := int64(v); float64(whole) == v && -1e14 < v && v < 1e14 && (whole != 0 || !math.Signbit(v)) {
		return strconv.FormatInt(whole, 10)
	}
	if special, ok := notFinite(v); ok {
		return special
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// notFinite writes infinities and NaN, which has a sign too.
func notFinite(v float64) (s string, ok bool) {
	switch {
	case math.IsInf(v, 0):
		s = "inf"
	case math.IsNaN(v):
		s = "nan"
	default:
		return "", false
	}
	if math.Signbit(v) {
		s = "-" + s
	}
	return s, true
}

// numeral matches the numbers that C's strtod accepts, between blanks: decimal or
// hexadecimal digits, or a word for infinity or NaN.
var numeral = regexp.MustCompile(`(?i)^[ \t\n\v\f\r]*([+-]?)(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)` +
	`|0x([0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(p[+-]?\d+)?|(inf(?:inity)?)|(nan(?:\([0-9a-z_]*\))?))[ \t\n\v\f\r]*$`)

// parseNumber reads a number as Lua 5.1 does.
func parseNumber(s string) (v float64, ok bool) {
	s, _, _ = strings.Cut(s, "\x00")
	m := numeral.FindStringSubmatch(s)
	switch {
	case m == nil:
		return 0, false
	case m[2] != "":
		v, _ = strconv.ParseFloat(m[2], 64) // out of range is infinite
	case m[3] != "":
		exponent := m[4]
		if exponent == "" {
			exponent = "p0"
		}
		v, _ = strconv.ParseFloat("0x"+m[3]+exponent, 64)
	case m[5] != "":
		v = math.Inf(1)
	default:
		v = math.NaN()
	}
	if m[1] == "-" {
		v = math.Copysign(v, -1)
	}
	return v, true
}

// parseInBase parses a whole number as C's strtoul does, which tonumber uses for bases
// other than ten: negative numbers wrap around.
func parseInBase(s string, base int) (v float64, ok bool) {
	s, _, _ = strings.Cut(s, "\x00")
	s = strings.ToLower(strings.Trim(s, " \t\n\v\f\r"))
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if base == 16 && len(s) > 2 {
		s = strings.TrimPrefix(s, "0x")
	}
	if strings.ContainsAny(s, "+-_") {
		return 0, false
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil && n != math.MaxUint64 {
		return 0, false
	}
	if negative && err == nil {
		n = -n
	}
	return float64(n), true
}

// whole returns a number as an integer: the smallest one if it does not fit, as on the
// machines on which Redis runs.
func whole(v float64) int64 {
	if v >= -(1<<63) && v < 1<<63 {
		return int64(v)
	}
	return math.MinInt64
}

// stringOf returns a string or a number as text.
func stringOf(v lua.LValue) (s string, ok bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return formatNumber(float64(v), digits), true
	}
	return "", false
}

// numberOf returns a number, or a string that looks like one.
func numberOf(v lua.LValue) (n float64, ok bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		return parseNumber(string(v))
	}
	return 0, false
}

// checkString returns the n-th argument, which must be text.
func checkString(l *lua.LState, n int) string {
	s, ok := stringOf(l.Get(n))
	if !ok {
		l.TypeError(n, lua.LTString)
	}
	return s
}

// checkNumber returns the n-th argument, which must be a number.
func checkNumber(l *lua.LState, n int) float64 {
	v, ok := numberOf(l.Get(n))
	if !ok {
		l.TypeError(n, lua.LTNumber)
	}
	return v
}
