package types

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// maxScale is the most digits after the point that a number keeps.
const maxScale = 16383

// addNumeric adds, or subtracts with sign -1.
func addNumeric(a, b Numeric, sign int) Numeric {
	if b.Special != 0 && sign < 0 {
		b.Special = map[byte]byte{'n': 'n', '+': '-', '-': '+'}[b.Special]
	}
	switch {
	case a.Special == 0 && b.Special == 0:
	case a.Special == b.Special, b.Special == 0:
		return a
	case a.Special == 0:
		return b
	default:
		return Numeric{Special: 'n'}
	}
	scale := max(a.Scale, b.Scale)
	x, y := a.unscaled(scale), b.unscaled(scale)
	if sign < 0 {
		return Numeric{Unscaled: new(big.Int).Sub(x, y), Scale: scale}
	}
	return Numeric{Unscaled: new(big.Int).Add(x, y), Scale: scale}
}

// specialSign makes an infinity of a sign, or NaN for 0.
func specialSign(sign int) Numeric {
	return Numeric{Special: map[int]byte{1: '+', -1: '-', 0: 'n'}[sign]}
}

func multiplyNumeric(a, b Numeric) Numeric {
	switch {
	case a.Special == 'n' || b.Special == 'n':
		return Numeric{Special: 'n'}
	case a.Special != 0 || b.Special != 0:
		return specialSign(a.Sign() * b.Sign())
	}
	n := Numeric{Unscaled: new(big.Int).Mul(a.Unscaled, b.Unscaled), Scale: a.Scale + b.Scale}
	if n.Scale > maxScale {
		return n.rounded(maxScale)
	}
	return n
}

func divisionByZero() error { return pgerror.New(pgerror.DivisionByZero, "division by zero") }

func divideNumeric(a, b Numeric) (Value, error) {
	switch {
	case a.Special == 'n' || b.Special == 'n', a.Special != 0 && b.Special != 0:
		return Numeric{Special: 'n'}, nil
	case b.Special == 0 && b.Sign() == 0:
		return nil, divisionByZero()
	case a.Special != 0:
		return specialSign(a.Sign() * b.Sign()), nil
	case b.Special != 0:
		return NewNumeric(0), nil
	}
	scale := quotientScale(a, b)
	// One digit more is enough to round, since the rest only matters against a half.
	dividend := new(big.Int).Mul(a.Unscaled, pow10(b.Scale+scale+1))
	divisor := new(big.Int).Mul(b.Unscaled, pow10(a.Scale))
	q := new(big.Int).Quo(dividend, divisor)
	return Numeric{Unscaled: q, Scale: scale + 1}.rounded(scale), nil
}

// quotientScale chooses the scale of a quotient as PostgreSQL's select_div_scale does: at least 16 significant digits,
// counted in groups of four.
func quotientScale(a, b Numeric) int {
	weight1, first1 := a.weight()
	weight2, first2 := b.weight()
	weight := weight1 - weight2
	if first1 <= first2 {
		weight--
	}
	return min(max(minNumericDigits-4*weight, a.Scale, b.Scale, 0), maxNumericScale)
}

// weight returns the weight of the first of the number's digits to base 10000, and that digit.
func (n Numeric) weight() (weight int, first int64) {
	digits, weight := n.groups()
	if len(digits) == 0 {
		return 0, 0
	}
	return weight, int64(digits[0])
}

// groups returns the digits to base 10000, without zeros at the ends, and the weight of the first.
func (n Numeric) groups() (digits []int16, weight int) {
	text := new(big.Int).Abs(n.Unscaled).Text(10)
	if text == "0" {
		return nil, 0
	}
	fraction := n.Scale
	for ; fraction%4 != 0; fraction++ {
		text += "0"
	}
	for len(text)%4 != 0 {
		text = "0" + text
	}
	weight = (len(text)-fraction)/4 - 1
	for i := 0; i < len(text); i += 4 {
		d, _ := strconv.Atoi(text[i : i+4])
		digits = append(digits, int16(d))
	}
	for digits[len(digits)-1] == 0 {
		digits = digits[:len(digits)-1]
	}
	return digits, weight
}

// modNumeric returns the remainder, with the dividend's sign.
func modNumeric(a, b Numeric) (Value, error) {
	switch {
	case a.Special == 'n' || b.Special == 'n':
		return Numeric{Special: 'n'}, nil
	case b.Special == 0 && b.Sign() == 0:
		return nil, divisionByZero()
	case a.Special != 0:
		return Numeric{Special: 'n'}, nil
	case b.Special != 0:
		return a, nil
	}
	scale := max(a.Scale, b.Scale)
	return Numeric{Unscaled: new(big.Int).Rem(a.unscaled(scale), b.unscaled(scale)), Scale: scale}, nil
}

