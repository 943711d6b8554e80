package simmysql

import (
	"encoding/binary"
	"errors"
	"math"
)

// Flags of a session's status.
const (
	statusInTransaction uint16 = 1 << 0
	statusAutocommit    uint16 = 1 << 1
)

// status are the flags of the session's status.
func (s *session) status() (flags uint16) {
	if s.autocommit {
		flags |= statusAutocommit
	}
	if s.explicit || s.txn != nil && !s.autocommit {
		flags |= statusInTransaction
	}
	return flags
}

// ok is the packet that says that all went well.
func (e *encoder) ok(r *result, status uint16, warnings int) {
	e.begin()
	e.byte(0)
	e.length(uint64(r.affected))
	e.length(uint64(r.insertID))
	e.uint16(status)
	e.uint16(uint16(warnings))
	e.out = append(e.out, r.info...)
	e.end()
}

// failure is the packet of an error.
func (e *encoder) failure(err error) {
	var s *sqlError
	if !errors.As(err, &s) {
		s = &sqlError{1105, "HY000", err.Error()}
	}
	e.begin()
	e.byte(0xff)
	e.uint16(s.number)
	e.out = append(e.out, "#"+s.state+s.text...)
	e.end()
}

// eof is the packet behind a list.
func (e *encoder) eof(status uint16, warnings int) {
	e.begin()
	e.byte(0xfe)
	e.uint16(uint16(warnings))
	e.uint16(status)
	e.end()
}

// column is the packet that describes a column.
func (e *encoder) column(c *resultColumn) {
	e.begin()
	e.text("def")
	e.text("") // the schema
	e.text(c.table)
	e.text(c.table)
	e.text(c.name)
	e.text(c.name)
	e.length(12)
	charset, length := uint16(63), uint32(20) // binary
	if c.kind.base == text {
		charset, length = collation, uint32(min(4*c.kind.length, math.MaxInt32))
	}
	e.uint16(charset)
	e.uint32(length)
	e.byte(c.kind.code)
	flags := uint16(0)
	if c.notNull {
		flags |= 1
	}
	if c.kind.unsigned {
		flags |= 1 << 5
	}
	e.uint16(flags)
	e.byte(c.decimals(), 0, 0)
	e.end()
}

// decimals is how many digits are shown behind the point; 31 if that depends.
func (c *resultColumn) decimals() byte {
	if c.kind.base == float {
		return 31
	}
	return byte(c.kind.decimals)
}

// columns are packets that describe columns, with an end.
func (e *encoder) columns(list []resultColumn, status uint16) {
	if len(list) == 0 {
		return
	}
	for i := range list {
		e.column(&list[i])
	}
	e.eof(status, 0)
}

// rows is a result with rows.
func (e *encoder) rows(r *result, status uint16, warnings int, inBinary bool) {
	e.begin()
	e.length(uint64(len(r.columns)))
	e.end()
	e.columns(r.columns, status)
	for _, row := range r.rows {
		e.begin()
		if inBinary {
			e.binaryRow(r.columns, row)
		} else {
			e.textRow(row)
		}
		e.end()
	}
	e.eof(status, warnings)
}

func (e *encoder) textRow(row []value) {
	for _, v := range row {
		if v.kind == null {
			e.byte(0xfb)
			continue
		}
		e.text(v.String())
	}
}

// binaryRow is a row as prepared statements have it: the places of NULL in bits, and then
// the others.
func (e *encoder) binaryRow(columns []resultColumn, row []value) {
	e.byte(0)
	nulls := len(e.out)
	e.byte(make([]byte, (len(row)+9)/8)...)
	for i, v := range row {
		if v.kind == null {
			e.out[nulls+(i+2)/8] |= 1 << ((i + 2) % 8)
			continue
		}
		e.binary(columns[i].kind.code, v)
	}
}

// binary is a value in the encoding of a type.
func (e *encoder) binary(code byte, v value) {
	switch code {
	case codeTiny:
		e.byte(byte(v.integer()))
	case codeShort:
		e.uint16(uint16(v.integer()))
	case codeLong, codeInt24:
		e.uint32(uint32(v.integer()))
	case codeLongLong:
		e.uint64(uint64(v.integer()))
	case codeDouble:
		e.uint64(math.Float64bits(v.number()))
	case codeDatetime, codeTimestamp:
		e.moment(v)
	default:
		e.text(v.String())
	}
}

// moment is a date with a time, without the parts at its end that are zero.
func (e *encoder) moment(v value) {
	t := v.time()
	b := binary.LittleEndian.AppendUint16(nil, uint16(t.Year()))
	b = append(b, byte(t.Month()), byte(t.Day()), byte(t.Hour()), byte(t.Minute()), byte(t.Second()))
	b = binary.LittleEndian.AppendUint32(b, uint32(t.Nanosecond()/1000))
	switch {
	case t.Nanosecond() == 0 && t.Hour()+t.Minute()+t.Second() == 0:
		b = b[:4]
	case t.Nanosecond() == 0:
		b = b[:7]
	}
	e.byte(byte(len(b)))
	e.byte(b...)
}
