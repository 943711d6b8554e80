package types

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func init() {
	caseFunctions()
	lengthFunctions()
	cutFunctions()
	searchFunctions()
	codeFunctions()
}

// text1 declares a function of a text.
func text1(name string, f func(s string) string) {
	fn(name, []OID{TextOID}, TextOID, func(a []Value) (Value, error) { return f(a[0].(string)), nil })
}

func caseFunctions() {
	text1("lower", strings.ToLower)
	text1("upper", strings.ToUpper)
	text1("reverse", func(s string) string {
		r := []rune(s)
		slices.Reverse(r)
		return string(r)
	})
	text1("quote_ident", QuoteIdent)
	text1("quote_literal", quoteLiteral)
	fn("quote_nullable", []OID{TextOID}, TextOID, func(a []Value) (Value, error) {
		if a[0] == nil {
			return "NULL", nil
		}
		return quoteLiteral(a[0].(string)), nil
	}).Strict = false
	fn("repeat", []OID{TextOID, Int4OID}, TextOID, func(a []Value) (Value, error) {
		s, n := a[0].(string), max(a[1].(int64), 0)
		if int64(len(s))*n > 1<<28 {
			return nil, pgerror.New(pgerror.ProgramLimitExceeded, "requested length too large")
		}
		return strings.Repeat(s, int(n)), nil
	})
}

