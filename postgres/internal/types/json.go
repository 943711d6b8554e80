package types

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// jsonKind is the kind of a JSON value, in the order in which jsonb sorts them.
type jsonKind int

const (
	jsonNull jsonKind = iota
	jsonString
	jsonNumber
	jsonBool
	jsonArray
	jsonObject
)

// node is a JSON value. raw is the text that it was read from.
type node struct {
	kind   jsonKind
	text   string // of a string
	number Numeric
	truth  bool
	items  []node // of an array, or of an object the values
	keys   []string
	raw    string
}

// jsonReader reads JSON.
type jsonReader struct {
	text  string
	at    int
	depth int
}

// readJSON reads a JSON value.
func readJSON(s string) (node, error) {
	r := &jsonReader{text: s}
	n, err := r.value("Expected JSON value, but found \"%s\".")
	if err != nil {
		return node{}, err
	}
	if t := r.token(); t != "" {
		return node{}, r.unexpected("Expected end of input, but found \"%s\".", t)
	}
	return n, nil
}

// space skips spaces.
func (r *jsonReader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\n\r", r.text[r.at]) >= 0 {
		r.at++
	}
}

// token returns what is next without skipping it: a symbol, a string, or all characters that words and numbers have.
func (r *jsonReader) token() string {
	r.space()
	rest := r.text[r.at:]
	if rest == "" {
		return ""
	}
	if strings.IndexByte(`{}[]:,`, rest[0]) >= 0 {
		return rest[:1]
	}
	if rest[0] == '"' {
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return rest[:i+1]
			}
		}
		return rest
	}
	n := 0
	for n < len(rest) && (isWordByte(rest[n]) || strings.IndexByte("+-.", rest[n]) >= 0) {
		n++
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(rest)
	}
	return rest[:n]
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// invalid makes the error about a JSON text, with a detail.
func (r *jsonReader) invalid(format string, args ...any) error {
	err := pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(format, args...)
	line := 1 + strings.Count(r.text[:r.at], "\n")
	start := strings.LastIndexByte(r.text[:r.at], '\n') + 1
	shown, dots := r.text[start:min(len(r.text), r.at)], ""
	if rest, _, _ := strings.Cut(r.text[min(len(r.text), r.at):], "\n"); rest != "" {
		dots = "..."
	}
	const most = 50
	if prefix := len(shown) - most; prefix > 0 {
		shown = "..." + shown[prefix:]
	}
	err.Where = fmt.Sprintf("JSON data, line %d: %s%s", line, shown, dots)
	return err
}

// unexpected is the error about a token in the wrong place, or about one that is none, or about the end.
func (r *jsonReader) unexpected(format, token string) error {
	if token == "" {
		return r.invalid("The input string ended unexpectedly.")
	}
	if token[0] == '"' {
		if _, err := r.string(); err != nil {
			return err
		}
		return r.invalid(format, token)
	}
	r.at += len(token)
	if !isJSONWord(token) {
		return r.invalid("Token \"%s\" is invalid.", token)
	}
	return r.invalid(format, token)
}

// isJSONWord reports whether a token that is no string is one of JSON.
func isJSONWord(token string) bool {
	return strings.Contains(`{}[]:,`, token) || token == "null" || token == "true" || token == "false" || isJSONNumber(token)
}

func isJSONNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	if hasExponent {
		if _, ok := parseExponent(exponent); !ok {
			return false
		}
	}
	return whole != "" && isDigits(whole) && (len(whole) == 1 || whole[0] != '0') && isDigits(fraction) && hasFraction == (fraction != "")
}

// value reads a value; expected is the detail of the error if there is none.
func (r *jsonReader) value(expected string) (n node, err error) {
	const maxDepth = 5000
	if r.depth++; r.depth > maxDepth {
		return node{}, pgerror.New("54001", "stack depth limit exceeded")
	}
	defer func() { r.depth-- }()
	t := r.token()
	start := r.at
	switch {
	case t == "{":
		n, err = r.object()
	case t == "[":
		n, err = r.array()
	case strings.HasPrefix(t, `"`):
		n.kind = jsonString
		n.text, err = r.string()
	case t == "null", t == "true", t == "false":
		r.at += len(t)
		if t != "null" {
			n.kind, n.truth = jsonBool, t == "true"
		}
	case t != "" && isJSONNumber(t):
		r.at += len(t)
		n, err = jsonNumeral(t)
	default:
		return node{}, r.unexpected(expected, t)
	}
	n.raw = r.text[start:r.at]
	return n, err
}

func jsonNumeral(s string) (node, error) {
	v, err := parseNumeric(s)
	if err != nil {
		return node{}, err
	}
	return node{kind: jsonNumber, number: v.(Numeric)}, nil
}

