package types

import (
	"encoding/binary"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// text writes an array as {a,"b c",NULL}.
func (a Array) text() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, item := range a.Items {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case item == nil:
			b.WriteString("NULL")
		default:
			b.WriteString(quoteItem(Text(a.Elem, item)))
		}
	}
	b.WriteByte('}')
	return b.String()
}

// quoteItem quotes an element if it has to be.
func quoteItem(s string) string {
	if s != "" && !strings.EqualFold(s, "NULL") && !strings.ContainsAny(s, `{}",\`+spaces) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func malformedArray(s, detail string) error {
	return pgerror.New(pgerror.InvalidTextRepresentation, "malformed array literal: \"%s\"", s).WithDetail("%s", detail)
}

// ParseArray reads an array in text format, whose elements item reads.
func ParseArray(elem OID, s string, item func(string) (Value, error)) (Value, error) {
	r := arrayReader{text: s, rest: strings.TrimLeft(s, spaces)}
	a := Array{Elem: elem}
	if strings.HasPrefix(r.rest, "[") {
		return nil, pgerror.Lacks("arrays with bounds, as %s", s)
	}
	if !r.accept('{') {
		return nil, malformedArray(s, `Array value must start with "{" or dimension information.`)
	}
	if r.accept('}') {
		return a, r.ends()
	}
	for {
		text, quoted, err := r.item()
		if err != nil {
			return nil, err
		}
		var v Value
		if quoted || !strings.EqualFold(text, "NULL") {
			if v, err = item(text); err != nil {
				return nil, err
			}
		}
		a.Items = append(a.Items, v)
		if r.accept('}') {
			return a, r.ends()
		}
		if !r.accept(',') {
			return nil, r.unexpectedEnd()
		}
	}
}

// arrayReader reads the elements of an array.
type arrayReader struct{ text, rest string }

func (r *arrayReader) accept(c byte) bool {
	if r.rest = strings.TrimLeft(r.rest, spaces); r.rest == "" || r.rest[0] != c {
		return false
	}
	r.rest = strings.TrimLeft(r.rest[1:], spaces)
	return true
}

func (r *arrayReader) ends() error {
	if r.rest != "" {
		return malformedArray(r.text, "Junk after closing right brace.")
	}
	return nil
}

func (r *arrayReader) unexpectedEnd() error {
	if r.rest != "" {
		return malformedArray(r.text, "Unexpected array element.")
	}
	return malformedArray(r.text, "Unexpected end of input.")
}

// item reads an element and reports whether it was quoted.
func (r *arrayReader) item() (text string, quoted bool, err error) {
	if strings.HasPrefix(r.rest, "{") {
		return "", false, pgerror.Lacks("arrays of several dimensions, as %s", r.text)
	}
	if strings.HasPrefix(r.rest, `"`) {
		return r.quotedItem()
	}
	var b strings.Builder
	kept := 0 // what an escape has made is kept even if it is a space
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; c {
		case '}', ',':
			text = b.String()
			text = text[:kept] + strings.TrimRight(text[kept:], spaces)
			if text == "" {
				return "", false, malformedArray(r.text, `Unexpected "`+string(c)+`" character.`)
			}
			r.rest = r.rest[i:]
			return text, kept > 0, nil
		case '"':
			return "", false, malformedArray(r.text, "Unexpected array element.")
		case '{':
			return "", false, malformedArray(r.text, `Unexpected "{" character.`)
		case '\\':
			if i++; i < len(r.rest) {
				b.WriteByte(r.rest[i])
				kept = b.Len()
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false, malformedArray(r.text, "Unexpected end of input.")
}

func (r *arrayReader) quotedItem() (string, bool, error) {
	var b strings.Builder
	for i := 1; i < len(r.rest); i++ {
		switch c := r.rest[i]; c {
		case '"':
			r.rest = r.rest[i+1:]
			return b.String(), true, nil
		case '\\':
			if i++; i < len(r.rest) {
				b.WriteByte(r.rest[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false, malformedArray(r.text, "Unexpected end of input.")
}

func (a Array) binary() ([]byte, error) {
	flags := uint32(0)
	for _, item := range a.Items {
		if item == nil {
			flags = 1
		}
	}
	dims := uint32(1)
	if len(a.Items) == 0 {
		dims = 0
	}
	b := appendLongs(nil, dims, flags, uint32(a.Elem))
	if dims > 0 {
		b = appendLongs(b, uint32(len(a.Items)), 1)
	}
	for _, item := range a.Items {
		var err error
		if b, err = appendItem(b, a.Elem, item); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendItem writes a value with its length before it.
func appendItem(b []byte, t OID, v Value) ([]byte, error) {
	if v == nil {
		return appendLongs(b, 0xffffffff), nil
	}
	item, err := Binary(t, v)
	return append(appendLongs(b, uint32(len(item))), item...), err
}

func appendLongs(b []byte, longs ...uint32) []byte {
	for _, l := range longs {
		b = binary.BigEndian.AppendUint32(b, l)
	}
	return b
}

// ParseArrayBinary reads an array in binary format, whose elements item reads.
func ParseArrayBinary(elem OID, b []byte, item func([]byte) (Value, error)) (Value, error) {
	r := binaryReader{rest: b}
	dims, _, oid := r.long(), r.long(), r.long()
	switch {
	case r.short:
		return nil, insufficientData()
	case dims < 0 || dims > 6:
		return nil, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid number of dimensions: %d", dims)
	case OID(oid) != elem && OID(oid) != UnknownOID:
		return nil, pgerror.New(pgerror.DatatypeMismatch, "binary data has array element type %d (%s) instead of expected %d (%s)",
			OID(oid), Name(OID(oid)), elem, Name(elem))
	case dims > 1:
		return nil, pgerror.Lacks("arrays of several dimensions")
	}
	a := Array{Elem: elem}
	count := int32(0)
	if dims == 1 {
		count = r.long()
		if lower := r.long(); !r.short && lower != 1 && count > 0 {
			return nil, pgerror.Lacks("arrays whose first subscript is %d", lower)
		}
	}
	for i := int32(0); i < count && !r.short; i++ {
		data, null := r.item()
		if null {
			a.Items = append(a.Items, nil)
			continue
		}
		v, err := item(data)
		if r.short || err != nil {
			return nil, firstError(r.short, err)
		}
		a.Items = append(a.Items, v)
	}
	switch {
	case r.short:
		return nil, insufficientData()
	case count < 0:
		return nil, pgerror.New(pgerror.ProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)")
	case len(r.rest) > 0:
		return nil, incorrectBinary(1)
	}
	return a, nil
}

func firstError(short bool, err error) error {
	if short {
		return insufficientData()
	}
	return err
}

// binaryReader reads numbers; short is set if there was too little.
type binaryReader struct {
	rest  []byte
	short bool
}

func (r *binaryReader) long() int32 {
	if len(r.rest) < 4 {
		r.short, r.rest = true, nil
		return 0
	}
	n := int32(binary.BigEndian.Uint32(r.rest))
	r.rest = r.rest[4:]
	return n
}

// item reads bytes with their length before them; the length -1 is NULL.
func (r *binaryReader) item() (data []byte, null bool) {
	n := r.long()
	if n == -1 && !r.short {
		return nil, true
	}
	if n < 0 || int(n) > len(r.rest) {
		r.short = true
		return nil, false
	}
	data, r.rest = r.rest[:n], r.rest[n:]
	return data, false
}

// recordCodec writes rows; their input is refused, as in PostgreSQL.
var recordCodec = codec{
	text: func(v Value) string { return v.(Row).text() },
	parse: func(string) (Value, error) {
		return nil, pgerror.New(pgerror.FeatureNotSupported, "input of anonymous composite types is not implemented")
	},
	unbinary: func([]byte) (Value, error) {
		return nil, pgerror.New(pgerror.FeatureNotSupported, "input of anonymous composite types is not implemented")
	},
}

// text writes a row as (1,"a b",).
func (r Row) text() string {
	var b strings.Builder
	b.WriteByte('(')
	for i, item := range r.Items {
		if i > 0 {
			b.WriteByte(',')
		}
		if item == nil {
			continue
		}
		text := Text(r.Types[i], item)
		if text == "" || strings.ContainsAny(text, `"\(),`+spaces) {
			text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `""`).Replace(text) + `"`
		}
		b.WriteString(text)
	}
	b.WriteByte(')')
	return b.String()
}

func (r Row) binary() ([]byte, error) {
	b := appendLongs(nil, uint32(len(r.Items)))
	for i, item := range r.Items {
		var err error
		if b, err = appendItem(appendLongs(b, uint32(r.Types[i])), r.Types[i], item); err != nil {
			return nil, err
		}
	}
	return b, nil
}
