package types

import (
	"bytes"
	"math"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareFloats compares; NaN is equal to itself and larger than all others.
func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return compareInts(boolInt(math.IsNaN(a)), boolInt(math.IsNaN(b)))
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Compare compares two values of a type, neither of them NULL, by the type's default order. Integers of different types
// may be compared. The type has to be one for which Comparable returns no error.
func Compare(t OID, a, b Value) int {
	switch a := a.(type) {
	case bool:
		return compareInts(boolInt(a), boolInt(b.(bool)))
	case int64:
		return compareUnsigned(t, a, b.(int64))
	case float64:
		return compareFloats(a, b.(float64))
	case string:
		return compareTexts(t, a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case Timestamp:
		return compareInts(int64(a), int64(b.(Timestamp)))
	case Date:
		return compareInts(int64(a), int64(b.(Date)))
	case TimeOfDay:
		return compareInts(int64(a), int64(b.(TimeOfDay)))
	case Interval:
		return compareInterval(a, b.(Interval))
	case UUID:
		other := b.(UUID)
		return bytes.Compare(a[:], other[:])
	case Numeric:
		return compareNumeric(a, b.(Numeric))
	case Enum:
		return compareFloats(a.Order, b.(Enum).Order)
	case Reg:
		return compareInts(a.OID, b.(Reg).OID)
	case Bits:
		return compareBits(a, b.(Bits))
	case Array:
		return compareItems(a.Items, b.(Array).Items, func(int) OID { return a.Elem })
	case Row:
		return compareItems(a.Items, b.(Row).Items, func(i int) OID { return a.Types[i] })
	}
	return 0
}

// compareUnsigned compares integers; those of xid8 have no sign.
func compareUnsigned(t OID, a, b int64) int {
	if t == XID8OID {
		a, b = a^math.MinInt64, b^math.MinInt64
	}
	return compareInts(a, b)
}

// compareTexts compares texts by their bytes. Spaces at the end of bpchar do not count.
func compareTexts(t OID, a, b string) int {
	switch t {
	case BPCharOID:
		a, b = strings.TrimRight(a, " "), strings.TrimRight(b, " ")
	case JSONBOID:
		x, _ := readJSON(a)
		y, _ := readJSON(b)
		return compareNodes(x, y)
	}
	return strings.Compare(a, b)
}

func compareBits(a, b Bits) int {
	return strings.Compare(string(a), string(b))
}

// compareItems compares element by element, NULL being larger than all others, and then the lengths.
func compareItems(a, b []Value, t func(i int) OID) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == nil && b[i] == nil:
			continue
		case a[i] == nil:
			return 1
		case b[i] == nil:
			return -1
		}
		if c := Compare(t(i), a[i], b[i]); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

// Comparable returns an error if a type has no default order, as json: 42883, as ORDER BY and GROUP BY have it.
func Comparable(t OID) error {
	elem := t
	if e := ElemOf(t); e != Invalid {
		elem = e
	}
	switch elem {
	case JSONOID, XIDOID, VoidOID, UnknownOID:
		return pgerror.New(pgerror.UndefinedFunction, "could not identify an ordering operator for type %s", Name(t)).
			WithHint("Use an explicit ordering operator or modify the query.")
	}
	return nil
}
