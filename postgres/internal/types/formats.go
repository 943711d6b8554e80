package types

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// codecOf returns the codec of a type that is no array and no enumeration.
func codecOf(t OID) codec {
	if info := byOID[t]; info != nil {
		return info.codec
	}
	return codec{}
}

// Text returns the text format of a value that is not NULL.
func Text(t OID, v Value) string {
	switch v := v.(type) {
	case Array:
		return v.text()
	case Enum:
		return v.Label
	}
	return codecOf(t).text(v)
}

// Binary returns the binary format of a value that is not NULL.
func Binary(t OID, v Value) ([]byte, error) {
	switch v := v.(type) {
	case Array:
		return v.binary()
	case Enum:
		return []byte(v.Label), nil
	case Row:
		return v.binary()
	}
	write := codecOf(t).binary
	if write == nil {
		return nil, pgerror.Lacks("the binary format of type %s", Name(t))
	}
	return write(v), nil
}

// ParseText reads a value from its text format, as the type's input function does. The modifier is -1 for none. A value
// of an enumeration is read by its database, and one of a reg type by the executor.
func ParseText(t OID, mod int32, s string) (Value, error) {
	if elem := ElemOf(t); elem != Invalid {
		return ParseArray(elem, s, func(item string) (Value, error) { return ParseText(elem, mod, item) })
	}
	parse := codecOf(t).parse
	if parse == nil {
		return nil, pgerror.Lacks("the input of type %s", Name(t))
	}
	v, err := parse(s)
	if err != nil {
		return nil, err
	}
	return ApplyMod(t, mod, v, false)
}

// ParseBinary reads a value from its binary format.
func ParseBinary(t OID, b []byte) (Value, error) {
	if elem := ElemOf(t); elem != Invalid {
		return ParseArrayBinary(elem, b, func(item []byte) (Value, error) { return ParseBinary(elem, item) })
	}
	read := codecOf(t).unbinary
	if read == nil {
		return nil, pgerror.Lacks("the binary input of type %s", Name(t))
	}
	return read(b)
}
