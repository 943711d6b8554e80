package types

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// typeInfo is a row of pg_type.
type typeInfo struct {
	oid       OID
	name, sql string // the names in pg_type and in messages
	size      int16
	category  byte
	preferred bool
	array     OID
	codec     codec
}

// codec reads and writes the values of a type. A nil function means that the type has no such format.
type codec struct {
	text     func(v Value) string
	parse    func(s string) (Value, error)
	binary   func(v Value) []byte
	unbinary func(b []byte) (Value, error)
}

// The catalog by OID and by name.
var (
	byOID  = map[OID]*typeInfo{}
	byName = map[string]OID{}
	arrays = map[OID]OID{} // from an array to its elements' type
)

func init() {
	for i := range catalog {
		t := &catalog[i]
		byOID[t.oid] = t
		byName[t.name] = t.oid
		if t.array != Invalid {
			arrays[t.array] = t.oid
			byName["_"+t.name] = t.array
		}
	}
}

// catalog has the types that are no arrays. It is filled by an initializer, since the codecs refer to it.
var catalog []typeInfo = newCatalog()

func newCatalog() []typeInfo {
	return []typeInfo{
		{BoolOID, "bool", "boolean", 1, 'B', true, BoolArrayOID, boolCodec},
		{ByteaOID, "bytea", "bytea", -1, 'U', false, ByteaArrayOID, byteaCodec},
		{CharOID, "char", `"char"`, 1, 'Z', false, CharArrayOID, charCodec},
		{NameOID, "name", "name", 64, 'S', false, NameArrayOID, stringCodec},
		{Int8OID, "int8", "bigint", 8, 'N', false, Int8ArrayOID, intCodec("bigint", 64)},
		{Int2OID, "int2", "smallint", 2, 'N', false, Int2ArrayOID, intCodec("smallint", 16)},
		{Int4OID, "int4", "integer", 4, 'N', false, Int4ArrayOID, intCodec("integer", 32)},
		{RegprocOID, "regproc", "regproc", 4, 'N', false, RegprocArrayOID, regCodec},
		{TextOID, "text", "text", -1, 'S', true, TextArrayOID, stringCodec},
		{OIDOID, "oid", "oid", 4, 'N', true, OIDArrayOID, oidCodec("oid", 32)},
		{XIDOID, "xid", "xid", 4, 'U', false, XIDArrayOID, oidCodec("xid", 32)},
		{JSONOID, "json", "json", -1, 'U', false, JSONArrayOID, jsonCodec},
		{Float4OID, "float4", "real", 4, 'N', false, Float4ArrayOID, floatCodec("real", 32)},
		{Float8OID, "float8", "double precision", 8, 'N', true, Float8ArrayOID, floatCodec("double precision", 64)},
		{UnknownOID, "unknown", "unknown", -2, 'X', false, Invalid, stringCodec},
		{BPCharOID, "bpchar", "character", -1, 'S', false, BPCharArrayOID, stringCodec},
		{VarcharOID, "varchar", "character varying", -1, 'S', false, VarcharArrayOID, stringCodec},
		{DateOID, "date", "date", 4, 'D', false, DateArrayOID, dateCodec},
		{TimeOID, "time", "time without time zone", 8, 'D', false, TimeArrayOID, timeCodec},
		{TimestampOID, "timestamp", "timestamp without time zone", 8, 'D', false, TimestampArrayOID, timestampCodec(false)},
		{TimestamptzOID, "timestamptz", "timestamp with time zone", 8, 'D', true, TimestamptzArrayOID, timestampCodec(true)},
		{IntervalOID, "interval", "interval", 16, 'T', true, IntervalArrayOID, intervalCodec},
		{BitOID, "bit", "bit", -1, 'V', false, BitArrayOID, bitsCodec},
		{VarbitOID, "varbit", "bit varying", -1, 'V', true, VarbitArrayOID, bitsCodec},
		{NumericOID, "numeric", "numeric", -1, 'N', false, NumericArrayOID, numericCodec},
		{RegclassOID, "regclass", "regclass", 4, 'N', false, RegclassArrayOID, regCodec},
		{RegtypeOID, "regtype", "regtype", 4, 'N', false, RegtypeArrayOID, regCodec},
		{RecordOID, "record", "record", -1, 'P', false, RecordArrayOID, recordCodec},
		{VoidOID, "void", "void", 4, 'P', false, Invalid, voidCodec},
		{UUIDOID, "uuid", "uuid", 16, 'U', false, UUIDArrayOID, uuidCodec},
		{JSONBOID, "jsonb", "jsonb", -1, 'U', false, JSONBArrayOID, jsonbCodec},
		{RegnamespaceOID, "regnamespace", "regnamespace", 4, 'N', false, RegnamespaceArrayOID, regCodec},
		{XID8OID, "xid8", "xid8", 8, 'U', false, XID8ArrayOID, oidCodec("xid8", 64)},
		{AnyOID, "any", `"any"`, 4, 'P', false, Invalid, codec{}},
		{AnyArrayOID, "anyarray", "anyarray", -1, 'P', false, Invalid, codec{}},
		{AnyElementOID, "anyelement", "anyelement", 4, 'P', false, Invalid, codec{}},
		{AnyNonArrayOID, "anynonarray", "anynonarray", 4, 'P', false, Invalid, codec{}},
		{AnyEnumOID, "anyenum", "anyenum", 4, 'P', false, Invalid, codec{}},
		{AnyCompatibleOID, "anycompatible", "anycompatible", 4, 'P', false, Invalid, codec{}},
		{AnyCompatibleArrayOID, "anycompatiblearray", "anycompatiblearray", -1, 'P', false, Invalid, codec{}},
	}
}

