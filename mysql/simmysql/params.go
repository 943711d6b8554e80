package simmysql

import (
	"math"
	"time"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// Types of the protocol.
const (
	codeTiny      byte = 1
	codeShort     byte = 2
	codeLong      byte = 3
	codeFloat     byte = 4
	codeDouble    byte = 5
	codeNull      byte = 6
	codeTimestamp byte = 7
	codeLongLong  byte = 8
	codeInt24     byte = 9
	codeDate      byte = 10
	codeDatetime  byte = 12
	codeYear      byte = 13
	codeVarchar   byte = 15
	codeDecimal   byte = 246
	codeTinyBlob  byte = 249
	codeBlob      byte = 252
	codeVarString byte = 253
	codeString    byte = 254
)

// codes are the types of the protocol by the names of types of columns. A column without a type has only
// NULL.
var codes = map[string]byte{
	"": codeNull, "tinyint": codeTiny, "smallint": codeShort, "mediumint": codeInt24, "int": codeLong, "bigint": codeLongLong,
	"double": codeDouble, "char": codeString, "varchar": codeVarString, "text": codeBlob, "longtext": codeBlob, "datetime": codeDatetime, "timestamp": codeTimestamp,
}

// value returns a parameter in the encoding of a type.
func (d *decoder) value(code byte, unsigned bool) sql.Value {
	switch code {
	case codeNull:
		return sql.Value{}
	case codeTiny:
		return signed(int64(d.byte()), 8, unsigned)
	case codeShort, codeYear:
		return signed(int64(d.uint16()), 16, unsigned)
	case codeLong, codeInt24:
		return signed(int64(d.uint32()), 32, unsigned)
	case codeLongLong:
		n := d.uint64()
		if unsigned && n > math.MaxInt64 {
			return sql.Value{Kind: sql.Float, Float: float64(n)}
		}
		return sql.IntValue(int64(n))
	case codeFloat:
		return d.number(float64(math.Float32frombits(d.uint32())))
	case codeDouble:
		return d.number(d.float64())
	case codeDate, codeDatetime, codeTimestamp:
		return d.moment()
	case codeVarchar, codeVarString, codeString, codeDecimal, codeBlob, codeBlob - 1, codeBlob - 2, codeTinyBlob:
		return sql.TextValue(d.text())
	}
	d.bad = true
	return sql.Value{}
}

// number returns a floating-point number, which has to be one.
func (d *decoder) number(f float64) sql.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		d.bad = true
		f = 0
	}
	return sql.Value{Kind: sql.Float, Float: f}
}

// signed returns an integer of the given number of bits, the highest of which is the sign unless
// the integer is unsigned.
func signed(n int64, bits int, unsigned bool) sql.Value {
	if !unsigned && n >= 1<<(bits-1) {
		n -= 1 << bits
	}
	return sql.IntValue(n)
}

// moment returns a date with a time. Parts at its end may be missing.
func (d *decoder) moment() sql.Value {
	parts := decoder{rest: d.take(int(d.byte()))}
	have := len(parts.rest)
	if have == 0 {
		return sql.Value{Kind: sql.Moment}
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
	return sql.MomentValue(time.Date(year, month, day, hour, minute, second, micros*1000, time.UTC), 6)
}