func (n Numeric) negated() Numeric {
	if n.Special != 0 {
		n.Special = map[byte]byte{'n': 'n', '+': '-', '-': '+'}[n.Special]
		return n
	}
	return Numeric{Unscaled: new(big.Int).Neg(n.Unscaled), Scale: n.Scale}
}

// toInt rounds to an integer that fits into the given number of bits.
func (n Numeric) toInt(t OID) (Value, error) {
	name := Name(t)
	switch n.Special {
	case 'n':
		return nil, pgerror.New(pgerror.FeatureNotSupported, "cannot convert NaN to %s", name)
	case '+', '-':
		return nil, pgerror.New(pgerror.FeatureNotSupported, "cannot convert infinity to %s", name)
	}
	r := n.rounded(0).Unscaled
	if !r.IsInt64() || !fitsInt(t, r.Int64()) {
		return nil, pgerror.New(pgerror.NumericValueOutOfRange, "%s out of range", name)
	}
	return r.Int64(), nil
}

// toFloat converts to the nearest float.
func (n Numeric) toFloat() float64 {
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// numericFromFloat rounds to the number of significant digits that PostgreSQL keeps: 15 of a double precision, 6 of a real.
func numericFromFloat(f float64, digits int) Numeric {
	switch {
	case math.IsNaN(f):
		return Numeric{Special: 'n'}
	case math.IsInf(f, 1):
		return Numeric{Special: '+'}
	case math.IsInf(f, -1):
		return Numeric{Special: '-'}
	}
	v, _ := parseNumeric(strconv.FormatFloat(f, 'g', digits, 64))
	n := v.(Numeric)
	for n.Scale > 0 { // the digits that %.15g would not show
		q, r := new(big.Int).QuoRem(n.Unscaled, big.NewInt(10), new(big.Int))
		if r.Sign() != 0 {
			break
		}
		n = Numeric{Unscaled: q, Scale: n.Scale - 1}
	}
	return n
}

var numericCodec = codec{
	text:     func(v Value) string { return v.(Numeric).String() },
	parse:    parseNumeric,
	binary:   func(v Value) []byte { return v.(Numeric).binary() },
	unbinary: numericFromBinary,
}

// The signs of a number's binary format.
const (
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericInf      = 0xD000
	numericNegInf   = 0xF000
)

func (n Numeric) binary() []byte {
	if n.Special != 0 {
		sign := map[byte]uint16{'n': numericNaN, '+': numericInf, '-': numericNegInf}[n.Special]
		scale := uint16(0)
		if n.Special != 'n' {
			scale = 0x20 // as numeric_send has it for infinities
		}
		return appendShorts(nil, 0, 0, sign, scale)
	}
	digits, weight := n.groups()
	sign := uint16(0)
	if n.Unscaled.Sign() < 0 {
		sign = numericNegative
	}
	b := appendShorts(nil, uint16(len(digits)), uint16(weight), sign, uint16(n.Scale))
	for _, d := range digits {
		b = appendShorts(b, uint16(d))
	}
	return b
}

func appendShorts(b []byte, shorts ...uint16) []byte {
	for _, s := range shorts {
		b = binary.BigEndian.AppendUint16(b, s)
	}
	return b
}

func numericFromBinary(b []byte) (Value, error) {
	const header = 8
	if len(b) < header {
		return nil, insufficientData()
	}
	short := func(i int) uint16 { return binary.BigEndian.Uint16(b[2*i:]) }
	count, weight, sign, scale := int(short(0)), int(int16(short(1))), short(2), int(short(3))
	switch sign {
	case numericNaN:
		return Numeric{Special: 'n'}, nil
	case numericInf:
		return Numeric{Special: '+'}, nil
	case numericNegInf:
		return Numeric{Special: '-'}, nil
	case 0, numericNegative:
	default:
		return nil, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid sign in external \"numeric\" value")
	}
	if scale > maxScale {
		return nil, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid scale in external \"numeric\" value")
	}
	if len(b) < header+2*count {
		return nil, insufficientData()
	}
	n := new(big.Int)
	for i := range count {
		d := short(4 + i)
		if d > 9999 {
			return nil, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid digit in external \"numeric\" value")
		}
		n.Add(n.Mul(n, big.NewInt(10000)), big.NewInt(int64(d)))
	}
	if sign == numericNegative {
		n.Neg(n)
	}
	// The digits are those before 10000^(count-1-weight); the scale says how many are kept, the rest is cut.
	have := 4 * (count - 1 - weight)
	if count == 0 {
		have = 0
	}
	if len(b) > header+2*count {
		return nil, incorrectBinary(1)
	}
	v := withScale(n, have)
	if v.Scale < scale {
		return Numeric{Unscaled: v.unscaled(scale), Scale: scale}, nil
	}
	return v.truncated(scale), nil
}
