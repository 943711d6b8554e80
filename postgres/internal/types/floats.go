package types

import (
	"math"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func floatCodec(name string, size int) codec {
	return codec{
		text:  func(v Value) string { return formatFloat(v.(float64), size) },
		parse: func(s string) (Value, error) { return parseFloat(name, size, s) },
		binary: func(v Value) []byte {
			if size == 32 {
				return bigEndian(uint64(math.Float32bits(float32(v.(float64)))), 4)
			}
			return bigEndian(math.Float64bits(v.(float64)), 8)
		},
		unbinary: sized(size/8, func(b []byte) (Value, error) {
			if size == 32 {
				return float64(math.Float32frombits(uint32(fromBigEndian(b)))), nil
			}
			return math.Float64frombits(fromBigEndian(b)), nil
		}),
	}
}

// formatFloat writes the shortest digits that make the same float, as extra_float_digits 1 has it.
func formatFloat(f float64, size int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	most := 15 // digits before the point without an exponent
	if size == 32 {
		most = 6
	}
	text := strconv.FormatFloat(f, 'e', -1, size)
	_, exponent, _ := strings.Cut(text, "e")
	if n, _ := strconv.Atoi(exponent); n < -4 || n >= most {
		return text
	}
	return strconv.FormatFloat(f, 'f', -1, size)
}

func parseFloat(name string, size int, s string) (Value, error) {
	text := strings.Trim(s, spaces)
	switch strings.ToLower(text) {
	case "nan":
		return math.Float64frombits(0x7ff8 << 48), nil // that of C
	case "infinity", "+infinity", "inf", "+inf":
		return math.Inf(1), nil
	case "-infinity", "-inf":
		return math.Inf(-1), nil
	}
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return nil, invalidSyntax(name, s)
	}
	f, err := strconv.ParseFloat(text, size)
	switch {
	case math.IsInf(f, 0), err == nil && f == 0 && strings.ContainsAny(strings.TrimRight(mantissa(text), "0."), "123456789"):
		return nil, pgerror.New(pgerror.NumericValueOutOfRange, "\"%s\" is out of range for type %s", s, name)
	case err != nil:
		return nil, invalidSyntax(name, s)
	}
	return f, nil
}

// mantissa returns the digits before an exponent.
func mantissa(s string) string {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		return s[:i]
	}
	return s
}
