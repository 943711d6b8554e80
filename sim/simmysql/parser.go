package simmysql

import (
	"strconv"
	"strings"
)

// parser reads one statement. Its first error ends it: from then on every token is the end.
type parser struct {
	query  string
	tokens []token
	at     int
	params int
	err    error

	within    int // how many expressions it is in
	operators int // of the outermost expression, so far
}

// mostOperators is how many operators, parentheses and calls an expression may have: they may all be
// inside each other.
const mostOperators = 10_000

// operator counts one of them.
func (p *parser) operator() {
	if p.operators++; p.operators > mostOperators && p.err == nil {
		p.err = errUnsupported("an expression with so many operators")
	}
}

// parsed is a statement with the number of its parameters.
type parsed struct {
	statement
	params int
}

// parse reads one statement. A semicolon may end it.
func parse(query string) (parsed, error) {
	list, err := tokens(query)
	if err != nil {
		return parsed{}, err
	}
	p := &parser{query: query, tokens: list}
	if p.peek().kind == endToken {
		return parsed{}, errEmptyQuery
	}
	s := p.statement()
	p.symbol(";")
	if p.peek().kind != endToken {
		p.unexpected()
	}
	if p.err != nil {
		return parsed{}, p.err
	}
	return parsed{s, p.params}, nil
}

// statementParsers read statements from behind their first word.
var statementParsers map[string]func(*parser) statement

func init() {
	statementParsers = map[string]func(*parser) statement{
		"select":   (*parser).selection,
		"insert":   (*parser).insertion,
		"update":   (*parser).updating,
		"delete":   (*parser).deletion,
		"create":   (*parser).creation,
		"drop":     (*parser).dropping,
		"truncate": (*parser).truncation,
		"begin":    (*parser).beginning,
		"start":    (*parser).start,
		"commit":   func(p *parser) statement { p.word("work"); return &commit{} },
		"rollback": (*parser).rollback,
		"savepoint": func(p *parser) statement {
			return &savepoint{name: p.name()}
		},
		"release": func(p *parser) statement {
			p.want("savepoint")
			return &savepoint{name: p.name(), release: true}
		},
		"set":  (*parser).setting,
		"do":   func(p *parser) statement { return &do{p.exprs()} },
		"kill": (*parser).killing,
		"use":  func(p *parser) statement { return &use{p.name()} },
		"show": (*parser).showing,
	}
}

func (p *parser) statement() statement {
	t := p.next()
	read := statementParsers[strings.ToLower(t.text)]
	if t.kind != wordToken || read == nil {
		p.refuse(t)
		return nil
	}
	return read(p)
}

// peek is the next token.
func (p *parser) peek() token {
	if p.err != nil {
		return token{}
	}
	return p.tokens[p.at]
}

func (p *parser) next() token {
	t := p.peek()
	if t.kind != endToken {
		p.at++
	}
	return t
}

// unexpected refuses the next token.
func (p *parser) unexpected() { p.refuse(p.peek()) }

func (p *parser) refuse(t token) {
	if p.err != nil {
		return
	}
	near := "the end"
	if t.kind != endToken {
		near = strconv.Quote(p.query[t.at:min(t.at+40, len(p.query))])
	}
	p.err = errUnsupported("near " + near)
}

// isWord reports whether the next tokens are these words.
func (p *parser) isWord(words ...string) bool {
	if p.err != nil || p.at+len(words) >= len(p.tokens) {
		return false
	}
	for i, w := range words {
		if t := p.tokens[p.at+i]; t.kind != wordToken || !strings.EqualFold(t.text, w) {
			return false
		}
	}
	return true
}

// word takes these words, if they come next.
func (p *parser) word(words ...string) bool {
	if !p.isWord(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// oneOf takes one of these words, if it comes next, and returns it in lower case.
func (p *parser) oneOf(words ...string) string {
	for _, w := range words {
		if p.word(w) {
			return w
		}
	}
	return ""
}

// want takes words that must come.
func (p *parser) want(words ...string) {
	if !p.word(words...) {
		p.unexpected()
	}
}

// symbol takes a symbol, if it comes next.
func (p *parser) symbol(s string) bool {
	if !p.isSymbol(s) {
		return false
	}
	p.at++
	return true
}

// isSymbol reports whether a symbol comes next.
func (p *parser) isSymbol(s string) bool {
	t := p.peek()
	return t.kind == symbolToken && t.text == s
}

func (p *parser) wantSymbol(s string) {
	if !p.symbol(s) {
		p.unexpected()
	}
}

// reserved are words that are no names.
var reserved = strings.Fields("select from where and or not in is null order by limit for update set values on as between group having join union insert into delete distinct lock")

// name takes a name.
func (p *parser) name() string {
	t := p.peek()
	if t.kind == quotedToken || t.kind == wordToken && !isReserved(t.text) {
		p.at++
		return t.text
	}
	p.unexpected()
	return ""
}

// tableName takes the name of a table, without that of its database.
func (p *parser) tableName() string {
	name := p.name()
	if p.symbol(".") {
		if !strings.EqualFold(name, databaseName) && p.err == nil {
			p.err = errUnsupported("the database " + name)
		}
		name = p.name()
	}
	return name
}

// names takes a list of names in parentheses.
func (p *parser) names() (list []string) {
	p.wantSymbol("(")
	for p.err == nil {
		list = append(list, p.name())
		if !p.symbol(",") {
			break
		}
	}
	p.wantSymbol(")")
	return list
}

// number takes a whole number.
func (p *parser) number() int {
	t := p.next()
	n, err := strconv.Atoi(t.text)
	if t.kind != numberToken || err != nil {
		p.refuse(t)
	}
	return n
}

// source is the text of the statement from a token up to the next one.
func (p *parser) source(from int) string {
	if p.err != nil {
		return ""
	}
	return p.query[p.tokens[from].at:p.tokens[p.at-1].end]
}
