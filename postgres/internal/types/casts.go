package types

import (
	"math"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Context says where a cast is applied, each including those before it.
type Context int

// The contexts of casts.
const (
	Implicit Context = iota
	Assignment
	Explicit
)

// Cast converts a value that is not NULL. The modifier is that of the target, -1 for none.
type Cast struct {
	From, To OID
	// Same is set if values of both types are alike, so that nothing is to be done without a modifier.
	Same  bool
	Apply func(v Value, mod int32) (Value, error)
}

// castRow is a row of pg_cast; convert is nil if values are alike.
type castRow struct {
	context Context
	convert func(v Value) (Value, error)
}

var castTable = map[[2]OID]castRow{}

// FindCast finds the cast from one type to another, or nil if there is none in the context. From a type to itself it
// applies the modifier. From UnknownOID it is the type's input function. Casts to enumerations and from texts to reg
// types are the executor's.
func FindCast(from, to OID, context Context) *Cast {
	row, ok := castTable[[2]OID{from, to}]
	var convert func(v Value) (Value, error)
	switch {
	case from == to:
	case from == UnknownOID && (codecOf(to).parse != nil || ElemOf(to) != Invalid):
		convert = func(v Value) (Value, error) { return ParseText(to, -1, v.(string)) }
	case ok && row.context <= context:
		convert = row.convert
	case ElemOf(from) != Invalid && ElemOf(to) != Invalid:
		if convert = castItems(ElemOf(from), ElemOf(to), context); convert == nil {
			return nil
		}
	case ok:
		return nil
	default:
		if convert = castByText(from, to, context); convert == nil {
			return nil
		}
	}
	if to == BitOID && (from == Int4OID || from == Int8OID) {
		return &Cast{From: from, To: to, Apply: func(v Value, mod int32) (Value, error) { return intToBits(v.(int64), max(1, int(mod))), nil }}
	}
	return &Cast{From: from, To: to, Same: convert == nil, Apply: func(v Value, mod int32) (Value, error) {
		if convert != nil {
			var err error
			if v, err = convert(v); err != nil {
				return nil, err
			}
		}
		return ApplyMod(to, mod, v, context == Explicit)
	}}
}

// castItems makes the cast of an array whose elements are cast, or nil.
func castItems(from, to OID, context Context) func(v Value) (Value, error) {
	cast := FindCast(from, to, context)
	if cast == nil {
		return nil
	}
	return func(v Value) (Value, error) {
		a := Array{Elem: to}
		for _, item := range v.(Array).Items {
			if item != nil {
				var err error
				if item, err = cast.Apply(item, -1); err != nil {
					return nil, err
				}
			}
			a.Items = append(a.Items, item)
		}
		return a, nil
	}
}

// castByText makes the cast from or to a text by the text format, or nil.
func castByText(from, to OID, context Context) func(v Value) (Value, error) {
	toCategory, _ := category(to)
	fromCategory, _ := category(from)
	switch {
	case toCategory == 'S' && context >= Assignment && from != UnknownOID && from != VoidOID:
		return func(v Value) (Value, error) { return textAs(to, Text(from, v)), nil }
	case fromCategory == 'S' && context == Explicit && (codecOf(to).parse != nil && to != RecordOID || ElemOf(to) != Invalid && !IsEnum(ElemOf(to))):
		return func(v Value) (Value, error) { return ParseText(to, -1, v.(string)) }
	}
	return nil
}

// textAs makes a text a value of a type of texts.
func textAs(t OID, s string) Value {
	if t == NameOID {
		return clipName(s)
	}
	return s
}

// clipName cuts a name to the 63 bytes that PostgreSQL keeps.
func clipName(s string) string {
	const most = 63
	if len(s) <= most {
		return s
	}
	n := most
	for s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

func init() {
	castNumbers()
	castTexts()
	castTimes()
	castRest()
}

// addCast adds casts from one type to several.
func addCast(context Context, from OID, convert func(v Value) (Value, error), to ...OID) {
	for _, t := range to {
		castTable[[2]OID{from, t}] = castRow{context, convert}
	}
}

// toInt makes the cast of an integer to a type of integers.
func toInt(t OID) func(v Value) (Value, error) {
	return func(v Value) (Value, error) {
		if !fitsInt(t, v.(int64)) {
			return nil, outOfRange(Name(t))
		}
		return v, nil
	}
}

func castNumbers() {
	ints := []OID{Int2OID, Int4OID, Int8OID}
	for i, from := range ints {
		for j, to := range ints {
			switch {
			case i < j:
				addCast(Implicit, from, nil, to)
			case i > j:
				addCast(Assignment, from, toInt(to), to)
			}
		}
		addCast(Implicit, from, func(v Value) (Value, error) { return NewNumeric(v.(int64)), nil }, NumericOID)
		addCast(Implicit, from, func(v Value) (Value, error) { return float64(float32(v.(int64))), nil }, Float4OID)
		addCast(Implicit, from, func(v Value) (Value, error) { return float64(v.(int64)), nil }, Float8OID)
		addCast(Implicit, from, toOID, OIDOID)
		addCast(Assignment, NumericOID, func(v Value) (Value, error) { return v.(Numeric).toInt(from) }, from)
		for _, float := range []OID{Float4OID, Float8OID} {
			addCast(Assignment, float, func(v Value) (Value, error) { return floatToInt(from, v.(float64)) }, from)
		}
	}
	addCast(Implicit, NumericOID, func(v Value) (Value, error) { return ParseText(Float8OID, -1, v.(Numeric).String()) }, Float8OID)
	addCast(Implicit, NumericOID, func(v Value) (Value, error) { return ParseText(Float4OID, -1, v.(Numeric).String()) }, Float4OID)
	addCast(Implicit, Float4OID, nil, Float8OID)
	addCast(Assignment, Float8OID, func(v Value) (Value, error) { return toReal(v.(float64)) }, Float4OID)
	addCast(Assignment, Float4OID, func(v Value) (Value, error) { return numericFromFloat(v.(float64), 6), nil }, NumericOID)
	addCast(Assignment, Float8OID, func(v Value) (Value, error) { return numericFromFloat(v.(float64), 15), nil }, NumericOID)
	addCast(Assignment, OIDOID, nil, Int8OID)
	addCast(Assignment, OIDOID, func(v Value) (Value, error) { return int64(int32(v.(int64))), nil }, Int4OID)
	addCast(Explicit, BoolOID, func(v Value) (Value, error) { return boolInt(v.(bool)), nil }, Int4OID)
	addCast(Explicit, Int4OID, func(v Value) (Value, error) { return v.(int64) != 0, nil }, BoolOID)
	addCast(Explicit, XID8OID, func(v Value) (Value, error) { return v.(int64) & math.MaxUint32, nil }, XIDOID)
}

// toOID makes a number an OID; negative numbers of four bytes wrap around.
func toOID(v Value) (Value, error) {
	n := v.(int64)
	if n < math.MinInt32 || n > math.MaxUint32 {
		return nil, pgerror.New(pgerror.NumericValueOutOfRange, "OID out of range")
	}
	return n & math.MaxUint32, nil
}

func floatToInt(t OID, f float64) (Value, error) {
	r := math.RoundToEven(f)
	if math.IsNaN(r) || r < math.MinInt64 || r >= math.MaxInt64 || !fitsInt(t, int64(r)) {
		return nil, outOfRange(Name(t))
	}
	return int64(r), nil
}

// toReal rounds to a real.
func toReal(f float64) (Value, error) {
	r := float64(float32(f))
	switch {
	case math.IsInf(r, 0) && !math.IsInf(f, 0):
		return nil, overflow()
	case r == 0 && f != 0:
		return nil, underflow()
	}
	return r, nil
}

func castTexts() {
	trim := func(v Value) (Value, error) { return strings.TrimRight(v.(string), " "), nil }
	clip := func(v Value) (Value, error) { return clipName(v.(string)), nil }
	first := func(v Value) (Value, error) { s := v.(string); return s[:min(1, len(s))], nil }
	addCast(Implicit, TextOID, nil, VarcharOID, BPCharOID)
	addCast(Implicit, VarcharOID, nil, TextOID, BPCharOID)
	addCast(Implicit, BPCharOID, trim, TextOID, VarcharOID)
	addCast(Implicit, NameOID, nil, TextOID)
	addCast(Assignment, NameOID, nil, VarcharOID, BPCharOID)
	addCast(Implicit, CharOID, nil, TextOID)
	addCast(Assignment, CharOID, nil, VarcharOID, BPCharOID)
	for _, from := range []OID{TextOID, VarcharOID, BPCharOID} {
		addCast(Implicit, from, clip, NameOID)
		addCast(Assignment, from, first, CharOID)
	}
	addCast(Explicit, CharOID, func(v Value) (Value, error) { return int64(int8(append([]byte(v.(string)), 0)[0])), nil }, Int4OID)
	addCast(Explicit, Int4OID, func(v Value) (Value, error) {
		n := v.(int64)
		switch {
		case n != int64(int8(n)):
			return nil, pgerror.New(pgerror.NumericValueOutOfRange, "\"char\" out of range")
		case n == 0:
			return "", nil
		}
		return string([]byte{byte(n)}), nil
	}, CharOID)
	word := func(v Value) (Value, error) { return map[bool]string{true: "true", false: "false"}[v.(bool)], nil }
	addCast(Assignment, BoolOID, word, TextOID, VarcharOID, BPCharOID)
}

func castTimes() {
	midnight := func(v Value) (Value, error) { t, err := v.(Date).timestamp(); return t, err }
	day := func(v Value) (Value, error) { return v.(Timestamp).date(), nil }
	timeOfDay := func(v Value) (Value, error) { return TimeOfDay(v.(Timestamp).clock().micros), nil }
	addCast(Implicit, DateOID, midnight, TimestampOID, TimestamptzOID)
	addCast(Implicit, TimestampOID, nil, TimestamptzOID)
	addCast(Assignment, TimestamptzOID, nil, TimestampOID)
	for _, from := range []OID{TimestampOID, TimestamptzOID} {
		addCast(Assignment, from, day, DateOID)
		addCast(Assignment, from, timeOfDay, TimeOID)
	}
	addCast(Implicit, TimeOID, func(v Value) (Value, error) { return Interval{Micros: int64(v.(TimeOfDay))}, nil }, IntervalOID)
	addCast(Assignment, IntervalOID, func(v Value) (Value, error) {
		micros := v.(Interval).Micros
		return TimeOfDay(micros - floorDiv(micros, microsPerDay)*microsPerDay), nil
	}, TimeOID)
}

func castRest() {
	oid := func(v Value) (Value, error) { return v.(Reg).OID, nil }
	for _, reg := range []OID{RegclassOID, RegtypeOID, RegprocOID, RegnamespaceOID} {
		addCast(Implicit, reg, oid, OIDOID)
		addCast(Assignment, reg, oid, Int8OID)
		addCast(Assignment, reg, func(v Value) (Value, error) { return int64(int32(v.(Reg).OID)), nil }, Int4OID)
	}
	addCast(Assignment, JSONOID, func(v Value) (Value, error) { return ParseText(JSONBOID, -1, v.(string)) }, JSONBOID)
	addCast(Assignment, JSONBOID, nil, JSONOID)
	for _, to := range []OID{NumericOID, Int2OID, Int4OID, Int8OID, Float4OID, Float8OID, BoolOID} {
		addCast(Explicit, JSONBOID, func(v Value) (Value, error) { return jsonbTo(to, v.(string)) }, to)
	}
	addCast(Implicit, BitOID, nil, VarbitOID)
	addCast(Implicit, VarbitOID, nil, BitOID)
	addCast(Explicit, BitOID, bitsToInt(Int4OID, 32), Int4OID)
	addCast(Explicit, BitOID, bitsToInt(Int8OID, 64), Int8OID)
	addCast(Explicit, Int4OID, nil, BitOID)
	addCast(Explicit, Int8OID, nil, BitOID)
}

// jsonbTo converts a scalar of jsonb.
func jsonbTo(to OID, s string) (Value, error) {
	n, err := readJSON(s)
	if err != nil {
		return nil, err
	}
	if n.kind == jsonBool && to == BoolOID {
		return n.truth, nil
	}
	if n.kind != jsonNumber || to == BoolOID {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "cannot cast jsonb %s to type %s", n.kindName(), Name(to))
	}
	if to == NumericOID {
		return n.number, nil
	}
	return FindCast(NumericOID, to, Assignment).Apply(n.number, -1)
}

// bitsToInt returns the cast of a bit string to an integer with the given number of bits.
func bitsToInt(t OID, size int) func(v Value) (Value, error) {
	return func(v Value) (Value, error) {
		bits := v.(Bits)
		if len(bits) > size {
			return nil, outOfRange(Name(t))
		}
		n := uint64(0)
		for _, b := range bits {
			n = n<<1 | uint64(b-'0')
		}
		if t == Int4OID {
			return int64(int32(n)), nil
		}
		return int64(n), nil
	}
}

// intToBits makes bits of the last bits of a number; a longer string is filled with the sign on the left.
func intToBits(n int64, length int) Bits {
	b := make([]byte, length)
	for i := range b {
		shift := min(length-1-i, 63)
		b[i] = '0' + byte(n>>shift&1)
	}
	return Bits(b)
}

// CommonType finds the type of a construct of several expressions, as UNION, CASE, ARRAY or COALESCE, which names it in
// the error 42804.
func CommonType(construct string, ts []OID) (OID, error) {
	common := UnknownOID
	for _, t := range ts {
		if t == UnknownOID || t == common {
			continue
		}
		if common == UnknownOID {
			common = t
			continue
		}
		c, preferred := category(common)
		if d, _ := category(t); c != d {
			return Invalid, pgerror.New(pgerror.DatatypeMismatch, "%s types %s and %s cannot be matched", construct, Name(common), Name(t))
		}
		if !preferred && coercible(common, t) && !coercible(t, common) {
			common = t
		}
	}
	if common == UnknownOID {
		return TextOID, nil
	}
	return common, nil
}
