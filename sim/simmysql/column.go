package simmysql

import (
	"math"
	"strings"
	"unicode/utf8"
)

// columnType is the type of a column.
type columnType struct {
	base     kind
	code     byte // of the protocol
	bits     int  // of an integer
	unsigned bool
	length   int // of a text, in characters
	decimals int // of a moment
}

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

// columnTypes are those that tables can have.
var columnTypes = map[string]columnType{
	"tinyint":   {base: integer, code: codeTiny, bits: 8},
	"boolean":   {base: integer, code: codeTiny, bits: 8},
	"bool":      {base: integer, code: codeTiny, bits: 8},
	"smallint":  {base: integer, code: codeShort, bits: 16},
	"mediumint": {base: integer, code: codeInt24, bits: 24},
	"int":       {base: integer, code: codeLong, bits: 32},
	"integer":   {base: integer, code: codeLong, bits: 32},
	"bigint":    {base: integer, code: codeLongLong, bits: 64},
	"double":    {base: float, code: codeDouble},
	"char":      {base: text, code: codeString, length: 1},
	"varchar":   {base: text, code: codeVarString, length: 255},
	"text":      {base: text, code: codeBlob, length: 1<<16 - 1},
	"datetime":  {base: moment, code: codeDatetime},
	"timestamp": {base: moment, code: codeTimestamp},
}

// column is a column of a table.
type column struct {
	name          string
	kind          columnType
	notNull       bool
	autoIncrement bool
	fallback      expr // its DEFAULT; nil if it has none
	onUpdate      expr // ON UPDATE CURRENT_TIMESTAMP; nil if it has none
}

// convert is a value as the column stores it.
func (c *column) convert(v value) (value, error) {
	if v.kind == null {
		return v, nil
	}
	switch c.kind.base {
	case integer:
		return c.toInteger(v)
	case float:
		return value{kind: float, f: v.number()}, nil
	case moment:
		return c.toMoment(v)
	}
	s := v.String()
	if utf8.RuneCountInString(s) > c.kind.length {
		return value{}, fail(1406, "22001", "Data too long for column '%s' at row 1", c.name)
	}
	if c.kind.code == codeString {
		s = strings.TrimRight(s, " ")
	}
	return textValue(s), nil
}

func (c *column) toInteger(v value) (value, error) {
	if v.kind == text {
		if s := strings.TrimSpace(v.s); s == "" || numeral(s) != s {
			return value{}, fail(1366, "22007", "Incorrect integer value: '%s' for column '%s' at row 1", v.s, c.name)
		}
	}
	low, high := int64(math.MinInt64)>>(64-c.kind.bits), int64(math.MaxInt64)>>(64-c.kind.bits)
	if c.kind.unsigned {
		low, high = 0, int64(min(math.MaxUint64>>(64-c.kind.bits), uint64(math.MaxInt64)))
	}
	n, fits := v.rounded()
	if !fits || n < low || n > high {
		return value{}, fail(1264, "22003", "Out of range value for column '%s' at row 1", c.name)
	}
	return intValue(n), nil
}

func (c *column) toMoment(v value) (value, error) {
	m := v
	switch v.kind {
	case text:
		m = parseMoment(v.s)
	case integer:
		m = parseMoment(v.String())
	}
	if m.kind != moment {
		return value{}, fail(1292, "22007", "Incorrect datetime value: '%s' for column '%s' at row 1", v.String(), c.name)
	}
	return value{kind: moment, i: cutOff(m.i, c.kind.decimals), decimals: c.kind.decimals}, nil
}

// implicit is what a NOT NULL column gets where nothing is said: by INSERT IGNORE, and by
// AUTO_INCREMENT before it counts.
func (c *column) implicit() value {
	switch c.kind.base {
	case integer:
		return intValue(0)
	case float:
		return value{kind: float}
	case moment:
		return value{kind: moment, decimals: c.kind.decimals}
	}
	return textValue("")
}
