package types

import (
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// ApplyMod makes a value fit the modifier of its type, -1 for none: texts are checked for their length, or cut by an
// explicit cast, numbers and times are rounded. NULL stays NULL.
func ApplyMod(t OID, mod int32, v Value, explicit bool) (Value, error) {
	if v == nil || mod < 0 {
		return v, nil
	}
	if a, ok := v.(Array); ok {
		items := make([]Value, len(a.Items))
		for i, item := range a.Items {
			var err error
			if items[i], err = ApplyMod(a.Elem, mod, item, explicit); err != nil {
				return nil, err
			}
		}
		return Array{a.Elem, items}, nil
	}
	switch t {
	case VarcharOID, BPCharOID:
		return fitText(t, int(mod-modHeader), v.(string), explicit)
	case BitOID, VarbitOID:
		return fitBits(t, int(mod), v.(Bits), explicit)
	case NumericOID:
		return applyNumericMod(v.(Numeric), mod)
	case TimestampOID, TimestamptzOID:
		return v.(Timestamp).rounded(mod), nil
	case TimeOID:
		return TimeOfDay(roundMicros(int64(v.(TimeOfDay)), mod)), nil
	case IntervalOID:
		i := v.(Interval)
		if precision := mod & 0xffff; precision <= 6 {
			i.Micros = roundMicros(i.Micros, precision)
		}
		return i, nil
	}
	return v, nil
}

// fitText checks the length of a text: what is too long is cut if it is only spaces, or the cast is explicit. bpchar is
// filled with spaces.
func fitText(t OID, most int, s string, explicit bool) (Value, error) {
	length := utf8.RuneCountInString(s)
	if length <= most {
		if t == BPCharOID {
			s += strings.Repeat(" ", most-length)
		}
		return s, nil
	}
	cut := string([]rune(s)[:most])
	if explicit || strings.Trim(s[len(cut):], " ") == "" {
		return cut, nil
	}
	return nil, pgerror.New(pgerror.StringDataRightTruncation, "value too long for type %s(%d)", Name(t), most)
}

// fitBits checks the length of bits, which an explicit cast cuts or fills with zeros on the right.
func fitBits(t OID, length int, b Bits, explicit bool) (Value, error) {
	switch {
	case len(b) == length, t == VarbitOID && len(b) < length:
		return b, nil
	case explicit && len(b) > length:
		return b[:length], nil
	case explicit:
		return b + Bits(strings.Repeat("0", length-len(b))), nil
	case t == VarbitOID:
		return nil, pgerror.New(pgerror.StringDataRightTruncation, "bit string too long for type bit varying(%d)", length)
	}
	return nil, pgerror.New(pgerror.StringDataLengthMismatch, "bit string length %d does not match type bit(%d)", len(b), length)
}

// roundMicros rounds a time in microseconds to the given number of decimals of a second, half away from zero.
func roundMicros(n int64, precision int32) int64 {
	unit := int64(1)
	for range 6 - precision {
		unit *= 10
	}
	half := unit / 2
	if n < 0 {
		half = -half
	}
	return (n + half) / unit * unit
}

func (t Timestamp) rounded(precision int32) Timestamp {
	if t == Infinity || t == NegativeInfinity {
		return t
	}
	return Timestamp(roundMicros(int64(t), precision))
}
