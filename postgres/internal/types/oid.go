package types

// OID is the number of a type in pg_type.
type OID uint32

// The types that are known. Invalid is no type; UnknownOID is a literal's or a parameter's before it is resolved.
const (
	Invalid         OID = 0
	BoolOID         OID = 16
	ByteaOID        OID = 17
	CharOID         OID = 18 // "char", one byte, of the catalog's tables
	NameOID         OID = 19
	Int8OID         OID = 20
	Int2OID         OID = 21
	Int4OID         OID = 23
	RegprocOID      OID = 24
	TextOID         OID = 25
	OIDOID          OID = 26
	XIDOID          OID = 28
	JSONOID         OID = 114
	Float4OID       OID = 700
	Float8OID       OID = 701
	UnknownOID      OID = 705
	BPCharOID       OID = 1042
	VarcharOID      OID = 1043
	DateOID         OID = 1082
	TimeOID         OID = 1083
	TimestampOID    OID = 1114
	TimestamptzOID  OID = 1184
	IntervalOID     OID = 1186
	BitOID          OID = 1560
	VarbitOID       OID = 1562
	NumericOID      OID = 1700
	RegclassOID     OID = 2205
	RegtypeOID      OID = 2206
	RecordOID       OID = 2249
	VoidOID         OID = 2278
	UUIDOID         OID = 2950
	JSONBOID        OID = 3802
	RegnamespaceOID OID = 4089
	XID8OID         OID = 5069
)

// Arrays of the types.
const (
	BoolArrayOID         OID = 1000
	ByteaArrayOID        OID = 1001
	CharArrayOID         OID = 1002
	NameArrayOID         OID = 1003
	Int2ArrayOID         OID = 1005
	Int4ArrayOID         OID = 1007
	TextArrayOID         OID = 1009
	XIDArrayOID          OID = 1011
	BPCharArrayOID       OID = 1014
	VarcharArrayOID      OID = 1015
	Int8ArrayOID         OID = 1016
	Float4ArrayOID       OID = 1021
	Float8ArrayOID       OID = 1022
	OIDArrayOID          OID = 1028
	TimestampArrayOID    OID = 1115
	DateArrayOID         OID = 1182
	TimeArrayOID         OID = 1183
	TimestamptzArrayOID  OID = 1185
	IntervalArrayOID     OID = 1187
	BitArrayOID          OID = 1561
	VarbitArrayOID       OID = 1563
	NumericArrayOID      OID = 1231
	JSONArrayOID         OID = 199
	RegprocArrayOID      OID = 1008
	RegclassArrayOID     OID = 2210
	RegnamespaceArrayOID OID = 4090
	XID8ArrayOID         OID = 271
	RegtypeArrayOID      OID = 2211
	RecordArrayOID       OID = 2287
	UUIDArrayOID         OID = 2951
	JSONBArrayOID        OID = 3807
)

// Polymorphic types appear in declarations only; what FindFunction returns has real types.
const (
	AnyOID                OID = 2276
	AnyArrayOID           OID = 2277
	AnyElementOID         OID = 2283
	AnyNonArrayOID        OID = 2776
	AnyEnumOID            OID = 3500
	AnyCompatibleOID      OID = 5077
	AnyCompatibleArrayOID OID = 5078
)

// FirstEnum is the smallest OID of an enumeration that a database defines. They are even; OID+1 is the array's.
const FirstEnum OID = 16384
