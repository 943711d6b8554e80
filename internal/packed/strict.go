package packed

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Wrong is the error of a malformed JSON text.
type Wrong struct {
	// Offset is its place, in bytes.
	Offset  int
	Problem string
	// Field is the name of an unknown field, empty for other errors.
	Field string
	// Truncated is set if the text ends inside a value, and Followed if something follows the value.
	Truncated, Followed bool
}

func (w *Wrong) Error() string { return w.Problem }

// Place returns its place, as line and column in bytes, from 1.
func (w *Wrong) Place(text []byte) string { return Place(text, w.Offset) }

// Place returns an offset of a text as line and column in bytes, from 1.
func Place(text []byte, offset int) string {
	before := text[:max(0, min(offset, len(text)))]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// Decode decodes a text that is one value of JSON, as package encoding/json does, but refuses ambiguous and lossy texts:
// unknown fields, also those in another case, a name that an object has twice, bytes that are not UTF-8, and halves of
// surrogate pairs. The error is of type *[Wrong].
func Decode(text []byte, into any) error {
	if !json.Valid(text) {
		return value(text)
	}
	if w := Characters(text); w != nil {
		return w
	}
	s := scan{text: text, known: map[reflect.Type]map[string]reflect.Type{}}
	s.value(reflect.TypeOf(into).Elem())
	if s.wrong != nil {
		return s.wrong
	}
	return unmarshal(text, into)
}

// Head decodes a few fields of a text that is one value of JSON, whatever other fields it has.
func Head(text []byte, into any) error {
	if !json.Valid(text) {
		return value(text)
	}
	return unmarshal(text, into)
}

// unmarshal decodes a text that is JSON.
func unmarshal(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind):
		where := kind.Field
		if where == "" {
			where = "the whole"
		}
		return &Wrong{Offset: int(kind.Offset), Problem: fmt.Sprintf("the value of %s cannot be of the type %s", where, kind.Value)}
	}
	return &Wrong{Offset: len(text), Problem: err.Error()}
}

// value returns an error if a text is not one value of JSON.
func value(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	err := d.Decode(&raw)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return &Wrong{Offset: len(text), Problem: "it ends inside a value", Truncated: true}
	case errors.As(err, &syntax):
		return &Wrong{Offset: int(syntax.Offset) - 1, Problem: "not JSON: " + err.Error()}
	case err != nil:
		return &Wrong{Offset: int(d.InputOffset()), Problem: err.Error()}
	}
	return &Wrong{Offset: int(d.InputOffset()), Problem: "something follows the end of the value", Followed: true}
}

// Characters refuses characters that no decoder can keep: bytes that are not UTF-8, and escapes in strings that are half
// of a surrogate pair. It returns nil if there are none. Text that is not JSON is not refused.
func Characters(text []byte) *Wrong {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				return &Wrong{Offset: i, Problem: "a byte that is not UTF-8"}
			}
			i += n
		case c == '\\':
			r := escaped(text[i:])
			switch {
			case !utf16.IsSurrogate(r):
				i += 2
			case utf16.DecodeRune(r, escaped(text[i+len(`\uxxxx`):])) == utf8.RuneError:
				return &Wrong{Offset: i, Problem: fmt.Sprintf("%s is half of a surrogate pair, and no character", text[i:i+len(`\uxxxx`)])}
			default:
				i += 2 * len(`\uxxxx`)
			}
		default:
			i++
		}
	}
	return nil
}

// escaped returns the code of the escape \uxxxx that a text begins with, -1 if it begins with none.
func escaped(text []byte) rune {
	if len(text) < len(`\uxxxx`) || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// scan goes through a text that is one value of JSON, along with the type that it is decoded into.
type scan struct {
	text  []byte
	at    int
	wrong *Wrong
	known map[reflect.Type]map[string]reflect.Type // the fields of structs
}

// next skips space and returns the byte there.
func (s *scan) next() byte {
	for strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
	return s.text[s.at]
}

// value checks the names of the fields of a value, for a type; nil is any.
func (s *scan) value(t reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && (t.Kind() == reflect.Interface || decodesItself(t)) {
		t = nil
	}
	switch s.next() {
	case '{':
		s.object(t)
	case '[':
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			t = t.Elem()
		} else {
			t = nil // which decoding refuses, or any
		}
		for s.at++; s.wrong == nil && s.next() != ']'; {
			s.value(t)
			s.comma()
		}
		s.at++
	case '"':
		s.at = StringEnd(s.text, s.at)
	default:
		for s.at < len(s.text) && strings.IndexByte(",]} \t\r\n", s.text[s.at]) < 0 {
			s.at++
		}
	}
}

func (s *scan) comma() {
	if s.wrong == nil && s.next() == ',' {
		s.at++
	}
}

// name returns the name that begins here.
func (s *scan) name() string {
	quoted := s.text[s.at:StringEnd(s.text, s.at)]
	s.at += len(quoted)
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var name string
	_ = json.Unmarshal(quoted, &name) // it is a string
	return name
}

// object checks an object.
func (s *scan) object(t reflect.Type) {
	var known map[string]reflect.Type
	if t != nil && t.Kind() == reflect.Struct {
		if known = s.known[t]; known == nil {
			known = map[string]reflect.Type{}
			fields(t, known)
			s.known[t] = known
		}
	}
	seen := map[string]bool{}
	for s.at++; s.wrong == nil && s.next() != '}'; {
		begin := s.at
		name := s.name()
		of, there := known[name]
		switch {
		case seen[name]:
			s.wrong = &Wrong{Offset: begin, Problem: fmt.Sprintf("%.100q is given twice", name)}
			return
		case known != nil && !there:
			s.wrong = &Wrong{Offset: begin, Problem: fmt.Sprintf("there is no field %.100q", name), Field: name}
			return
		case t != nil && t.Kind() == reflect.Map:
			of = t.Elem()
			if s.wrong = number(t.Key(), name, begin); s.wrong != nil {
				return
			}
		}
		seen[name] = true
		s.next() // a colon
		s.at++
		s.value(of)
		s.comma()
	}
	s.at++
}

// number refuses a number that is the key of a map and is not written in the usual way: two names would be one key.
func number(key reflect.Type, name string, at int) *Wrong {
	if !key.ConvertibleTo(reflect.TypeFor[int]()) || reflect.PointerTo(key).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	if n, err := strconv.Atoi(name); err != nil || strconv.Itoa(n) != name {
		return &Wrong{Offset: at, Problem: fmt.Sprintf("%.100q is no whole number", name)}
	}
	return nil
}

// decodesItself reports whether a type has its own rules.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// fields returns the fields of a struct by their JSON names. Its own fields hide those of embedded structs.
func fields(t reflect.Type, into map[string]reflect.Type) {
	var inside []reflect.Type
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			inside = append(inside, f.Type)
		case !f.IsExported() || tag == "-":
		case tag == "":
			into[f.Name] = f.Type
		default:
			into[tag] = f.Type
		}
	}
	for _, t := range inside {
		more := map[string]reflect.Type{}
		fields(t, more)
		for name, of := range more { // unordered: into a map
			if _, own := into[name]; !own {
				into[name] = of
			}
		}
	}
}