// Lookup finds a type by its name in pg_type, as int4, or _int4 for an array. Pseudo-types other than record, void and
// unknown are not found.
func Lookup(name string) (OID, bool) {
	t, ok := byName[name]
	return t, ok && !isPolymorphic(t) && t != AnyOID
}

// Known reports whether a type exists here.
func Known(t OID) bool { return byOID[t] != nil || arrays[t] != Invalid || t >= FirstEnum }

// IsEnum reports whether a type is an enumeration that a database defined.
func IsEnum(t OID) bool { return t >= FirstEnum && t%2 == 0 }

// ElemOf returns the type of an array's elements, and Invalid for a type that is no array.
func ElemOf(t OID) OID {
	if t >= FirstEnum && t%2 == 1 {
		return t - 1
	}
	return arrays[t]
}

// ArrayOf returns the array of a type, or Invalid if there is none.
func ArrayOf(t OID) OID {
	if IsEnum(t) {
		return t + 1
	}
	if info := byOID[t]; info != nil {
		return info.array
	}
	return Invalid
}

// Name returns the name of a type as messages have it: integer, text[], timestamp with time zone. The name of an
// enumeration is known to its database only.
func Name(t OID) string { return NameWithMod(t, -1) }

// NameWithMod returns the name with the modifier, as character varying(10).
func NameWithMod(t OID, mod int32) string {
	if elem := ElemOf(t); elem != Invalid {
		return NameWithMod(elem, mod) + "[]"
	}
	info := byOID[t]
	if info == nil {
		return fmt.Sprintf("enumeration %d", t)
	}
	if mod < 0 {
		return info.sql
	}
	switch t {
	case VarcharOID, BPCharOID:
		return fmt.Sprintf("%s(%d)", info.sql, mod-modHeader)
	case NumericOID:
		precision, scale := numericMod(mod)
		return fmt.Sprintf("numeric(%d,%d)", precision, scale)
	case TimestampOID, TimestamptzOID, TimeOID:
		first, rest, _ := strings.Cut(info.sql, " ")
		return fmt.Sprintf("%s(%d) %s", first, mod, rest)
	case BitOID, VarbitOID:
		return fmt.Sprintf("%s(%d)", info.sql, mod)
	case IntervalOID:
		return fmt.Sprintf("interval(%d)", mod&0xffff)
	}
	return info.sql
}

