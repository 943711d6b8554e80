package types

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func init() {
	compareOperators()
	intOperators()
	floatOperators()
	numericOperators()
	timeOperators()
	textOperators()
	arrayOperators()
	jsonOperators()
	bitOperators()
}

// pair returns the same type twice.
func pair(t OID) []OID { return []OID{t, t} }

// compareOperators declares = and its kin. The types of a group compare with each other.
func compareOperators() {
	for _, t := range []OID{
		BitOID, BoolOID, BPCharOID, ByteaOID, CharOID, IntervalOID, JSONBOID, NumericOID, OIDOID, RecordOID,
		TimeOID, UUIDOID, VarbitOID, XID8OID, AnyEnumOID, AnyArrayOID,
	} {
		compareOps(pair(t), t, nil)
	}
	for _, group := range [][]OID{{Int2OID, Int4OID, Int8OID}, {Float4OID, Float8OID}, {NameOID, TextOID}} {
		for _, left := range group {
			for _, right := range group {
				compareOps([]OID{left, right}, right, nil)
			}
		}
	}
	times := []OID{DateOID, TimestampOID, TimestamptzOID}
	for _, left := range times {
		for _, right := range times {
			compareOps([]OID{left, right}, TimestampOID, dayToTimestamp)
		}
	}
	for _, right := range []OID{XIDOID, Int4OID} {
		op("=", []OID{XIDOID, right}, BoolOID, func(a []Value) (Value, error) { return uint32(a[0].(int64)) == uint32(a[1].(int64)), nil })
		op("<>", []OID{XIDOID, right}, BoolOID, func(a []Value) (Value, error) { return uint32(a[0].(int64)) != uint32(a[1].(int64)), nil })
	}
}

// dayToTimestamp makes dates comparable with timestamps.
func dayToTimestamp(v Value) Value {
	d, ok := v.(Date)
	if !ok {
		return v
	}
	switch t, err := d.timestamp(); {
	case err != nil:
		return Infinity - 1 // a day after all finite timestamps
	default:
		return t
	}
}

// compareOps declares the six operators by the order of a type, after a conversion or none.
func compareOps(args []OID, t OID, convert func(v Value) Value) {
	for name, good := range map[string]func(c int) bool{ // unordered: each name is declared once
		"=":  func(c int) bool { return c == 0 },
		"<>": func(c int) bool { return c != 0 },
		"<":  func(c int) bool { return c < 0 },
		"<=": func(c int) bool { return c <= 0 },
		">":  func(c int) bool { return c > 0 },
		">=": func(c int) bool { return c >= 0 },
	} {
		op(name, args, BoolOID, func(a []Value) (Value, error) {
			left, right := a[0], a[1]
			if convert != nil {
				left, right = convert(left), convert(right)
			}
			if row, ok := left.(Row); ok {
				if other := right.(Row); len(row.Items) != len(other.Items) {
					return nil, pgerror.New(pgerror.DatatypeMismatch, "cannot compare record types with different numbers of columns")
				}
			}
			return good(Compare(t, left, right)), nil
		})
	}
}

func textOperators() {
	op("||", pair(TextOID), TextOID, func(a []Value) (Value, error) { return a[0].(string) + a[1].(string), nil })
	for _, args := range [][]OID{{TextOID, AnyNonArrayOID}, {AnyNonArrayOID, TextOID}} {
		f := op("||", args, TextOID, nil)
		f.bind = func(types []OID) func([]Value) (Value, error) {
			return func(a []Value) (Value, error) { return castText(types[0], a[0]) + castText(types[1], a[1]), nil }
		}
	}
	op("||", pair(ByteaOID), ByteaOID, func(a []Value) (Value, error) { return slices.Concat(a[0].([]byte), a[1].([]byte)), nil })
	for _, t := range []OID{TextOID, NameOID, BPCharOID} {
		for _, fold := range []string{"", "*"} {
			patternOps(t, fold)
		}
	}
}

// castText returns a value as the text that a cast makes of it, which is another than its format for booleans.
func castText(t OID, v Value) string {
	if cast := FindCast(t, TextOID, Explicit); cast != nil {
		if s, err := cast.Apply(v, -1); err == nil {
			return s.(string)
		}
	}
	return Text(t, v)
}

