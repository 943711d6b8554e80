package types

import "math"

// Value is a value of some type; nil is NULL. By type it is
//
//   - bool: a bool
//   - int2, int4, int8, oid, xid, xid8: an int64
//   - float4 and float8: a float64
//   - text, varchar, bpchar, name, "char", json, unknown: a string
//   - jsonb: a string, its canonical text
//   - bytea: a []byte
//   - bit, varbit: a [Bits]
//   - date: a [Date]; time: a [TimeOfDay]
//   - timestamp and timestamptz: a [Timestamp]
//   - interval: an [Interval]
//   - uuid: a [UUID]
//   - numeric: a [Numeric]
//   - an enumeration: an [Enum]
//   - regclass, regtype, regproc, regnamespace: a [Reg]
//   - an array: an [Array]
//   - record: a [Row]
//   - void: the empty string
type Value any

// Timestamp is a time in microseconds since 1970 in UTC.
type Timestamp int64

// The infinite timestamps.
const (
	Infinity         Timestamp = math.MaxInt64
	NegativeInfinity Timestamp = math.MinInt64
)

// Date is a day, counted from 1970-01-01.
type Date int32

// The infinite dates.
const (
	InfinityDate         Date = math.MaxInt32
	NegativeInfinityDate Date = math.MinInt32
)

// TimeOfDay is a time without a date, in microseconds since midnight.
type TimeOfDay int64

// Interval is a span of time, in units that do not convert to each other.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// UUID is a UUID.
type UUID [16]byte

// Enum is a value of an enumeration. Order is its place among the labels.
type Enum struct {
	Label string
	Order float64
}

// Reg is an object of the catalog by its OID, with the name that it has as a text.
type Reg struct {
	OID  int64
	Name string
}

// Array is an array of one dimension, whose first subscript is 1, or an empty array.
type Array struct {
	Elem  OID
	Items []Value
}

// Row is a row of values of given types, as ROW(...) makes it.
type Row struct {
	Types []OID
	Items []Value
}

// Bits is a string of the digits 0 and 1.
type Bits string
