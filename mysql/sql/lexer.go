package sql

import "strings"

// TokenKind is the kind of a token.
type TokenKind uint8

// The kinds of tokens.
const (
	EndToken      TokenKind = iota
	WordToken               // a name, or a word of the language
	QuotedToken             // a name in quotes
	TextToken               // a text, without its quotes
	NumberToken             // a number without a sign
	SymbolToken             // anything else
	VariableToken           // a word that begins with @
)

// Token is a word of a statement.
type Token struct {
	Kind TokenKind
	// Text is the word as written, without quotes.
	Text string
	op   string // the operator of the engine that it means; empty if it is none
	at   int    // its place in the statement
	end  int
}

// symbols of several characters.
var symbols = []string{"<=>", "<>", "!=", "<=", ">=", "||", "&&", ":="}

// tokens splits a statement.
func (g *Grammar) tokens(query string) ([]Token, error) {
	var list []Token
	l := lexer{grammar: g, rest: query}
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		t.end = len(query) - len(l.rest)
		list = append(list, t)
		if t.Kind == EndToken {
			return list, nil
		}
	}
}

// lexer reads tokens from the front of a statement.
type lexer struct {
	grammar *Grammar
	rest    string
	read    int
}

func (l *lexer) take(n int) string {
	s := l.rest[:n]
	l.rest, l.read = l.rest[n:], l.read+n
	return s
}

// begins reports whether the rest begins with one of some texts.
func (l *lexer) begins(with []string) bool {
	for _, s := range with {
		if strings.HasPrefix(l.rest, s) {
			return true
		}
	}
	return false
}

// skip skips blanks and comments. It leaves comments that a server executes, and those that do not end.
func (l *lexer) skip() {
	for {
		l.take(len(l.rest) - len(strings.TrimLeft(l.rest, " \t\r\n")))
		end := ""
		switch {
		case l.begins(l.grammar.Comments):
			end = "\n"
		case l.begins(l.grammar.Executed):
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

func (l *lexer) next() (Token, error) {
	l.skip()
	t := Token{at: l.read}
	if l.rest == "" {
		return t, nil
	}
	switch c := l.rest[0]; {
	case isLetter(c):
		t.Kind, t.Text = WordToken, l.while(isWord)
		t.op = l.grammar.operator(t.Text)
	case isDigit(c), c == '.' && len(l.rest) > 1 && isDigit(l.rest[1]):
		t.Kind, t.Text = NumberToken, l.take(len(numeral(l.rest)))
	case c == l.grammar.NameQuote:
		s, err := l.quoted(c)
		return Token{Kind: QuotedToken, Text: s, at: t.at}, err
	case c == '\'' || c == l.grammar.TextQuote:
		s, err := l.quoted(c)
		return Token{Kind: TextToken, Text: s, at: t.at}, err
	case c == '@':
		t.Kind, t.Text = VariableToken, l.while(func(c byte) bool { return c == '@' || c == '.' || isWord(c) })
	default:
		t.Kind, t.Text = SymbolToken, l.symbol()
		t.op = l.grammar.operator(t.Text)
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

// symbol returns the longest one that the dialect has.
func (l *lexer) symbol() string {
	for _, s := range symbols {
		if strings.HasPrefix(l.rest, s) && l.grammar.operator(s) != "" {
			return l.take(len(s))
		}
	}
	return l.take(1)
}

// quoted reads a text between quotes. A quote is doubled within it, or follows a
// backslash.
func (l *lexer) quoted(quote byte) (string, error) {
	var b strings.Builder
	for i := 1; i < len(l.rest); i++ {
		c := l.rest[i]
		switch {
		case c == '\\' && l.grammar.Escapes != nil && quote != l.grammar.NameQuote && i+1 < len(l.rest):
			i++
			if e, known := l.grammar.Escapes[l.rest[i]]; known {
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
	return "", Fail(Malformed, "a quote that does not end")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '$' }