func (r *jsonReader) array() (node, error) {
	n := node{kind: jsonArray}
	r.at++
	if r.token() == "]" {
		r.at++
		return n, nil
	}
	expected := "Expected array element or \"]\", but found \"%s\"."
	for {
		item, err := r.value(expected)
		if err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
		switch t := r.token(); t {
		case "]":
			r.at++
			return n, nil
		case ",":
			r.at++
		default:
			return node{}, r.unexpected("Expected \",\" or \"]\", but found \"%s\".", t)
		}
		expected = "Expected JSON value, but found \"%s\"."
	}
}

func (r *jsonReader) object() (node, error) {
	n := node{kind: jsonObject}
	r.at++
	if r.token() == "}" {
		r.at++
		return n, nil
	}
	expected := "Expected string or \"}\", but found \"%s\"."
	for {
		t := r.token()
		if !strings.HasPrefix(t, `"`) {
			return node{}, r.unexpected(expected, t)
		}
		key, err := r.string()
		if err != nil {
			return node{}, err
		}
		if t := r.token(); t != ":" {
			return node{}, r.unexpected("Expected \":\", but found \"%s\".", t)
		}
		r.at++
		item, err := r.value("Expected JSON value, but found \"%s\".")
		if err != nil {
			return node{}, err
		}
		n.keys, n.items = append(n.keys, key), append(n.items, item)
		switch t := r.token(); t {
		case "}":
			r.at++
			return n, nil
		case ",":
			r.at++
		default:
			return node{}, r.unexpected("Expected \",\" or \"}\", but found \"%s\".", t)
		}
		expected = "Expected string, but found \"%s\"."
	}
}

// string reads a string in quotes.
func (r *jsonReader) string() (string, error) {
	var b strings.Builder
	start := r.at
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return b.String(), nil
		case c < ' ':
			return "", r.invalid("Character with value 0x%02x must be escaped.", c)
		case c == '\\':
			if err := r.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", r.invalid("Token \"%s\" is invalid.", r.text[start:])
}

// escape reads an escape sequence up to its last character.
func (r *jsonReader) escape(b *strings.Builder) error {
	r.at++
	if r.at == len(r.text) {
		return r.invalid("The input string ended unexpectedly.")
	}
	if i := strings.IndexByte(`"\/bfnrt`, r.text[r.at]); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		return nil
	}
	if r.text[r.at] != 'u' {
		_, n := utf8.DecodeRuneInString(r.text[r.at:])
		sequence := r.text[r.at : r.at+n]
		r.at += n
		return r.invalid("Escape sequence \"\\%s\" is invalid.", sequence)
	}
	first, err := r.hex4()
	if err != nil {
		return err
	}
	switch {
	case first == 0:
		return pgerror.New(pgerror.UntranslatableCharacter, "unsupported Unicode escape sequence").WithDetail("\\u0000 cannot be converted to text.")
	case !utf16.IsSurrogate(first):
		b.WriteRune(first)
		return nil
	}
	if strings.HasPrefix(r.text[r.at+1:], `\u`) {
		r.at += 2
		second, err := r.hex4()
		if err != nil {
			return err
		}
		if c := utf16.DecodeRune(first, second); c != utf8.RuneError {
			b.WriteRune(c)
			return nil
		}
	}
	return r.invalid("Unicode low surrogate must follow a high surrogate.")
}

// hex4 reads the digits after \u.
func (r *jsonReader) hex4() (rune, error) {
	end := min(r.at+5, len(r.text))
	n, err := strconv.ParseUint(r.text[r.at+1:end], 16, 32)
	if err != nil || end < r.at+5 {
		return 0, r.invalid("\"\\u\" must be followed by four hexadecimal digits.")
	}
	r.at += 4
	return rune(n), nil
}

// canonical sorts the keys of objects by length and bytes and keeps the last value of each.
func (n node) canonical() node {
	items := make([]node, len(n.items))
	for i, item := range n.items {
		items[i] = item.canonical()
	}
	if n.kind != jsonObject {
		n.items = items
		return n
	}
	last := map[string]node{}
	for i, k := range n.keys {
		last[k] = items[i]
	}
	keys := make([]string, 0, len(last))
	for k := range last { // unordered: sorted below
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return compareKeys(keys[i], keys[j]) < 0 })
	n.keys, n.items = keys, nil
	for _, k := range keys {
		n.items = append(n.items, last[k])
	}
	return n
}

