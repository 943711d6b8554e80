package types

import (
	"math/big"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Numeric is a decimal number: Unscaled / 10^Scale, or NaN or an infinity. Scale is how many digits after the point are
// shown. Unscaled is not changed once it is made.
type Numeric struct {
	Unscaled *big.Int
	Scale    int
	// Special is 0 for a number, 'n' for NaN, '+' and '-' for the infinities.
	Special byte
}

// NewNumeric makes a whole number.
func NewNumeric(n int64) Numeric { return Numeric{Unscaled: big.NewInt(n)} }

const (
	maxNumericPrecision = 1000
	maxNumericScale     = 1000
	minNumericDigits    = 16 // significant digits of a quotient at least
)

// pow10 returns 10^n.
func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// unscaled returns the unscaled number for a scale that is not smaller than the number's.
func (n Numeric) unscaled(scale int) *big.Int {
	if scale == n.Scale {
		return n.Unscaled
	}
	return new(big.Int).Mul(n.Unscaled, pow10(scale-n.Scale))
}

// Sign returns -1, 0 or 1. That of NaN is 1, as in comparisons.
func (n Numeric) Sign() int {
	switch n.Special {
	case 'n', '+':
		return 1
	case '-':
		return -1
	}
	return n.Unscaled.Sign()
}

// String returns the number as PostgreSQL writes it.
func (n Numeric) String() string {
	switch n.Special {
	case 'n':
		return "NaN"
	case '+':
		return "Infinity"
	case '-':
		return "-Infinity"
	}
	digits := new(big.Int).Abs(n.Unscaled).String()
	sign := ""
	if n.Unscaled.Sign() < 0 {
		sign = "-"
	}
	if n.Scale == 0 {
		return sign + digits
	}
	if missing := n.Scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - n.Scale
	return sign + digits[:point] + "." + digits[point:]
}

// rounded returns the number with another scale, which may be negative, rounded half away from zero.
func (n Numeric) rounded(scale int) Numeric {
	if n.Special != 0 {
		return n
	}
	if scale >= n.Scale {
		return Numeric{Unscaled: n.unscaled(scale), Scale: scale}
	}
	q, r := new(big.Int).QuoRem(n.Unscaled, pow10(n.Scale-scale), new(big.Int))
	r.Abs(r).Lsh(r, 1)
	if r.Cmp(pow10(n.Scale-scale)) >= 0 {
		q.Add(q, big.NewInt(int64(n.Unscaled.Sign())))
	}
	return withScale(q, scale)
}

// truncated returns the number with a smaller scale, cut.
func (n Numeric) truncated(scale int) Numeric {
	if n.Special != 0 || scale >= n.Scale {
		return n
	}
	return withScale(new(big.Int).Quo(n.Unscaled, pow10(n.Scale-scale)), scale)
}

// withScale makes a number of a scale, which may be negative.
func withScale(unscaled *big.Int, scale int) Numeric {
	if scale < 0 {
		return Numeric{Unscaled: unscaled.Mul(unscaled, pow10(-scale))}
	}
	return Numeric{Unscaled: unscaled, Scale: scale}
}

// floor returns the largest whole number that is not larger, or the smallest that is not smaller with up.
func (n Numeric) floor(up bool) Numeric {
	if n.Special != 0 {
		return n
	}
	q, r := new(big.Int).QuoRem(n.Unscaled, pow10(n.Scale), new(big.Int))
	switch {
	case r.Sign() > 0 && up:
		q.Add(q, big.NewInt(1))
	case r.Sign() < 0 && !up:
		q.Sub(q, big.NewInt(1))
	}
	return Numeric{Unscaled: q}
}

// compareNumeric compares two numbers; NaN is larger than all others.
func compareNumeric(a, b Numeric) int {
	if a.Special != 0 || b.Special != 0 {
		rank := func(n Numeric) int { return map[byte]int{'-': -1, 0: 0, '+': 1, 'n': 2}[n.Special] }
		return rank(a) - rank(b)
	}
	scale := max(a.Scale, b.Scale)
	return a.unscaled(scale).Cmp(b.unscaled(scale))
}

// parseNumeric reads a number.
func parseNumeric(s string) (Value, error) {
	invalid := func() (Value, error) {
		return nil, pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type numeric: \"%s\"", s)
	}
	text := strings.ToLower(strings.Trim(s, " \t\n\r\f\v"))
	switch text {
	case "nan":
		return Numeric{Special: 'n'}, nil
	case "infinity", "+infinity", "inf", "+inf":
		return Numeric{Special: '+'}, nil
	case "-infinity", "-inf":
		return Numeric{Special: '-'}, nil
	}
	mantissa, exponent, hasExponent := strings.Cut(text, "e")
	exp, ok := 0, true
	if hasExponent {
		exp, ok = parseExponent(exponent)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole, "+-")
	if !ok || len(whole)-len(digits) > 1 || digits+fraction == "" || !isDigits(digits) || !isDigits(fraction) {
		return invalid()
	}
	if exp > 131072 || exp < -16383 || len(digits)+exp > 131072 {
		return nil, numericOverflow()
	}
	n, _ := new(big.Int).SetString(digits+fraction, 10)
	if whole != "" && whole[0] == '-' {
		n.Neg(n)
	}
	return withScale(n, len(fraction)-exp), nil
}

func isDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

func parseExponent(s string) (int, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
	if digits == "" || !isDigits(digits) || strings.HasPrefix(s, "+-") {
		return 0, false
	}
	n := 0
	for _, d := range digits {
		n = min(n*10+int(d-'0'), 1<<30)
	}
	if s[0] == '-' {
		n = -n
	}
	return n, true
}

func numericOverflow() error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "value overflows numeric format")
}

// newNumericMod makes the modifier for a precision and a scale, 0 if it is not given.
func newNumericMod(mods []int32) (int32, error) {
	precision, scale := mods[0], int32(0)
	if len(mods) > 1 {
		scale = mods[1]
	}
	switch {
	case len(mods) > 2:
		return -1, pgerror.New(pgerror.InvalidParameterValue, "invalid NUMERIC type modifier")
	case precision < 1 || precision > maxNumericPrecision:
		return -1, pgerror.New(pgerror.InvalidParameterValue, "NUMERIC precision %d must be between 1 and %d", precision, maxNumericPrecision)
	case scale < -maxNumericScale || scale > maxNumericScale:
		return -1, pgerror.New(pgerror.InvalidParameterValue, "NUMERIC scale %d must be between %d and %d", scale, -maxNumericScale, maxNumericScale)
	}
	return precision<<16 | scale&0x7ff + modHeader, nil
}

// numericMod returns the precision and the scale of a modifier.
func numericMod(mod int32) (precision, scale int) {
	mod -= modHeader
	const half = 1024
	return int(mod >> 16 & 0xffff), int(mod&0x7ff^half) - half
}

// applyNumericMod rounds a number to its modifier's scale and checks the precision.
func applyNumericMod(n Numeric, mod int32) (Value, error) {
	if mod < 0 || n.Special == 'n' {
		return n, nil
	}
	precision, scale := numericMod(mod)
	if n.Special != 0 {
		return nil, pgerror.New(pgerror.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
	}
	r := n.rounded(scale)
	if new(big.Int).Abs(r.unscaled(max(scale, 0))).Cmp(pow10(precision+max(-scale, 0))) >= 0 {
		limit := "1"
		if precision != scale {
			limit = "10^" + NewNumeric(int64(precision-scale)).String()
		}
		return nil, pgerror.New(pgerror.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, limit)
	}
	return r, nil
}
