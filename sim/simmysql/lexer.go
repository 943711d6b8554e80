package simmysql

import "strings"

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	endToken tokenKind = iota
	wordToken
	quotedToken // a name in backticks
	textToken
	numberToken
	symbolToken
	variableToken // @@name, or @name with its @
)

// token is a word of a statement.
type token struct {
	kind tokenKind
	// text is the word as it stands there, without quotes.
	text string
	at   int // where it begins
	end  int
}

// symbols of several characters, the longest first.
var symbols = []string{"<=>", "<>", "!=", "<=", ">=", "||", "&&", ":="}

// tokens splits a statement.
func tokens(query string) ([]token, error) {
	var list []token
	l := lexer{rest: query}
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		t.end = len(query) - len(l.rest)
		list = append(list, t)
		if t.kind == endToken {
			return list, nil
		}
	}
}

// lexer reads tokens from the front of a statement.
type lexer struct {
	rest string
	read int
}

func (l *lexer) take(n int) string {
	s := l.rest[:n]
	l.rest, l.read = l.rest[n:], l.read+n
	return s
}

// skip skips blanks and comments. It leaves comments that a server executes, and those that do not end.
func (l *lexer) skip() {
	for {
		l.take(len(l.rest) - len(strings.TrimLeft(l.rest, " \t\r\n")))
		end := ""
		switch {
		case strings.HasPrefix(l.rest, "#"), strings.HasPrefix(l.rest, "-- "), strings.HasPrefix(l.rest, "--\n"):
			end = "\n"
		case strings.HasPrefix(l.rest, "/*!"), strings.HasPrefix(l.rest, "/*M!"):
			return
		case strings.HasPrefix(l.rest, "/*"):
			end = "*/"
		default:
			return
		}
		i := strings.Index(l.rest, end)
		switch {
		case i < 0 && end == "*/":
			return
		case i < 0:
			l.take(len(l.rest))
			return
		}
		l.take(i + len(end))
	}
}

func (l *lexer) next() (token, error) {
	l.skip()
	t := token{at: l.read}
	if l.rest == "" {
		return t, nil
	}
	switch c := l.rest[0]; {
	case isLetter(c):
		t.kind, t.text = wordToken, l.while(isWord)
	case isDigit(c), c == '.' && len(l.rest) > 1 && isDigit(l.rest[1]):
		t.kind, t.text = numberToken, l.take(len(numeral(l.rest)))
	case c == '\'' || c == '"':
		s, err := l.quoted(c)
		return token{kind: textToken, text: s, at: t.at}, err
	case c == '`':
		s, err := l.quoted(c)
		return token{kind: quotedToken, text: s, at: t.at}, err
	case c == '@':
		t.kind, t.text = variableToken, l.while(func(c byte) bool { return c == '@' || c == '.' || isWord(c) })
	default:
		t.kind, t.text = symbolToken, l.symbol()
	}
	return t, nil
}

func (l *lexer) while(ok func(byte) bool) string {
	n := 0
	for n < len(l.rest) && ok(l.rest[n]) {
		n++
	}
	return l.take(n)
}

func (l *lexer) symbol() string {
	for _, s := range symbols {
		if strings.HasPrefix(l.rest, s) {
			return l.take(len(s))
		}
	}
	return l.take(1)
}

// escapes are the characters that stand for others behind a backslash.
var escapes = map[byte]byte{'0': 0, 'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'Z': 26}

// quoted is a text between quotes. A quote is doubled within it, or stands behind a backslash.
func (l *lexer) quoted(quote byte) (string, error) {
	var b strings.Builder
	for i := 1; i < len(l.rest); i++ {
		c := l.rest[i]
		switch {
		case c == '\\' && quote != '`' && i+1 < len(l.rest):
			i++
			if e, known := escapes[l.rest[i]]; known {
				b.WriteByte(e)
			} else {
				b.WriteByte(l.rest[i])
			}
		case c == quote && i+1 < len(l.rest) && l.rest[i+1] == quote:
			i++
			b.WriteByte(c)
		case c == quote:
			l.take(i + 1)
			return b.String(), nil
		default:
			b.WriteByte(c)
		}
	}
	return "", errUnsupported("a quote that does not end")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '$' }
