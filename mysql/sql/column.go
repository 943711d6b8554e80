package sql

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// ColumnType is the type of a column.
type ColumnType struct {
	Name        string // as servers report it; empty if the column has only NULL
	Base        Kind
	Bits        int // of an integer
	Width       int // of an integer: how many digits clients show, 0 if the definition does not say
	Unsigned    bool
	Length      int  // of a text, in characters
	NeedsLength bool // a definition must have the length
	Decimals    int  // of a moment: the digits of its fractional seconds
	Trimmed     bool // blanks at the end of a text are dropped
	Unkeyed     bool // not possible in a key
	JSON        bool // of a text: it is JSON, and is not compared
}

// Column is a column of a table.
type Column struct {
	Name     string
	Type     ColumnType
	NotNull  bool
	Numbered bool // a row that is inserted without a value for it gets the next number
	Fallback Expr // its DEFAULT; nil if it has none
	OnUpdate Expr // its value when the row is changed; nil to keep it
	Comment  string
}

// Key is a key of a table, the primary one first.
type Key struct {
	Name    string
	Unique  bool
	Columns []string
}

// IsPrimary reports whether it is the primary key.
func (k Key) IsPrimary() bool { return k.Name == primary }

// Plan is the definition of a table to be created.
type Plan struct {
	Name    string
	Columns []*Column
	Counter int64 // the last number of the numbered column
	keys    []keyPlan
}

// keyPlan is the definition of a key of a table to be created.
type keyPlan struct {
	name    string
	unique  bool
	columns []string
}

// primary is the name of the primary key.
const primary = "PRIMARY"

// Primary adds a primary key.
func (p *Plan) Primary(columns ...string) { p.Key(primary, true, columns...) }

// Key adds a key. Its columns may be added later. A key without a name gets that of its first
// column, with a number if such a key exists already.
func (p *Plan) Key(name string, unique bool, columns ...string) {
	if name == "" && len(columns) > 0 {
		name = columns[0]
		for n := 2; p.key(name) >= 0; n++ {
			name = fmt.Sprintf("%s_%d", columns[0], n)
		}
	}
	p.keys = append(p.keys, keyPlan{name, unique, columns})
}

// key returns the place of a key, -1 if there is none.
func (p *Plan) key(name string) int {
	return slices.IndexFunc(p.keys, func(k keyPlan) bool { return strings.EqualFold(k.name, name) })
}

// column returns the place of a column, -1 if there is none.
func (p *Plan) column(name string) int {
	return slices.IndexFunc(p.Columns, func(c *Column) bool { return strings.EqualFold(c.Name, name) })
}

// store returns a value as the column stores it, and an error if the column cannot.
func (c *Column) store(v Value) (Value, error) {
	if v.Kind == Null && c.NotNull {
		return Value{}, Fail(NotNull, c.Name)
	}
	return c.convert(v)
}

// convert converts a value to the column's type.
func (c *Column) convert(v Value) (Value, error) {
	if v.Kind == Null {
		return v, nil
	}
	switch c.Type.Base {
	case Integer:
		return c.toInteger(v)
	case Float:
		return Value{Kind: Float, Float: v.Number()}, nil
	case Moment:
		return c.toMoment(v)
	}
	if err := c.checkJSON(v); err != nil {
		return Value{}, err
	}
	s := v.String()
	if utf8.RuneCountInString(s) > c.Type.Length {
		return Value{}, Fail(TooLong, c.Name)
	}
	if c.Type.Trimmed {
		s = strings.TrimRight(s, " ")
	}
	return TextValue(s), nil
}

// checkJSON returns an error if a JSON column gets a value that is not JSON.
func (c *Column) checkJSON(v Value) error {
	if c.Type.JSON && v.Kind != Null && !json.Valid([]byte(v.String())) {
		return Fail(NotJSON, c.Name)
	}
	return nil
}

func (c *Column) toInteger(v Value) (Value, error) {
	if v.Kind == Text {
		if s := strings.TrimSpace(v.Text); s == "" || numeral(s) != s {
			return Value{}, Fail(NotInteger, v.Text, c.Name)
		}
	}
	low, high := int64(math.MinInt64)>>(64-c.Type.Bits), int64(math.MaxInt64)>>(64-c.Type.Bits)
	if c.Type.Unsigned {
		low, high = 0, int64(min(math.MaxUint64>>(64-c.Type.Bits), uint64(math.MaxInt64)))
	}
	n, fits := v.rounded()
	if !fits || n < low || n > high {
		return Value{}, Fail(NotInColumn, c.Name)
	}
	return IntValue(n), nil
}

func (c *Column) toMoment(v Value) (Value, error) {
	m := v
	switch v.Kind {
	case Text:
		m = ParseMoment(v.Text)
	case Integer:
		m = ParseMoment(v.String())
	}
	if m.Kind != Moment {
		return Value{}, Fail(NotMoment, v.String(), c.Name)
	}
	return Value{Kind: Moment, Int: cutOff(m.Int, c.Type.Decimals), Decimals: c.Type.Decimals}, nil
}

// implicit returns the value of a NOT NULL column without a given value: with INSERT IGNORE, and for a
// numbered column before it gets its number.
func (c *Column) implicit() Value {
	switch c.Type.Base {
	case Integer:
		return IntValue(0)
	case Float:
		return Value{Kind: Float}
	case Moment:
		return Value{Kind: Moment, Decimals: c.Type.Decimals}
	}
	return TextValue("")
}
