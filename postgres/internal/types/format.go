package types

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

func init() {
	any1 := []OID{AnyOID}
	concat := func(separated bool) func(types []OID) func([]Value) (Value, error) {
		return func(types []OID) func([]Value) (Value, error) {
			return func(a []Value) (Value, error) { return concatTexts(types, a, separated), nil }
		}
	}
	variadic := func(name string, args []OID, result OID, bind func(types []OID) func([]Value) (Value, error)) {
		f := fn(name, args, result, nil)
		f.Variadic, f.Strict, f.bind = true, false, bind
	}
	variadic("concat", any1, TextOID, concat(false))
	variadic("concat_ws", []OID{TextOID, AnyOID}, TextOID, concat(true))
	variadic("format", []OID{TextOID, AnyOID}, TextOID, func(types []OID) func([]Value) (Value, error) {
		return func(a []Value) (Value, error) { return formatText(types, a) }
	})
	nulls := func(null bool) func(types []OID) func([]Value) (Value, error) {
		return func([]OID) func([]Value) (Value, error) {
			return func(a []Value) (Value, error) {
				n := int64(0)
				for _, v := range a {
					n += boolInt((v == nil) == null)
				}
				return n, nil
			}
		}
	}
	variadic("num_nulls", any1, Int4OID, nulls(true))
	variadic("num_nonnulls", any1, Int4OID, nulls(false))
	typeOf := fn("pg_typeof", any1, RegtypeOID, nil)
	typeOf.Strict = false
	typeOf.bind = func(types []OID) func([]Value) (Value, error) {
		return func([]Value) (Value, error) { return Reg{int64(types[0]), Name(types[0])}, nil }
	}
}

// concatTexts joins the texts of values that are not NULL, with the first as separator or without.
func concatTexts(types []OID, a []Value, separated bool) Value {
	separator := ""
	if separated {
		if a[0] == nil {
			return nil
		}
		separator, types, a = a[0].(string), types[1:], a[1:]
	}
	var parts []string
	for i, v := range a {
		if v != nil {
			parts = append(parts, Text(types[i], v))
		}
	}
	return strings.Join(parts, separator)
}

// formatter carries out format().
type formatter struct {
	types []OID
	args  []Value
	next  int // the argument after the last one that was used
	rest  string
	out   strings.Builder
}

func formatText(types []OID, a []Value) (Value, error) {
	if a[0] == nil {
		return nil, nil
	}
	f := &formatter{types: types, args: a, next: 1, rest: a[0].(string)}
	for {
		before, rest, found := strings.Cut(f.rest, "%")
		f.out.WriteString(before)
		if !found {
			return f.out.String(), nil
		}
		f.rest = rest
		if err := f.specifier(); err != nil {
			return nil, err
		}
	}
}

func unterminatedSpecifier() error {
	return pgerror.New(pgerror.InvalidParameterValue, "unterminated format() type specifier").WithHint("For a single \"%%\" use \"%%%%\".")
}

// number reads digits, -1 if there are none.
func (f *formatter) number() int {
	digits := f.rest[:len(f.rest)-len(strings.TrimLeft(f.rest, "0123456789"))]
	if digits == "" {
		return -1
	}
	f.rest = f.rest[len(digits):]
	n, _ := strconv.Atoi(digits)
	return n
}

// specifier writes what is after a %: position, width and type.
func (f *formatter) specifier() error {
	if strings.HasPrefix(f.rest, "%") {
		f.out.WriteByte('%')
		f.rest = f.rest[1:]
		return nil
	}
	width := f.number()
	position := -1
	if width >= 0 && strings.HasPrefix(f.rest, "$") {
		position, width = width, -1
		f.rest = f.rest[1:]
		if position == 0 {
			return pgerror.New(pgerror.InvalidParameterValue, "format specifies argument 0, but arguments are numbered from 1")
		}
	}
	left := false
	if width < 0 {
		left = strings.HasPrefix(f.rest, "-")
		f.rest = strings.TrimLeft(f.rest, "-")
		if strings.HasPrefix(f.rest, "*") {
			return pgerror.Lacks("widths of format() that are arguments")
		}
		width = f.number()
	}
	if f.rest == "" {
		return unterminatedSpecifier()
	}
	r, size := utf8.DecodeRuneInString(f.rest)
	f.rest = f.rest[size:]
	if !strings.ContainsRune("sIL", r) {
		return pgerror.New(pgerror.InvalidParameterValue, "unrecognized format() type specifier \"%c\"", r).WithHint("For a single \"%%\" use \"%%%%\".")
	}
	if position < 0 {
		position = f.next
	}
	f.next = position + 1
	if position >= len(f.args) {
		return pgerror.New(pgerror.InvalidParameterValue, "too few arguments for format()")
	}
	text, err := f.argument(position, r)
	if err != nil {
		return err
	}
	padding := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if left {
		text += padding
	} else {
		text = padding + text
	}
	f.out.WriteString(text)
	return nil
}

// argument returns an argument as a text, a name or a literal.
func (f *formatter) argument(i int, specifier rune) (string, error) {
	v := f.args[i]
	switch {
	case v == nil && specifier == 'I':
		return "", pgerror.New(pgerror.NullValueNotAllowed, "null values cannot be formatted as an SQL identifier")
	case v == nil && specifier == 'L':
		return "NULL", nil
	case v == nil:
		return "", nil
	}
	text := Text(f.types[i], v)
	switch specifier {
	case 'I':
		return QuoteIdent(text), nil
	case 'L':
		return quoteLiteral(text), nil
	}
	return text, nil
}