// patternOps declares the operators of LIKE and of regular expressions, those ending in * without regard to case.
func patternOps(t OID, fold string) {
	args := []OID{t, TextOID}
	for _, not := range []bool{false, true} {
		prefix := map[bool]string{true: "!"}[not]
		op(prefix+"~~"+fold, args, BoolOID, func(a []Value) (Value, error) {
			text, pattern := a[0].(string), a[1].(string)
			if fold != "" {
				text, pattern = strings.ToLower(text), strings.ToLower(pattern)
			}
			match, err := like(text, pattern)
			return match != not, err
		})
		op(prefix+"~"+fold, args, BoolOID, func(a []Value) (Value, error) {
			re, err := compileRegexp(a[1].(string), fold != "")
			if err != nil {
				return nil, err
			}
			return re.MatchString(a[0].(string)) != not, nil
		})
	}
}

func arrayOperators() {
	op("@>", pair(AnyArrayOID), BoolOID, func(a []Value) (Value, error) { return containsAll(a[0].(Array), a[1].(Array)), nil })
	op("<@", pair(AnyArrayOID), BoolOID, func(a []Value) (Value, error) { return containsAll(a[1].(Array), a[0].(Array)), nil })
	op("&&", pair(AnyArrayOID), BoolOID, func(a []Value) (Value, error) {
		other := a[1].(Array)
		return slices.ContainsFunc(a[0].(Array).Items, other.has), nil
	})
	op("||", pair(AnyCompatibleArrayOID), AnyCompatibleArrayOID, arrayConcat).Strict = false
	op("||", []OID{AnyCompatibleArrayOID, AnyCompatibleOID}, AnyCompatibleArrayOID, nil).appends(false)
	op("||", []OID{AnyCompatibleOID, AnyCompatibleArrayOID}, AnyCompatibleArrayOID, nil).appends(true)
}

// has reports whether an item that is not NULL is in the array.
func (a Array) has(item Value) bool {
	return item != nil && slices.ContainsFunc(a.Items, func(mine Value) bool { return mine != nil && Compare(a.Elem, mine, item) == 0 })
}

func containsAll(a, b Array) bool {
	return !slices.ContainsFunc(b.Items, func(item Value) bool { return !a.has(item) })
}

// arrayConcat joins two arrays; NULL is an empty one, unless both are.
func arrayConcat(a []Value) (Value, error) {
	switch {
	case a[0] == nil:
		return a[1], nil
	case a[1] == nil:
		return a[0], nil
	}
	left, right := a[0].(Array), a[1].(Array)
	return Array{left.Elem, slices.Concat(left.Items, right.Items)}, nil
}

// appends makes a function of an array and an element one that puts the element before the array or after it.
func (f *Function) appends(before bool) {
	f.Strict = false
	f.bind = func(types []OID) func([]Value) (Value, error) {
		at := map[bool]int{true: 1, false: 0}[before]
		elem := ElemOf(types[at])
		return func(args []Value) (Value, error) {
			items := []Value{}
			if a, ok := args[at].(Array); ok {
				items = a.Items
			}
			if before {
				return Array{elem, slices.Concat([]Value{args[0]}, items)}, nil
			}
			return Array{elem, slices.Concat(items, []Value{args[1]})}, nil
		}
	}
}

func bitOperators() {
	for name, f := range map[string]func(a, b byte) byte{ // unordered: each name is declared once
		"&": func(a, b byte) byte { return a & b },
		"|": func(a, b byte) byte { return a | b },
		"#": func(a, b byte) byte { return '0' + (a - '0') ^ (b - '0') },
	} {
		op(name, pair(BitOID), BitOID, func(args []Value) (Value, error) {
			a, b := args[0].(Bits), args[1].(Bits)
			if len(a) != len(b) {
				word := map[string]string{"&": "AND", "|": "OR", "#": "XOR"}[name]
				return nil, pgerror.New(pgerror.StringDataLengthMismatch, "cannot %s bit strings of different sizes", word)
			}
			out := make([]byte, len(a))
			for i := range out {
				out[i] = f(a[i], b[i])
			}
			return Bits(out), nil
		})
	}
	op("||", pair(VarbitOID), VarbitOID, func(a []Value) (Value, error) { return a[0].(Bits) + a[1].(Bits), nil })
	op("~", []OID{BitOID}, BitOID, func(a []Value) (Value, error) {
		return Bits(strings.NewReplacer("0", "1", "1", "0").Replace(string(a[0].(Bits)))), nil
	})
}
