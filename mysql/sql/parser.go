package sql

import (
	"slices"
	"strconv"
	"strings"
)

// Parser reads one statement. Its first error ends it: from then on every token is the end.
type Parser struct {
	grammar *Grammar
	query   string
	tokens  []Token
	at      int
	params  int
	err     error

	within    int // how many expressions it is in
	operators int // of the outermost expression, so far
}

// mostOperators is how many operators, parentheses and calls an expression may have: they may all be
// inside each other.
const mostOperators = 10_000

// count counts an operator, a parenthesis or a call.
func (p *Parser) count() {
	if p.operators++; p.operators > mostOperators {
		p.unsupported("an expression with so many operators")
	}
}

// Parsed is a statement with the number of its parameters.
type Parsed struct {
	Statement
	Params int
}

// Parse reads one statement. A semicolon may end it. The error is an [Error], or one of a reader of the dialect.
func (g *Grammar) Parse(query string) (Parsed, error) {
	list, err := g.tokens(query)
	if err != nil {
		return Parsed{}, err
	}
	p := &Parser{grammar: g, query: query, tokens: list}
	if p.Peek().Kind == EndToken {
		return Parsed{}, Fail(EmptyQuery)
	}
	s := p.statement()
	p.Symbol(";")
	if p.Peek().Kind != EndToken {
		p.Unexpected()
	}
	if p.err != nil {
		return Parsed{}, p.err
	}
	return Parsed{s, p.params}, nil
}

func (p *Parser) statement() Statement {
	t := p.Next()
	read := p.grammar.Statements[strings.ToLower(t.Text)]
	if t.Kind != WordToken || read == nil {
		p.Refuse(t)
		return nil
	}
	return read(p)
}

// OK reports whether there was no error yet. Readers must check it in loops.
func (p *Parser) OK() bool { return p.err == nil }

// fail ends the parser with an error, if it is the first one.
func (p *Parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// unsupported ends the parser: what the statement asks for is not supported.
func (p *Parser) unsupported(what string) { p.fail(Fail(Unsupported, what)) }

// Peek returns the next token.
func (p *Parser) Peek() Token {
	if p.err != nil {
		return Token{}
	}
	return p.tokens[p.at]
}

// Next takes the next token.
func (p *Parser) Next() Token {
	t := p.Peek()
	if t.Kind != EndToken {
		p.at++
	}
	return t
}

// Unexpected refuses the next token.
func (p *Parser) Unexpected() { p.Refuse(p.Peek()) }

// Refuse ends the parser with an error: the token is not possible there.
func (p *Parser) Refuse(t Token) {
	if p.err != nil {
		return
	}
	if t.Kind == EndToken {
		p.fail(Fail(Malformed, "an end that comes too early"))
		return
	}
	p.unsupported("near " + strconv.Quote(p.query[t.at:min(t.at+40, len(p.query))]))
}

// IsWord reports whether the next tokens are these words.
func (p *Parser) IsWord(words ...string) bool {
	if p.err != nil || p.at+len(words) >= len(p.tokens) {
		return false
	}
	for i, w := range words {
		if t := p.tokens[p.at+i]; t.Kind != WordToken || !strings.EqualFold(t.Text, w) {
			return false
		}
	}
	return true
}

// Word takes these words, if they come next.
func (p *Parser) Word(words ...string) bool {
	if !p.IsWord(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// OneOf takes one of these words, if it comes next, and returns it as in words.
func (p *Parser) OneOf(words ...string) string {
	for _, w := range words {
		if p.Word(w) {
			return w
		}
	}
	return ""
}

// Want takes words that must come.
func (p *Parser) Want(words ...string) {
	if !p.Word(words...) {
		p.Unexpected()
	}
}

// Symbol takes a symbol, if it comes next.
func (p *Parser) Symbol(s string) bool {
	if !p.isSymbol(s) {
		return false
	}
	p.at++
	return true
}

// isSymbol reports whether a symbol comes next.
func (p *Parser) isSymbol(s string) bool {
	t := p.Peek()
	return t.Kind == SymbolToken && t.Text == s
}

// WantSymbol takes a symbol that must come.
func (p *Parser) WantSymbol(s string) {
	if !p.Symbol(s) {
		p.Unexpected()
	}
}

// operator takes an operator, if it comes next as the dialect writes it.
func (p *Parser) operator(op string) bool {
	if p.Peek().op != op {
		return false
	}
	p.at++
	return true
}

// isReserved reports whether a word is no name.
func (p *Parser) isReserved(word string) bool {
	return slices.Contains(p.grammar.Reserved, strings.ToLower(word))
}

// isName reports whether a name comes next.
func (p *Parser) isName() bool {
	t := p.Peek()
	return t.Kind == QuotedToken || t.Kind == WordToken && !p.isReserved(t.Text)
}

// Name takes a name.
func (p *Parser) Name() string {
	if p.isName() {
		return p.Next().Text
	}
	p.Unexpected()
	return ""
}

// TableName takes the name of a table, without that of its database.
func (p *Parser) TableName() string {
	name := p.Name()
	if p.Symbol(".") {
		if !strings.EqualFold(name, p.grammar.Database) {
			p.unsupported("the database " + name)
		}
		name = p.Name()
	}
	return name
}

// names takes a list of names in parentheses.
func (p *Parser) names() (list []string) {
	p.WantSymbol("(")
	for p.err == nil {
		list = append(list, p.Name())
		if !p.Symbol(",") {
			break
		}
	}
	p.WantSymbol(")")
	return list
}

// Number takes a whole number.
func (p *Parser) Number() int {
	t := p.Next()
	n, err := strconv.Atoi(t.Text)
	if t.Kind != NumberToken || err != nil {
		p.Refuse(t)
	}
	return n
}

// source returns the text of the statement from a token up to the next one.
func (p *Parser) source(from int) string {
	if p.err != nil {
		return ""
	}
	return p.query[p.tokens[from].at:p.tokens[p.at-1].end]
}
