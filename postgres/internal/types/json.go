package types

import (
	"fmt"
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
	// zeros allows \u0000, which is no text, as the type json does.
	zeros bool
}

// readJSON reads a JSON value.
func readJSON(s string) (node, error) { return (&jsonReader{text: s}).read() }

// read reads the whole text.
func (r *jsonReader) read() (node, error) {
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
	return r.located(pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(format, args...))
}

// located adds to an error the end of the line that was read up to the present place.
func (r *jsonReader) located(err *pgerror.Error) error {
	at := min(len(r.text), r.at)
	line := strings.LastIndexByte(r.text[:at], '\n') + 1
	start := line
	const most = 50
	for at-start >= most {
		_, n := utf8.DecodeRuneInString(r.text[start:])
		start += n
	}
	before, after := "...", ""
	if start-line <= len(before) {
		start, before = line, ""
	}
	if at < len(r.text) && r.text[at] != '\n' && r.text[at] != '\r' {
		after = "..."
	}
	err.Where = fmt.Sprintf("JSON data, line %d: %s%s%s", 1+strings.Count(r.text[:line], "\n"), before, r.text[start:at], after)
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
	return len(token) == 1 && strings.ContainsAny(token, `{}[]:,`) || token == "null" || token == "true" || token == "false" || isJSONNumber(token)
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
	case first == 0 && r.zeros:
		return nil
	case first == 0:
		r.at++
		return r.located(pgerror.New(pgerror.UntranslatableCharacter, "unsupported Unicode escape sequence").WithDetail("\\u0000 cannot be converted to text."))
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
	r.at = min(r.at+2, len(r.text))
	return r.invalid("Unicode low surrogate must follow a high surrogate.")
}

// hex4 reads the digits after \u.
func (r *jsonReader) hex4() (rune, error) {
	end := min(r.at+5, len(r.text))
	n, err := strconv.ParseUint(r.text[r.at+1:end], 16, 32)
	if err != nil || end < r.at+5 {
		digits := len(r.text[r.at+1:end]) - len(strings.TrimLeft(r.text[r.at+1:end], "0123456789abcdefABCDEF"))
		r.at = min(r.at+1+digits+1, len(r.text))
		return 0, r.invalid("\"\\u\" must be followed by four hexadecimal digits.")
	}
	r.at += 4
	return rune(n), nil
}
