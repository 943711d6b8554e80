package types

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func codeFunctions() {
	fn("md5", []OID{TextOID}, TextOID, func(a []Value) (Value, error) {
		sum := md5.Sum([]byte(a[0].(string)))
		return hex.EncodeToString(sum[:]), nil
	})
	fn("md5", []OID{ByteaOID}, TextOID, func(a []Value) (Value, error) {
		sum := md5.Sum(a[0].([]byte))
		return hex.EncodeToString(sum[:]), nil
	})
	fn("sha256", []OID{ByteaOID}, ByteaOID, func(a []Value) (Value, error) { sum := sha256.Sum256(a[0].([]byte)); return sum[:], nil })
	fn("encode", []OID{ByteaOID, TextOID}, TextOID, func(a []Value) (Value, error) { return encode(a[0].([]byte), a[1].(string)) })
	fn("decode", pair(TextOID), ByteaOID, func(a []Value) (Value, error) { return decode(a[0].(string), a[1].(string)) })
	for _, t := range []OID{Int4OID, Int8OID} {
		mask := uint64(math.MaxUint64) >> (64 - 8*Size(t))
		fn("to_hex", []OID{t}, TextOID, func(a []Value) (Value, error) { return strconv.FormatUint(uint64(a[0].(int64))&mask, 16), nil })
	}
	fn("ascii", []OID{TextOID}, Int4OID, func(a []Value) (Value, error) {
		if a[0].(string) == "" {
			return int64(0), nil
		}
		r, _ := utf8.DecodeRuneInString(a[0].(string))
		return int64(r), nil
	})
	fn("chr", []OID{Int4OID}, TextOID, func(a []Value) (Value, error) {
		n := a[0].(int64)
		switch {
		case n < 0:
			return nil, pgerror.New(pgerror.ProgramLimitExceeded, "character number must be positive")
		case n == 0:
			return nil, pgerror.New(pgerror.ProgramLimitExceeded, "null character not permitted")
		case n > utf8.MaxRune || 0xD800 <= n && n <= 0xDFFF:
			return nil, pgerror.New(pgerror.ProgramLimitExceeded, "requested character too large for encoding: %d", n)
		}
		return string(rune(n)), nil
	})
	utf := func(name string) error {
		if word := strings.ToLower(name); word != "utf8" && word != "utf-8" {
			return pgerror.Lacks("the encoding %s", name)
		}
		return nil
	}
	fn("convert_to", []OID{TextOID, NameOID}, ByteaOID, func(a []Value) (Value, error) { return []byte(a[0].(string)), utf(a[1].(string)) })
	fn("convert_from", []OID{ByteaOID, NameOID}, TextOID, func(a []Value) (Value, error) {
		if err := utf(a[1].(string)); err != nil {
			return nil, err
		}
		return validText(a[0].([]byte))
	})
	bitFunctions()
}

func bitFunctions() {
	fn("get_bit", []OID{BitOID, Int4OID}, Int4OID, func(a []Value) (Value, error) {
		bits, n := a[0].(Bits), a[1].(int64)
		if n < 0 || n >= int64(len(bits)) {
			return nil, pgerror.New(pgerror.ArraySubscriptError, "bit index %d out of valid range (0..%d)", n, len(bits)-1)
		}
		return int64(bits[n] - '0'), nil
	})
	fn("get_byte", []OID{ByteaOID, Int4OID}, Int4OID, func(a []Value) (Value, error) {
		b, n := a[0].([]byte), a[1].(int64)
		if n < 0 || n >= int64(len(b)) {
			return nil, pgerror.New(pgerror.ArraySubscriptError, "index %d out of valid range, 0..%d", n, len(b)-1)
		}
		return int64(b[n]), nil
	})
}

func encode(b []byte, format string) (Value, error) {
	switch format {
	case "hex":
		return hex.EncodeToString(b), nil
	case "base64":
		text := base64.StdEncoding.EncodeToString(b)
		var lines []string
		const width = 76
		for len(text) > width {
			lines, text = append(lines, text[:width]), text[width:]
		}
		return strings.Join(append(lines, text), "\n"), nil
	case "escape":
		var s strings.Builder
		for _, c := range b {
			switch {
			case c == 0 || c >= 0x80:
				s.WriteString(`\` + strconv.FormatInt(int64(c)+01000, 8)[1:])
			case c == '\\':
				s.WriteString(`\\`)
			default:
				s.WriteByte(c)
			}
		}
		return s.String(), nil
	}
	return nil, pgerror.New(pgerror.InvalidParameterValue, "unrecognized encoding: \"%s\"", format)
}

func decode(s, format string) (Value, error) {
	switch format {
	case "hex":
		return decodeHex(s)
	case "escape":
		return parseBytea(strings.Replace(s, `\x`, `\134x`, 1))
	case "base64":
		b, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\n\r", r) {
				return -1
			}
			return r
		}, s))
		if err != nil {
			return nil, pgerror.Lacks("the decoding of %q, which is not base64 with its padding", s)
		}
		return b, nil
	}
	return nil, pgerror.New(pgerror.InvalidParameterValue, "unrecognized encoding: \"%s\"", format)
}
