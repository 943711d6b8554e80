package types

import (
	"encoding/binary"
	"encoding/hex"
	"math"
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
	case word == "1", strings.HasPrefix("true", word), strings.HasPrefix("yes", word), word == "on":
		return true, nil
	case word == "0", strings.HasPrefix("false", word), strings.HasPrefix("no", word), len(word) > 1 && strings.HasPrefix("off", word):
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

func floatCodec(name string, size int) codec {
	return codec{
		text:  func(v Value) string { return formatFloat(v.(float64), size) },
		parse: func(s string) (Value, error) { return parseFloat(name, size, s) },
		binary: func(v Value) []byte {
			if size == 32 {
				return bigEndian(uint64(math.Float32bits(float32(v.(float64)))), 4)
			}
			return bigEndian(math.Float64bits(v.(float64)), 8)
		},
		unbinary: sized(size/8, func(b []byte) (Value, error) {
			if size == 32 {
				return float64(math.Float32frombits(uint32(fromBigEndian(b)))), nil
			}
			return math.Float64frombits(fromBigEndian(b)), nil
		}),
	}
}

// formatFloat writes the shortest digits that make the same float, as extra_float_digits 1 has it.
func formatFloat(f float64, size int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	most := 15 // digits before the point without an exponent
	if size == 32 {
		most = 6
	}
	text := strconv.FormatFloat(f, 'e', -1, size)
	_, exponent, _ := strings.Cut(text, "e")
	if n, _ := strconv.Atoi(exponent); n < -4 || n >= most {
		return text
	}
	return strconv.FormatFloat(f, 'f', -1, size)
}

func parseFloat(name string, size int, s string) (Value, error) {
	text := strings.Trim(s, spaces)
	switch strings.ToLower(text) {
	case "nan":
		return math.Float64frombits(0x7ff8 << 48), nil // that of C
	case "infinity", "+infinity", "inf", "+inf":
		return math.Inf(1), nil
	case "-infinity", "-inf":
		return math.Inf(-1), nil
	}
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return nil, invalidSyntax(name, s)
	}
	f, err := strconv.ParseFloat(text, size)
	switch {
	case math.IsInf(f, 0), err == nil && f == 0 && strings.ContainsAny(strings.TrimRight(mantissa(text), "0."), "123456789"):
		return nil, pgerror.New(pgerror.NumericValueOutOfRange, "\"%s\" is out of range for type %s", s, name)
	case err != nil:
		return nil, invalidSyntax(name, s)
	}
	return f, nil
}

// mantissa returns the digits before an exponent.
func mantissa(s string) string {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		return s[:i]
	}
	return s
}

var stringCodec = codec{
	text:     func(v Value) string { return v.(string) },
	parse:    func(s string) (Value, error) { return s, nil },
	binary:   func(v Value) []byte { return []byte(v.(string)) },
	unbinary: func(b []byte) (Value, error) { return validText(b) },
}

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

var byteaCodec = codec{
	text:     func(v Value) string { return `\x` + hex.EncodeToString(v.([]byte)) },
	parse:    parseBytea,
	binary:   func(v Value) []byte { return v.([]byte) },
	unbinary: func(b []byte) (Value, error) { return append([]byte{}, b...), nil },
}

// parseBytea reads the hex format or the escape format.
func parseBytea(s string) (Value, error) {
	if digits, isHex := strings.CutPrefix(s, `\x`); isHex {
		return decodeHex(digits)
	}
	b := []byte{}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			b = append(b, s[i])
		case i+1 < len(s) && s[i+1] == '\\':
			b = append(b, '\\')
			i++
		case i+3 < len(s) && '0' <= s[i+1] && s[i+1] <= '3' && isOctal(s[i+2]) && isOctal(s[i+3]):
			b = append(b, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		default:
			return nil, pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
	}
	return b, nil
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

// decodeHex reads pairs of digits with spaces between them.
func decodeHex(s string) (Value, error) {
	b := []byte{}
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(" \n\t\r", s[i]) >= 0 {
			continue
		}
		first, ok := hexDigit(s[i])
		if !ok {
			return nil, invalidHex(s[i:])
		}
		if i++; i == len(s) {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
		}
		second, ok := hexDigit(s[i])
		if !ok {
			return nil, invalidHex(s[i:])
		}
		b = append(b, first<<4|second)
	}
	return b, nil
}

func invalidHex(s string) error {
	_, n := utf8.DecodeRuneInString(s)
	return pgerror.New(pgerror.InvalidParameterValue, "invalid hexadecimal digit: \"%s\"", s[:n])
}

func hexDigit(c byte) (byte, bool) {
	n, err := strconv.ParseUint(string(rune(c)), 16, 8)
	return byte(n), err == nil
}

var uuidCodec = codec{
	text: func(v Value) string {
		u := v.(UUID)
		h := hex.EncodeToString(u[:])
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	},
	parse:    parseUUID,
	binary:   func(v Value) []byte { u := v.(UUID); return u[:] },
	unbinary: sized(16, func(b []byte) (Value, error) { return UUID(b), nil }),
}

// parseUUID reads a UUID: digits with braces or not, and a hyphen after any four of them.
func parseUUID(s string) (Value, error) {
	text, braced := strings.CutPrefix(s, "{")
	var digits []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '-' && len(digits)%4 == 0 && 0 < len(digits) && len(digits) < 32 && text[i-1] != '-' {
			continue
		}
		if text[i] == '}' && braced && i == len(text)-1 {
			braced = false
			break
		}
		digits = append(digits, text[i])
	}
	b, err := hex.DecodeString(string(digits))
	if err != nil || len(b) != 16 || braced {
		return nil, invalidSyntax("uuid", s)
	}
	return UUID(b), nil
}

var bitsCodec = codec{
	text: func(v Value) string { return string(v.(Bits)) },
	parse: func(s string) (Value, error) {
		text := strings.TrimPrefix(strings.TrimPrefix(s, "b"), "B")
		if strings.HasPrefix(s, "x") || strings.HasPrefix(s, "X") {
			return nil, pgerror.Lacks("bit strings in hexadecimal digits")
		}
		for i, r := range text {
			if r != '0' && r != '1' {
				_, n := utf8.DecodeRuneInString(text[i:])
				return nil, pgerror.New(pgerror.InvalidTextRepresentation, "\"%s\" is not a valid binary digit", text[i:i+n])
			}
		}
		return Bits(text), nil
	},
	binary:   bitsBinary,
	unbinary: bitsFromBinary,
}

func bitsBinary(v Value) []byte {
	bits := v.(Bits)
	b := append(bigEndian(uint64(len(bits)), 4), make([]byte, (len(bits)+7)/8)...)
	for i := range len(bits) {
		b[4+i/8] |= (bits[i] - '0') << (7 - i%8)
	}
	return b
}

func bitsFromBinary(b []byte) (Value, error) {
	if len(b) < 4 {
		return nil, insufficientData()
	}
	length := int(int32(fromBigEndian(b[:4])))
	if length < 0 {
		return nil, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid length in external bit string")
	}
	if size := (length + 7) / 8; len(b)-4 < size {
		return nil, insufficientData()
	} else if len(b)-4 > size {
		return nil, incorrectBinary(1)
	}
	var bits strings.Builder
	for i := range length {
		bits.WriteByte('0' + b[4+i/8]>>(7-i%8)&1)
	}
	return Bits(bits.String()), nil
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