// QuoteIdent quotes a name if it has to be, as quote_ident does.
func QuoteIdent(s string) string {
	plain := s != "" && (s[0] == '_' || 'a' <= s[0] && s[0] <= 'z') && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	if plain && !slices.Contains(quotedWords, s) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

func quoteLiteral(s string) string {
	quoted := "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
	if strings.Contains(s, `\`) {
		return "E" + quoted
	}
	return quoted
}

func lengthFunctions() {
	runes := func(a []Value) (Value, error) { return int64(utf8.RuneCountInString(a[0].(string))), nil }
	for _, name := range []string{"length", "char_length", "character_length"} {
		fn(name, []OID{TextOID}, Int4OID, runes)
		fn(name, []OID{BPCharOID}, Int4OID, func(a []Value) (Value, error) {
			return int64(utf8.RuneCountInString(strings.TrimRight(a[0].(string), " "))), nil
		})
	}
	fn("length", []OID{ByteaOID}, Int4OID, func(a []Value) (Value, error) { return int64(len(a[0].([]byte))), nil })
	fn("length", []OID{BitOID}, Int4OID, func(a []Value) (Value, error) { return int64(len(a[0].(Bits))), nil })
	for name, factor := range map[string]int64{"octet_length": 1, "bit_length": 8} { // unordered: each name is declared once
		fn(name, []OID{TextOID}, Int4OID, func(a []Value) (Value, error) { return factor * int64(len(a[0].(string))), nil })
		fn(name, []OID{ByteaOID}, Int4OID, func(a []Value) (Value, error) { return factor * int64(len(a[0].([]byte))), nil })
	}
}

// cut returns a number of characters of a text from a place on, counted from 1, which may be before the text.
func cut[T any](s []T, from, length int64) []T {
	end := int64(len(s)) + 1
	if length < math.MaxInt64-max(from, 0) {
		end = min(end, from+length)
	}
	from = max(from, 1)
	if from >= end {
		return s[:0]
	}
	return s[from-1 : end-1]
}

func negativeLength() error {
	return pgerror.New(pgerror.SubstringError, "negative substring length not allowed")
}

func cutFunctions() {
	for _, name := range []string{"substr", "substring"} {
		for _, t := range []OID{TextOID, ByteaOID} {
			part := func(a []Value, length int64) (Value, error) {
				if length < 0 {
					return nil, negativeLength()
				}
				if b, ok := a[0].([]byte); ok {
					return cut(b, a[1].(int64), length), nil
				}
				return string(cut([]rune(a[0].(string)), a[1].(int64), length)), nil
			}
			fn(name, []OID{t, Int4OID}, t, func(a []Value) (Value, error) { return part(a, math.MaxInt64) })
			fn(name, []OID{t, Int4OID, Int4OID}, t, func(a []Value) (Value, error) { return part(a, a[2].(int64)) })
		}
	}
	end := func(name string, f func(r []rune, n int) []rune) {
		fn(name, []OID{TextOID, Int4OID}, TextOID, func(a []Value) (Value, error) {
			r, n := []rune(a[0].(string)), int(a[1].(int64))
			if n < 0 {
				n = max(len(r)+n, 0)
			}
			return string(f(r, min(n, len(r)))), nil
		})
	}
	end("left", func(r []rune, n int) []rune { return r[:n] })
	end("right", func(r []rune, n int) []rune { return r[len(r)-n:] })
	for name, f := range map[string]func(s, set string) string{ // unordered: each name is declared once
		"btrim": strings.Trim, "ltrim": strings.TrimLeft, "rtrim": strings.TrimRight,
	} {
		fn(name, pair(TextOID), TextOID, func(a []Value) (Value, error) { return f(a[0].(string), a[1].(string)), nil })
		text1(name, func(s string) string { return f(s, " ") })
	}
	for name, left := range map[string]bool{"lpad": true, "rpad": false} { // unordered: each name is declared once
		f := fn(name, []OID{TextOID, Int4OID, TextOID}, TextOID, func(a []Value) (Value, error) {
			return padText([]rune(a[0].(string)), int(max(a[1].(int64), 0)), []rune(a[2].(string)), left)
		})
		f.Defaults = []Value{" "}
	}
}

func padText(s []rune, length int, fill []rune, left bool) (Value, error) {
	const most = 1 << 26
	if length > most {
		return nil, pgerror.New(pgerror.ProgramLimitExceeded, "requested length too large")
	}
	if length <= len(s) || len(fill) == 0 {
		return string(s[:min(length, len(s))]), nil
	}
	padding := slices.Repeat(fill, (length-len(s))/len(fill)+1)[:length-len(s)]
	if left {
		return string(padding) + string(s), nil
	}
	return string(s) + string(padding), nil
}

func searchFunctions() {
	place := func(a []Value) (Value, error) {
		text := a[0].(string)
		i := strings.Index(text, a[1].(string))
		if i < 0 {
			return int64(0), nil
		}
		return int64(utf8.RuneCountInString(text[:i]) + 1), nil
	}
	fn("position", pair(TextOID), Int4OID, place)
	fn("strpos", pair(TextOID), Int4OID, place)
	fn("starts_with", pair(TextOID), BoolOID, func(a []Value) (Value, error) { return strings.HasPrefix(a[0].(string), a[1].(string)), nil })
	fn("replace", []OID{TextOID, TextOID, TextOID}, TextOID, func(a []Value) (Value, error) {
		if a[1].(string) == "" {
			return a[0], nil
		}
		return strings.ReplaceAll(a[0].(string), a[1].(string), a[2].(string)), nil
	})
	fn("translate", []OID{TextOID, TextOID, TextOID}, TextOID, func(a []Value) (Value, error) {
		from, to := []rune(a[1].(string)), []rune(a[2].(string))
		return strings.Map(func(r rune) rune {
			switch i := slices.Index(from, r); {
			case i < 0:
				return r
			case i < len(to):
				return to[i]
			}
			return -1
		}, a[0].(string)), nil
	})
	fn("split_part", []OID{TextOID, TextOID, Int4OID}, TextOID, func(a []Value) (Value, error) {
		return splitPart(a[0].(string), a[1].(string), int(a[2].(int64)))
	})
	fn("string_to_array", pair(TextOID), TextArrayOID, func(a []Value) (Value, error) { return stringToArray(a[0], a[1], nil), nil }).Strict = false
	fn("string_to_array", []OID{TextOID, TextOID, TextOID}, TextArrayOID, func(a []Value) (Value, error) {
		return stringToArray(a[0], a[1], a[2]), nil
	}).Strict = false
}

func splitPart(s, separator string, n int) (Value, error) {
	if n == 0 {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "field position must not be zero")
	}
	parts := []string{s}
	if separator != "" && s != "" {
		parts = strings.Split(s, separator)
	}
	if n < 0 {
		n += len(parts) + 1
	}
	if n < 1 || n > len(parts) {
		return "", nil
	}
	return parts[n-1], nil
}

// stringToArray splits a text; without a separator into characters. Parts that are null are NULL.
func stringToArray(s, separator, null Value) Value {
	if s == nil {
		return nil
	}
	a := Array{Elem: TextOID}
	var parts []string
	switch {
	case s.(string) == "":
	case separator == nil:
		parts = strings.Split(s.(string), "")
	case separator.(string) == "":
		parts = []string{s.(string)}
	default:
		parts = strings.Split(s.(string), separator.(string))
	}
	for _, p := range parts {
		if null != nil && p == null.(string) {
			a.Items = append(a.Items, nil)
		} else {
			a.Items = append(a.Items, p)
		}
	}
	return a
}
