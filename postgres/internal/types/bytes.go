package types

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

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
