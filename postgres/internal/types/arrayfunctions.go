package types

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func init() {
	sizeFunctions()
	changeFunctions()
	findFunctions()
}

func sizeFunctions() {
	length := func(a []Value) (Value, error) {
		if n := len(a[0].(Array).Items); n > 0 && a[1].(int64) == 1 {
			return int64(n), nil
		}
		return nil, nil
	}
	fn("array_length", []OID{AnyArrayOID, Int4OID}, Int4OID, length)
	fn("array_upper", []OID{AnyArrayOID, Int4OID}, Int4OID, length)
	fn("array_lower", []OID{AnyArrayOID, Int4OID}, Int4OID, func(a []Value) (Value, error) {
		if n, _ := length(a); n == nil {
			return nil, nil
		}
		return int64(1), nil
	})
	fn("cardinality", []OID{AnyArrayOID}, Int4OID, func(a []Value) (Value, error) { return int64(len(a[0].(Array).Items)), nil })
	fn("array_ndims", []OID{AnyArrayOID}, Int4OID, func(a []Value) (Value, error) {
		if len(a[0].(Array).Items) == 0 {
			return nil, nil
		}
		return int64(1), nil
	})
}

func changeFunctions() {
	fn("array_append", []OID{AnyCompatibleArrayOID, AnyCompatibleOID}, AnyCompatibleArrayOID, nil).appends(false)
	fn("array_prepend", []OID{AnyCompatibleOID, AnyCompatibleArrayOID}, AnyCompatibleArrayOID, nil).appends(true)
	fn("array_cat", pair(AnyCompatibleArrayOID), AnyCompatibleArrayOID, arrayConcat).Strict = false
	fn("array_remove", []OID{AnyCompatibleArrayOID, AnyCompatibleOID}, AnyCompatibleArrayOID, func(a []Value) (Value, error) {
		if a[0] == nil {
			return nil, nil
		}
		array := a[0].(Array)
		return Array{array.Elem, slices.DeleteFunc(slices.Clone(array.Items), func(v Value) bool { return same(array.Elem, v, a[1]) })}, nil
	}).Strict = false
	fn("array_replace", []OID{AnyCompatibleArrayOID, AnyCompatibleOID, AnyCompatibleOID}, AnyCompatibleArrayOID, func(a []Value) (Value, error) {
		if a[0] == nil {
			return nil, nil
		}
		array := a[0].(Array)
		items := slices.Clone(array.Items)
		for i, v := range items {
			if same(array.Elem, v, a[1]) {
				items[i] = a[2]
			}
		}
		return Array{array.Elem, items}, nil
	}).Strict = false
	fn("trim_array", []OID{AnyArrayOID, Int4OID}, AnyArrayOID, func(a []Value) (Value, error) {
		array, n := a[0].(Array), a[1].(int64)
		if n < 0 || n > int64(len(array.Items)) {
			return nil, pgerror.New(pgerror.ArraySubscriptError, "number of elements to trim must be between 0 and %d", len(array.Items))
		}
		return Array{array.Elem, array.Items[:len(array.Items)-int(n)]}, nil
	})
}

// same reports whether two values are equal, or both NULL.
func same(t OID, a, b Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return Compare(t, a, b) == 0
}

func findFunctions() {
	position := func(a []Value) (Value, error) {
		if a[0] == nil {
			return nil, nil
		}
		array := a[0].(Array)
		if i := slices.IndexFunc(array.Items, func(v Value) bool { return same(array.Elem, v, a[1]) }); i >= 0 {
			return int64(i + 1), nil
		}
		return nil, nil
	}
	fn("array_position", []OID{AnyCompatibleArrayOID, AnyCompatibleOID}, Int4OID, position).Strict = false
	fn("array_positions", []OID{AnyCompatibleArrayOID, AnyCompatibleOID}, Int4ArrayOID, func(a []Value) (Value, error) {
		if a[0] == nil {
			return nil, nil
		}
		array, found := a[0].(Array), Array{Elem: Int4OID}
		for i, v := range array.Items {
			if same(array.Elem, v, a[1]) {
				found.Items = append(found.Items, int64(i+1))
			}
		}
		return found, nil
	}).Strict = false
	join := func(a []Value, null Value) (Value, error) {
		array := a[0].(Array)
		var parts []string
		for _, v := range array.Items {
			switch {
			case v != nil:
				parts = append(parts, Text(array.Elem, v))
			case null != nil:
				parts = append(parts, null.(string))
			}
		}
		return strings.Join(parts, a[1].(string)), nil
	}
	fn("array_to_string", []OID{AnyArrayOID, TextOID}, TextOID, func(a []Value) (Value, error) { return join(a, nil) })
	fn("array_to_string", []OID{AnyArrayOID, TextOID, TextOID}, TextOID, func(a []Value) (Value, error) {
		if a[0] == nil || a[1] == nil {
			return nil, nil
		}
		return join(a, a[2])
	}).Strict = false
}

// Element returns an element by its subscript, or NULL if there is none.
func (a Array) Element(subscript int64) Value {
	if subscript < 1 || subscript > int64(len(a.Items)) {
		return nil
	}
	return a.Items[subscript-1]
}

// Slice returns the elements between two subscripts, as a[low:high] does.
func (a Array) Slice(low, high int64) Array {
	low, high = max(low, 1), min(high, int64(len(a.Items)))
	if low > high {
		return Array{Elem: a.Elem}
	}
	return Array{a.Elem, a.Items[low-1 : high]}
}