// InternalName returns the name in pg_type: int4, _text, timestamptz.
func InternalName(t OID) string {
	if elem := ElemOf(t); elem != Invalid {
		return "_" + InternalName(elem)
	}
	if info := byOID[t]; info != nil {
		return info.name
	}
	return Name(t)
}

// Size returns the size in pg_type: 4 for int4, -1 for a variable one.
func Size(t OID) int16 {
	if IsEnum(t) {
		return 4
	}
	if info := byOID[t]; info != nil {
		return info.size
	}
	return -1
}

// category returns the category of a type and whether it is the preferred one in it.
func category(t OID) (byte, bool) {
	switch {
	case ElemOf(t) != Invalid:
		return 'A', false
	case IsEnum(t):
		return 'E', false
	case byOID[t] != nil:
		return byOID[t].category, byOID[t].preferred
	}
	return 'X', false
}

// modHeader is what the modifiers of character types and numeric have added.
const modHeader = 4

// Mod makes the modifier of a type from what is in parentheses after its name, -1 for none.
func Mod(t OID, mods []int32) (int32, error) {
	if len(mods) == 0 {
		return -1, nil
	}
	switch t {
	case VarcharOID, BPCharOID, BitOID, VarbitOID:
		return lengthMod(t, mods)
	case NumericOID:
		return newNumericMod(mods)
	case TimestampOID, TimestamptzOID, TimeOID, IntervalOID:
		return precisionMod(t, mods)
	}
	return -1, pgerror.New(pgerror.SyntaxError, "type modifier is not allowed for type \"%s\"", InternalName(t))
}

// lengthMod makes the modifier of a type of characters or bits.
func lengthMod(t OID, mods []int32) (int32, error) {
	name := map[OID]string{VarcharOID: "varchar", BPCharOID: "char", BitOID: "bit", VarbitOID: "bit varying"}[t]
	const most = 10485760
	switch {
	case len(mods) != 1:
		return -1, pgerror.New(pgerror.InvalidParameterValue, "invalid type modifier")
	case mods[0] < 1:
		return -1, pgerror.New(pgerror.InvalidParameterValue, "length for type %s must be at least 1", name)
	case t == BitOID || t == VarbitOID:
		if mods[0] > 8*most {
			return -1, pgerror.New(pgerror.InvalidParameterValue, "length for type %s cannot exceed %d", name, 8*most)
		}
		return mods[0], nil
	case mods[0] > most:
		return -1, pgerror.New(pgerror.InvalidParameterValue, "length for type %s cannot exceed %d", name, most)
	}
	return mods[0] + modHeader, nil
}

// precisionMod makes the modifier of a type of times: the digits after the seconds' point, at most 6.
func precisionMod(t OID, mods []int32) (int32, error) {
	const most = 6
	if len(mods) != 1 {
		return -1, pgerror.New(pgerror.InvalidParameterValue, "invalid type modifier")
	}
	if mods[0] < 0 {
		return -1, pgerror.New(pgerror.InvalidParameterValue, "%s precision must not be negative", timeWords(t, mods[0]))
	}
	precision := min(mods[0], most) // with a WARNING, if it was more
	if t == IntervalOID {
		return 0x7fff<<16 | precision, nil
	}
	return precision, nil
}

// timeWords names a type of times with a precision as messages do: TIMESTAMP(7) WITH TIME ZONE.
func timeWords(t OID, precision int32) string {
	name := map[OID]string{TimestampOID: "TIMESTAMP(%d)", TimestamptzOID: "TIMESTAMP(%d) WITH TIME ZONE", TimeOID: "TIME(%d)", IntervalOID: "INTERVAL(%d)"}[t]
	return fmt.Sprintf(name, precision)
}
