package types

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// spaces are what input functions skip around a value.
const spaces = " \t\n\r\f\v"

func invalidSyntax(typ, s string) error {
	return pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", typ, s)
}

func outOfRange(typ string) error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "%s out of range", typ)
}

func insufficientData() error {
	return pgerror.New(pgerror.ProtocolViolation, "insufficient data left in message")
}

// incorrectBinary is the error about data that is left after a parameter's value.
func incorrectBinary(parameter int) error {
	return pgerror.New(pgerror.InvalidBinaryRepresentation, "incorrect binary data format in bind parameter %d", parameter)
}

// sized makes a binary reader of values of a fixed size.
func sized(size int, read func(b []byte) (Value, error)) func(b []byte) (Value, error) {
	return func(b []byte) (Value, error) {
		if len(b) < size {
			return nil, insufficientData()
		}
		if len(b) > size {
			return nil, incorrectBinary(1)
		}
		return read(b)
	}
}

var boolCodec = codec{
	text:     func(v Value) string { return map[bool]string{true: "t", false: "f"}[v.(bool)] },
	parse:    parseBool,
	binary:   func(v Value) []byte { return []byte{byte(boolInt(v.(bool)))} },
	unbinary: sized(1, func(b []byte) (Value, error) { return b[0] != 0, nil }),
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// parseBool reads a boolean: true, yes, on, 1 and the opposites, abbreviated as long as it is clear.
func parseBool(s string) (Value, error) {
	word := strings.ToLower(strings.Trim(s, spaces))
	switch {
	case word == "":
	case word == "1", begins(word, "true"), begins(word, "yes"), word == "on":
		return true, nil
	case word == "0", begins(word, "false"), begins(word, "no"), len(word) > 1 && begins(word, "off"):
		return false, nil
	}
	return nil, invalidSyntax("boolean", s)
}

// fitsInt reports whether a number is in the range of an integer type.
func fitsInt(t OID, n int64) bool {
	switch t {
	case Int2OID:
		return n == int64(int16(n))
	case Int4OID:
		return n == int64(int32(n))
	}
	return true
}

func intCodec(name string, size int) codec {
	return codec{
		text: func(v Value) string { return strconv.FormatInt(v.(int64), 10) },
		parse: func(s string) (Value, error) {
			text := strings.Trim(s, spaces)
			n, err := strconv.ParseInt(text, 10, size)
			switch {
			case err == nil:
				return n, nil
			case isDigits(strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")) && strings.ContainsAny(text, "0123456789"):
				return nil, pgerror.New(pgerror.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", s, name)
			}
			return nil, invalidSyntax(name, s)
		},
		binary: func(v Value) []byte { return bigEndian(uint64(v.(int64)), size/8) },
		unbinary: sized(size/8, func(b []byte) (Value, error) {
			shift := 64 - size
			return int64(fromBigEndian(b)<<shift) >> shift, nil
		}),
	}
}

// bigEndian returns the last bytes of a number.
func bigEndian(n uint64, size int) []byte {
	return binary.BigEndian.AppendUint64(nil, n)[8-size:]
}

func fromBigEndian(b []byte) uint64 {
	var all [8]byte
	copy(all[8-len(b):], b)
	return binary.BigEndian.Uint64(all[:])
}

// oidCodec is that of oid, xid and xid8: numbers without a sign.
func oidCodec(name string, size int) codec {
	return codec{
		text: func(v Value) string { return strconv.FormatUint(uint64(v.(int64)), 10) },
		parse: func(s string) (Value, error) {
			text := strings.Trim(s, spaces)
			if n, err := strconv.ParseUint(text, 10, size); err == nil {
				return int64(n), nil
			}
			if n, err := strconv.ParseInt(text, 10, 32); err == nil { // negative numbers wrap around
				return int64(uint64(n) << (64 - size) >> (64 - size)), nil
			}
			if text != "" && isDigits(strings.TrimPrefix(text, "-")) {
				return nil, pgerror.New(pgerror.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", s, name)
			}
			return nil, invalidSyntax(name, s)
		},
		binary:   func(v Value) []byte { return bigEndian(uint64(v.(int64)), size/8) },
		unbinary: sized(size/8, func(b []byte) (Value, error) { return int64(fromBigEndian(b)), nil }),
	}
}

var stringCodec = codec{
	text:     func(v Value) string { return v.(string) },
	parse:    func(s string) (Value, error) { return s, nil },
	binary:   func(v Value) []byte { return []byte(v.(string)) },
	unbinary: validText,
}

// begins reports whether a text is the beginning of a word, or all of it.
func begins(text, word string) bool { return strings.HasPrefix(word, text) }

// validText returns bytes as a text, or PostgreSQL's error if they are not UTF-8.
func validText(b []byte) (Value, error) {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || r == 0 {
			return nil, invalidEncoding(b[i:])
		}
		i += n
	}
	return string(b), nil
}

// invalidEncoding is the error about bytes that are not UTF-8, which shows as many as the first says it leads.
func invalidEncoding(b []byte) error {
	length := 1
	switch c := b[0]; {
	case c&0xe0 == 0xc0:
		length = 2
	case c&0xf0 == 0xe0:
		length = 3
	case c&0xf8 == 0xf0:
		length = 4
	}
	var shown []string
	for _, c := range b[:min(length, len(b))] {
		shown = append(shown, "0x"+hex.EncodeToString([]byte{c}))
	}
	return pgerror.New(pgerror.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": %s", strings.Join(shown, " "))
}

// charCodec is that of "char", which has one byte.
var charCodec = codec{
	text:  stringCodec.text,
	parse: func(s string) (Value, error) { return s[:min(1, len(s))], nil },
	binary: func(v Value) []byte {
		return append([]byte(v.(string)), 0)[:1]
	},
	unbinary: sized(1, func(b []byte) (Value, error) { return strings.TrimRight(string(b), "\x00"), nil }),
}

// regCodec is that of references into the catalog, whose names the executor looks up.
var regCodec = codec{
	text:   func(v Value) string { return v.(Reg).Name },
	binary: func(v Value) []byte { return bigEndian(uint64(v.(Reg).OID), 4) },
}

var voidCodec = codec{
	text:   func(Value) string { return "" },
	binary: func(Value) []byte { return nil },
}
