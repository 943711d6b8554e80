package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// kind is the kind of a token.
type kind int

const (
	end      kind = iota
	word          // a word that is not quoted: text is folded to lower case
	quoted        // a quoted identifier
	integer       // digits that fit int4
	number        // any other number
	str           // a string, without its quotes and escapes
	bits          // B'...': the digits
	param         // $n: the digits
	operator      // an operator of several or special characters
	bad           // what is no token: err says why
	symbol        // a character of its own, or one of :: := .. <= >= <> =>
)

// token is a token: pos is its place in characters, from and to in bytes.
type token struct {
	kind     kind
	text     string
	pos      int
	from, to int
	err      error
}

// ends reports whether nothing can be read from the token on.
func (t token) ends() bool { return t.kind == end || t.kind == bad }

// is reports whether the token is the given word or symbol.
func (t token) is(text string) bool { return t.text == text && (t.kind == word || t.kind == symbol) }

// lexer splits a text into tokens.
type lexer struct {
	text string
	at   int
	// counted and chars are a place in bytes and the number of characters before it.
	counted, chars int
}

// position returns the place in characters, from 1 on, of a place in bytes that is not before an earlier one.
func (l *lexer) position(at int) int {
	if at < l.counted {
		l.counted, l.chars = 0, 0
	}
	l.chars += utf8.RuneCountInString(l.text[l.counted:at])
	l.counted = at
	return l.chars + 1
}

// fail makes a syntax error near the text between two places.
func (l *lexer) fail(from, to int, message string) error {
	return pgerror.New(pgerror.SyntaxError, "%s at or near \"%s\"", message, l.text[from:to]).At(l.position(from))
}

// lex splits a text up to its end or to what is no token, which is reported when the parser gets there.
func lex(text string) ([]token, error) {
	if err := validUTF8(text); err != nil {
		return nil, err
	}
	l := &lexer{text: text}
	tokens := make([]token, 0, len(text)/4+2)
	for {
		t := l.next()
		tokens = append(tokens, t)
		if t.ends() {
			return tokens, nil
		}
	}
}