func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// String writes a value as jsonb does.
func (n node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n node) write(b *strings.Builder) {
	switch n.kind {
	case jsonNull:
		b.WriteString("null")
	case jsonString:
		writeJSONString(b, n.text)
	case jsonNumber:
		b.WriteString(n.number.String())
	case jsonBool:
		b.WriteString(strconv.FormatBool(n.truth))
	case jsonArray, jsonObject:
		b.WriteByte("[{"[n.kind-jsonArray])
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			if n.kind == jsonObject {
				writeJSONString(b, n.keys[i])
				b.WriteString(": ")
			}
			item.write(b)
		}
		b.WriteByte("]}"[n.kind-jsonArray])
	}
}

func writeJSONString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case strings.IndexByte("\b\f\n\r\t", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte("bfnrt"[strings.IndexByte("\b\f\n\r\t", c)])
		case c < ' ':
			fmt.Fprintf(b, "\\u%04x", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}

// compareNodes compares two values as jsonb's default order does.
func compareNodes(a, b node) int {
	if a.kind != b.kind {
		// An empty array is less than anything else, for historical reasons of PostgreSQL.
		if emptyA, emptyB := a.kind == jsonArray && len(a.items) == 0, b.kind == jsonArray && len(b.items) == 0; emptyA != emptyB && a.kind < jsonObject && b.kind < jsonObject {
			return map[bool]int{true: -1, false: 1}[emptyA]
		}
		return int(a.kind - b.kind)
	}
	switch a.kind {
	case jsonString:
		return strings.Compare(a.text, b.text)
	case jsonNumber:
		return compareNumeric(a.number, b.number)
	case jsonBool:
		return compareInts(boolInt(a.truth), boolInt(b.truth))
	}
	if len(a.items) != len(b.items) {
		return len(a.items) - len(b.items)
	}
	for i := range a.items {
		if a.kind == jsonObject {
			if c := compareKeys(a.keys[i], b.keys[i]); c != 0 {
				return c
			}
		}
		if c := compareNodes(a.items[i], b.items[i]); c != 0 {
			return c
		}
	}
	return 0
}

// contains reports whether a value contains another as jsonb's @> has it.
func (n node) contains(other node) bool {
	if n.kind != other.kind {
		return false
	}
	switch n.kind {
	case jsonObject:
		return !slices.ContainsFunc(other.keys, func(k string) bool {
			mine, ok := n.field(k)
			theirs, _ := other.field(k)
			return !ok || !mine.contains(theirs)
		})
	case jsonArray:
		return !slices.ContainsFunc(other.items, func(item node) bool {
			return !slices.ContainsFunc(n.items, func(mine node) bool { return mine.contains(item) })
		})
	}
	return compareNodes(n, other) == 0
}

// field returns the value of a key; the last, if an object that is not canonical has several.
func (n node) field(key string) (node, bool) {
	if n.kind != jsonObject {
		return node{}, false
	}
	for i := len(n.keys) - 1; i >= 0; i-- {
		if n.keys[i] == key {
			return n.items[i], true
		}
	}
	return node{}, false
}

// element returns an element of an array; negative numbers count from the end.
func (n node) element(i int64) (node, bool) {
	if i < 0 {
		i += int64(len(n.items))
	}
	if n.kind != jsonArray || i < 0 || i >= int64(len(n.items)) {
		return node{}, false
	}
	return n.items[i], true
}

// jsonCodec keeps the text of a value; jsonbCodec makes it canonical.
var (
	jsonCodec = codec{
		text: stringCodec.text,
		parse: func(s string) (Value, error) {
			_, err := readJSONSyntax(s)
			return s, err
		},
		binary: stringCodec.binary,
		unbinary: func(b []byte) (Value, error) {
			v, err := validText(b)
			if err == nil {
				_, err = readJSONSyntax(v.(string))
			}
			return v, err
		},
	}
	jsonbCodec = codec{
		text: stringCodec.text,
		parse: func(s string) (Value, error) {
			n, err := readJSON(s)
			return n.canonical().String(), err
		},
		binary: func(v Value) []byte { return append([]byte{1}, v.(string)...) },
		unbinary: func(b []byte) (Value, error) {
			if len(b) == 0 {
				return nil, insufficientData()
			}
			if b[0] != 1 {
				return nil, pgerror.New(pgerror.InternalError, "unsupported jsonb version number %d", b[0])
			}
			v, err := validText(b[1:])
			if err != nil {
				return nil, err
			}
			n, err := readJSON(v.(string))
			return n.canonical().String(), err
		},
	}
)

// readJSONSyntax is readJSON for the type json, which allows what is no text, as \u0000.
func readJSONSyntax(s string) (node, error) {
	n, err := readJSON(s)
	if err != nil && pgerror.From(err).Code == pgerror.UntranslatableCharacter {
		return n, nil
	}
	return n, err
}
