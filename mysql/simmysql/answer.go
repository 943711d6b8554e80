package simmysql

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// Flags of a session's status.
const (
	statusInTransaction uint16 = 1 << 0
	statusAutocommit    uint16 = 1 << 1
)

// infoText returns what the answer to a statement says about its rows; x is nil if there was no
// statement.
func infoText(x *sql.Execution, r *sql.Result) string {
	if x == nil {
		return ""
	}
	switch st := x.Statement().(type) {
	case *sql.Update:
		return fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: 0", r.Matched, r.Changed)
	case *sql.Insert:
		if rows := int64(len(st.Rows)); rows > 1 {
			return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", rows, rows-r.Affected, x.Session().Warnings)
		}
	}
	return ""
}

// ok writes the packet that reports success.
func (e *encoder) ok(r *sql.Result, info string, status uint16, warnings int) {
	e.begin()
	e.byte(0)
	e.length(uint64(r.Affected))
	e.length(uint64(r.InsertID))
	e.uint16(status)
	e.uint16(uint16(warnings))
	e.out = append(e.out, info...)
	e.end()
}

// failure writes the packet of an error.
func (e *encoder) failure(err error) {
	s := asClientsSee(err)
	e.begin()
	e.byte(0xff)
	e.uint16(s.number)
	e.out = append(e.out, "#"+s.state+s.text...)
	e.end()
}

// eof writes the packet after a list.
func (e *encoder) eof(status uint16, warnings int) {
	e.begin()
	e.byte(0xfe)
	e.uint16(uint16(warnings))
	e.uint16(status)
	e.end()
}

// column writes the packet that describes a column.
func (e *encoder) column(c *sql.ResultColumn) {
	e.begin()
	e.text("def")
	e.text("") // the schema
	e.text(c.Table)
	e.text(c.Table)
	e.text(c.Name)
	e.text(c.Name)
	e.length(12)
	charset, length := uint16(63), uint32(20) // binary
	if c.Type.Base == sql.Text {
		charset, length = collation, uint32(min(4*c.Type.Length, math.MaxInt32))
	}
	e.uint16(charset)
	e.uint32(length)
	e.byte(codes[c.Type.Name])
	flags := uint16(0)
	if c.NotNull {
		flags |= 1
	}
	if c.Type.Unsigned {
		flags |= 1 << 5
	}
	e.uint16(flags)
	e.byte(decimals(c.Type), 0, 0)
	e.end()
}

// decimals returns how many digits are shown after the point, and 31 if that differs
// from value to value.
func decimals(t sql.ColumnType) byte {
	if t.Base == sql.Float {
		return 31
	}
	return byte(t.Decimals)
}

// columns writes the packets that describe columns, and the one that ends the list.
func (e *encoder) columns(list []sql.ResultColumn, status uint16) {
	if len(list) == 0 {
		return
	}
	for i := range list {
		e.column(&list[i])
	}
	e.eof(status, 0)
}

// rows writes a result with rows.
func (e *encoder) rows(r *sql.Result, status uint16, warnings int, inBinary bool) {
	e.begin()
	e.length(uint64(len(r.Columns)))
	e.end()
	e.columns(r.Columns, status)
	for _, row := range r.Rows {
		e.begin()
		if inBinary {
			e.binaryRow(r.Columns, row)
		} else {
			e.textRow(row)
		}
		e.end()
	}
	e.eof(status, warnings)
}

func (e *encoder) textRow(row []sql.Value) {
	for _, v := range row {
		if v.Kind == sql.Null {
			e.byte(0xfb)
			continue
		}
		e.text(v.String())
	}
}

// binaryRow writes a row in the format of prepared statements: bits that mark the values
// that are NULL, then the other values.
func (e *encoder) binaryRow(columns []sql.ResultColumn, row []sql.Value) {
	e.byte(0)
	nulls := len(e.out)
	e.byte(make([]byte, (len(row)+9)/8)...)
	for i, v := range row {
		if v.Kind == sql.Null {
			e.out[nulls+(i+2)/8] |= 1 << ((i + 2) % 8)
			continue
		}
		e.binary(codes[columns[i].Type.Name], v)
	}
}

// binary writes a value in the encoding of a type.
func (e *encoder) binary(code byte, v sql.Value) {
	switch code {
	case codeTiny:
		e.byte(byte(v.Integer()))
	case codeShort:
		e.uint16(uint16(v.Integer()))
	case codeLong, codeInt24:
		e.uint32(uint32(v.Integer()))
	case codeLongLong:
		e.uint64(uint64(v.Integer()))
	case codeDouble:
		e.uint64(math.Float64bits(v.Number()))
	case codeDatetime, codeTimestamp:
		e.moment(v)
	default:
		e.text(v.String())
	}
}

// moment writes a date with a time, without the parts at its end that are zero.
func (e *encoder) moment(v sql.Value) {
	t := v.Time()
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