// validUTF8 returns PostgreSQL's error about a text that is not UTF-8 or has a NUL.
func validUTF8(text string) error {
	for i, r := range text {
		if r == utf8.RuneError || r == 0 {
			if _, n := utf8.DecodeRuneInString(text[i:]); r == 0 || n == 1 {
				return pgerror.New(pgerror.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x%02x", text[i])
			}
		}
	}
	return nil
}

// next returns the next token.
func (l *lexer) next() token {
	if err := l.space(); err != nil {
		return token{kind: bad, err: err}
	}
	from := l.at
	t, err := l.token()
	if err != nil {
		return token{kind: bad, err: err}
	}
	t.from, t.to, t.pos = from, l.at, l.position(from)
	return t
}

func (l *lexer) token() (token, error) {
	if l.at == len(l.text) {
		return token{kind: end}, nil
	}
	c, following := l.text[l.at], l.peek(1)
	switch {
	case c == '\'':
		return l.quotedString(str, false, 0)
	case c == '"':
		return l.quotedName()
	case c == '$':
		return l.dollar()
	case isDigit(c) || c == '.' && isDigit(following):
		return l.number()
	case following == '\'' && (c == 'e' || c == 'E'):
		return l.quotedString(str, true, 1)
	case following == '\'' && (c == 'b' || c == 'B'):
		return l.quotedString(bits, false, 1)
	case following == '\'' && strings.ContainsRune("xXnN", rune(c)):
		return token{}, pgerror.Lacks("strings as %c'...'", c).At(l.position(l.at))
	case following == '&' && (c == 'u' || c == 'U') && (l.peek(2) == '\'' || l.peek(2) == '"'):
		return token{}, pgerror.Lacks("strings and identifiers with U&").At(l.position(l.at))
	case isIdentStart(c):
		return l.word(), nil
	}
	return l.symbol()
}

// peek returns the byte n after the present one, or 0.
func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

func isDigit(c byte) bool      { return '0' <= c && c <= '9' }
func isIdentStart(c byte) bool { return c == '_' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isIdentPart(c byte) bool  { return isIdentStart(c) || isDigit(c) || c == '$' }
func isSpace(c byte) bool      { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// space skips spaces and comments.
func (l *lexer) space() error {
	for l.at < len(l.text) {
		switch {
		case isSpace(l.text[l.at]):
			l.at++
		case strings.HasPrefix(l.text[l.at:], "--"):
			l.line()
		case strings.HasPrefix(l.text[l.at:], "/*"):
			if err := l.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// line skips to the end of the line.
func (l *lexer) line() {
	if n := strings.IndexAny(l.text[l.at:], "\r\n"); n >= 0 {
		l.at += n
	} else {
		l.at = len(l.text)
	}
}

// comment skips a comment, which may have others in it.
func (l *lexer) comment() error {
	from, depth := l.at, 0
	for l.at < len(l.text) {
		switch {
		case strings.HasPrefix(l.text[l.at:], "/*"):
			depth++
			l.at += 2
		case strings.HasPrefix(l.text[l.at:], "*/"):
			depth--
			l.at += 2
			if depth == 0 {
				return nil
			}
		default:
			l.at++
		}
	}
	return l.fail(from, len(l.text), "unterminated /* comment")
}

// wordEnd returns the end of a word.
func (l *lexer) wordEnd(at int) int {
	for at < len(l.text) && isIdentPart(l.text[at]) {
		at++
	}
	return at
}

// word reads a word and folds it.
func (l *lexer) word() token {
	from := l.at
	l.at = l.wordEnd(from)
	return token{kind: word, text: clipName(foldASCII(l.text[from:l.at]))}
}

// foldASCII changes the letters A to Z to lower case.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// clipName cuts a name to the 63 bytes that PostgreSQL keeps.
func clipName(name string) string {
	const most = 63
	if len(name) <= most {
		return name
	}
	n := most
	for !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

func (l *lexer) quotedName() (token, error) {
	from := l.at
	var name strings.Builder
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		if c == '"' {
			if l.peek(1) != '"' {
				l.at++
				if name.Len() == 0 {
					return token{}, l.fail(from, l.at, "zero-length delimited identifier")
				}
				return token{kind: quoted, text: clipName(name.String())}, nil
			}
			l.at++
		}
		name.WriteByte(c)
	}
	return token{}, l.fail(from, len(l.text), "unterminated quoted identifier")
}

// dollar reads a parameter or a dollar-quoted string.
func (l *lexer) dollar() (token, error) {
	from := l.at
	n := l.at + 1
	for n < len(l.text) && isDigit(l.text[n]) {
		n++
	}
	if n > l.at+1 {
		if n < len(l.text) && isIdentStart(l.text[n]) {
			return token{}, l.fail(from, l.wordEnd(n), "trailing junk after parameter")
		}
		l.at = n
		return token{kind: param, text: l.text[from+1 : n]}, nil
	}
	for n < len(l.text) && (isIdentStart(l.text[n]) || n > l.at+1 && isDigit(l.text[n])) {
		n++
	}
	if n == len(l.text) || l.text[n] != '$' {
		l.at++
		return token{}, l.fail(from, l.at, "syntax error")
	}
	tag := l.text[from : n+1]
	length := strings.Index(l.text[n+1:], tag)
	if length < 0 {
		return token{}, l.fail(from, len(l.text), "unterminated dollar-quoted string")
	}
	l.at = n + 1 + length + len(tag)
	return token{kind: str, text: l.text[n+1 : n+1+length]}, nil
}

func (l *lexer) number() (token, error) {
	from := l.at
	l.digits()
	whole := true
	if l.peek(0) == '.' && l.peek(1) != '.' {
		whole = false
		l.at++
		l.digits()
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		sign := 1
		if c := l.peek(1); c == '+' || c == '-' {
			sign = 2
		}
		if isDigit(l.peek(sign)) {
			whole = false
			l.at += sign
			l.digits()
		} else if sign == 2 {
			return token{}, l.fail(from, l.at+2, "trailing junk after numeric literal")
		}
	}
	if l.at < len(l.text) && isIdentStart(l.text[l.at]) {
		return token{}, l.fail(from, l.wordEnd(l.at), "trailing junk after numeric literal")
	}
	text := l.text[from:l.at]
	if _, err := strconv.ParseInt(text, 10, 32); whole && err == nil {
		return token{kind: integer, text: text}, nil
	}
	return token{kind: number, text: text}, nil
}

func (l *lexer) digits() {
	for isDigit(l.peek(0)) {
		l.at++
	}
}

// operatorChars are the characters of operators; those of PostgreSQL itself end in + or - only with one of special.
const (
	operatorChars = "~!@#^&|`?+-*/%<>="
	special       = "~!@#^&|`?%"
)

// symbol reads an operator or a symbol.
func (l *lexer) symbol() (token, error) {
	rest := l.text[l.at:]
	for _, s := range []string{"::", ":=", ".."} {
		if strings.HasPrefix(rest, s) {
			l.at += 2
			return token{kind: symbol, text: s}, nil
		}
	}
	n := len(rest) - len(strings.TrimLeft(rest, operatorChars))
	if n == 0 {
		if strings.IndexByte(",()[].;:", rest[0]) >= 0 {
			l.at++
			return token{kind: symbol, text: rest[:1]}, nil
		}
		from := l.at
		l.at++
		return token{}, l.fail(from, l.at, "syntax error")
	}
	for _, comment := range []string{"--", "/*"} {
		if i := strings.Index(rest[:n], comment); i > 0 {
			n = i
		}
	}
	for n > 1 && (rest[n-1] == '+' || rest[n-1] == '-') && !strings.ContainsAny(rest[:n], special) {
		n--
	}
	l.at += n
	switch op := rest[:n]; {
	case n == 1 && strings.ContainsAny(op, "+-*/%^<>="), op == "<=", op == ">=", op == "<>", op == "=>":
		return token{kind: symbol, text: op}, nil
	case op == "!=":
		return token{kind: symbol, text: "<>"}, nil
	default:
		return token{kind: operator, text: op}, nil
	}
}
