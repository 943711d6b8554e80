package simmysql

import (
	"math"
	"time"
)

// value is a parameter in the encoding of a type.
func (d *decoder) value(code byte, unsigned bool) value {
	switch code {
	case codeNull:
		return value{}
	case codeTiny:
		return signed(int64(d.byte()), 8, unsigned)
	case codeShort, codeYear:
		return signed(int64(d.uint16()), 16, unsigned)
	case codeLong, codeInt24:
		return signed(int64(d.uint32()), 32, unsigned)
	case codeLongLong:
		n := d.uint64()
		if unsigned && n > math.MaxInt64 {
			return value{kind: float, f: float64(n)}
		}
		return intValue(int64(n))
	case codeFloat:
		return d.number(float64(math.Float32frombits(d.uint32())))
	case codeDouble:
		return d.number(d.float64())
	case codeDate, codeDatetime, codeTimestamp:
		return d.moment()
	case codeVarchar, codeVarString, codeString, codeDecimal, codeBlob, codeBlob - 1, codeBlob - 2, codeTinyBlob:
		return textValue(d.text())
	}
	d.bad = true
	return value{}
}

// number is a floating-point number, which has to be one.
func (d *decoder) number(f float64) value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		d.bad = true
		f = 0
	}
	return value{kind: float, f: f}
}

// signed is an integer of so many bits, the highest of which is its sign unless it has none.
func signed(n int64, bits int, unsigned bool) value {
	if !unsigned && n >= 1<<(bits-1) {
		n -= 1 << bits
	}
	return intValue(n)
}

// moment is a date with a time, of which the end may be missing.
func (d *decoder) moment() value {
	parts := decoder{rest: d.take(int(d.byte()))}
	have := len(parts.rest)
	if have == 0 {
		return value{kind: moment}
	}
	year, month, day := int(parts.uint16()), time.Month(parts.byte()), int(parts.byte())
	var hour, minute, second, micros int
	if have > 4 {
		hour, minute, second = int(parts.byte()), int(parts.byte()), int(parts.byte())
	}
	if have > 7 {
		micros = int(parts.uint32())
	}
	d.bad = d.bad || parts.bad
	return momentValue(time.Date(year, month, day, hour, minute, second, micros*1000, time.UTC), 6)
}
