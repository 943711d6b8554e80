package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// quotedString reads a string in single quotes after a prefix of the given length, with the escapes of E'...' or not.
func (l *lexer) quotedString(k kind, escapes bool, prefix int) (token, error) {
	from := l.at
	var text strings.Builder
	l.at += prefix + 1
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '\'' && l.peek(1) == '\'':
			text.WriteByte('\'')
			l.at += 2
		case c == '\'':
			l.at++
			if !l.continued() {
				return l.checked(token{kind: k, text: text.String()}, from)
			}
		case c == '\\' && escapes:
			if err := l.escape(&text); err != nil {
				return token{}, err
			}
		default:
			text.WriteByte(c)
			l.at++
		}
	}
	message := "unterminated quoted string"
	if k == bits {
		message = "unterminated bit string literal"
	}
	return token{}, l.fail(from, len(l.text), message)
}

// checked refuses a string that escapes have made invalid, and bits that are none.
func (l *lexer) checked(t token, from int) (token, error) {
	if t.kind == str {
		return t, validUTF8(t.text)
	}
	if i := strings.IndexFunc(t.text, func(r rune) bool { return r != '0' && r != '1' }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(t.text[i:])
		return t, pgerror.New(pgerror.InvalidTextRepresentation, "\"%c\" is not a valid binary digit", r).At(l.position(from))
	}
	return t, nil
}

// continued reports whether a string goes on after spaces with a line break, and then moves into it.
func (l *lexer) continued() bool {
	at, newline := l.at, false
	for at < len(l.text) {
		switch c := l.text[at]; {
		case isSpace(c):
			newline = newline || c == '\n' || c == '\r'
			at++
		case newline && strings.HasPrefix(l.text[at:], "--"):
			n := strings.IndexAny(l.text[at:], "\r\n")
			if n < 0 {
				return false
			}
			at += n
		case newline && c == '\'':
			l.at = at + 1
			return true
		default:
			return false
		}
	}
	return false
}

// escape reads a backslash and what follows it.
func (l *lexer) escape(text *strings.Builder) error {
	from := l.at
	c := l.peek(1)
	l.at += 2
	switch c {
	case 0:
		l.at = len(l.text)
	case 'b':
		text.WriteByte('\b')
	case 'f':
		text.WriteByte('\f')
	case 'n':
		text.WriteByte('\n')
	case 'r':
		text.WriteByte('\r')
	case 't':
		text.WriteByte('\t')
	case 'x':
		if digits := l.run("0123456789abcdefABCDEF", 2); digits != "" {
			text.WriteByte(code(digits, 16))
		} else {
			text.WriteByte('x')
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		l.at--
		text.WriteByte(code(l.run("01234567", 3), 8))
	case 'u', 'U':
		length := 4
		if c == 'U' {
			length = 8
		}
		return l.unicode(text, from, length)
	default:
		_, n := utf8.DecodeRuneInString(l.text[l.at-1:])
		text.WriteString(l.text[l.at-1 : l.at-1+n])
		l.at += n - 1
	}
	return nil
}

// run reads bytes as long as they are in a set, up to a maximum.
func (l *lexer) run(among string, most int) string {
	from := l.at
	for l.at < len(l.text) && l.at-from < most && strings.IndexByte(among, l.text[l.at]) >= 0 {
		l.at++
	}
	return l.text[from:l.at]
}

func code(digits string, base int) byte {
	n, _ := strconv.ParseUint(digits, base, 16)
	return byte(n)
}

// unicode reads the digits of \uXXXX or \UXXXXXXXX. It refuses surrogates, of which PostgreSQL takes pairs.
func (l *lexer) unicode(text *strings.Builder, from, length int) error {
	digits := l.run("0123456789abcdefABCDEF", length)
	if len(digits) < length {
		return pgerror.New(pgerror.InvalidEscapeSequence, "invalid Unicode escape").At(l.position(from)).
			WithHint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.")
	}
	r, _ := strconv.ParseInt(digits, 16, 64)
	if 0xD800 <= r && r <= 0xDFFF {
		return pgerror.Lacks("surrogates in Unicode escapes").At(l.position(from))
	}
	if r == 0 || r > utf8.MaxRune {
		return pgerror.New(pgerror.SyntaxError, "invalid Unicode escape value at or near \"%s\"", l.text[from:l.at]).At(l.position(from))
	}
	text.WriteRune(rune(r))
	return nil
}
