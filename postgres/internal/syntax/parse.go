package syntax

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Parse reads the statements of a text. A text of nothing but spaces, comments and semicolons has none. Positions are
// those in the whole text.
func Parse(text string) (list []Statement, err error) {
	defer recoverFailure(&err)
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	for {
		for p.accept(";") {
		}
		if p.tok().kind == end {
			return list, nil
		}
		list = append(list, p.statement())
		if p.tok().kind != end {
			p.expect(";")
		}
	}
}

// ParseType reads the name of a type, as a cast to regtype has it.
func ParseType(text string) (t TypeName, err error) {
	defer recoverFailure(&err)
	p, err := newParser(text)
	if err != nil {
		return t, err
	}
	t = p.typeName()
	if p.tok().kind != end {
		p.fail()
	}
	return t, nil
}

// failure is what the parser panics with; Parse returns its error.
type failure struct{ err error }

func recoverFailure(err *error) {
	switch f := recover().(type) {
	case nil:
	case failure:
		*err = f.err
	default:
		panic(f)
	}
}

// parser reads tokens. Its methods panic with a failure.
type parser struct {
	text   string
	tokens []token
	next   int
	depth  int
	// furthest is the token at which words that began well have ended.
	furthest int
}

func newParser(text string) (*parser, error) {
	tokens, err := lex(text)
	return &parser{text: text, tokens: tokens}, err
}

// maxDepth is how deep expressions, queries and joins may be in each other.
const maxDepth = 1000

// enter counts a level of depth, until the function that it returns is called.
func (p *parser) enter() func() {
	p.depth++
	if p.depth > maxDepth {
		p.lacks("expressions and queries that are more than %d levels deep", maxDepth)
	}
	return func() { p.depth-- }
}

// tok returns the present token.
func (p *parser) tok() token { return p.tokens[p.next] }

// ahead returns the nth token after the present one.
func (p *parser) ahead(n int) token {
	return p.tokens[min(p.next+n, len(p.tokens)-1)]
}

// pos returns the position of the present token.
func (p *parser) pos() int { return p.tok().pos }

// advance returns the present token and goes on to the next.
func (p *parser) advance() token {
	t := p.tok()
	if !t.ends() {
		p.next++
	}
	return t
}

// fail reports a syntax error at the present token.
func (p *parser) fail() {
	t := p.tokens[min(max(p.next, p.furthest), len(p.tokens)-1)]
	if t.kind == bad {
		panic(failure{t.err})
	}
	if t.kind == end {
		panic(failure{pgerror.New(pgerror.SyntaxError, "syntax error at end of input").At(t.pos)})
	}
	panic(failure{pgerror.New(pgerror.SyntaxError, "syntax error at or near \"%s\"", p.text[t.from:t.to]).At(t.pos)})
}

// lacks refuses what PostgreSQL has at the present token.
func (p *parser) lacks(format string, args ...any) {
	panic(failure{pgerror.Lacks(format, args...).At(p.pos())})
}

// refuse reports another error of PostgreSQL's grammar.
func (p *parser) refuse(pos int, format string, args ...any) {
	panic(failure{pgerror.New(pgerror.SyntaxError, format, args...).At(pos)})
}

// is reports whether the present token, and those after it, are the given words and symbols.
func (p *parser) is(texts ...string) bool {
	for i, text := range texts {
		if !p.ahead(i).is(text) {
			if i > 0 && !joined(text, texts[0]) {
				p.furthest = max(p.furthest, p.next+i)
			}
			return false
		}
	}
	return true
}

// joined reports whether PostgreSQL's lexer makes one token of a word with the one before it, and none without.
func joined(text, before string) bool {
	return before == "nulls" || before == "with" && (text == "time" || text == "ordinality")
}

// isOne reports whether the present token is one of the given words and symbols.
func (p *parser) isOne(texts ...string) bool {
	return slices.ContainsFunc(texts, p.tok().is)
}

// accept skips the given words and symbols if they are next, all of them, and reports whether they were.
func (p *parser) accept(texts ...string) bool {
	if !p.is(texts...) {
		return false
	}
	p.next += len(texts)
	return true
}

// expect skips the given words and symbols, which have to be next.
func (p *parser) expect(texts ...string) {
	for _, text := range texts {
		if !p.accept(text) {
			p.fail()
		}
	}
}

// oneOf skips one of the given words, which has to be next, and returns it.
func (p *parser) oneOf(texts ...string) string {
	if !p.isOne(texts...) {
		p.fail()
	}
	return p.advance().text
}

// isColumnName reports whether a token may name a column or a table.
func isColumnName(t token) bool {
	return t.kind == quoted || t.kind == word && !reservedWords[t.text] && !functionWords[t.text]
}

// isFunctionName reports whether a token may name a function or a type.
func isFunctionName(t token) bool {
	return t.kind == quoted || t.kind == word && !reservedWords[t.text] && !columnWords[t.text]
}

// name reads the name of a column, a table or the like.
func (p *parser) name() string {
	if !isColumnName(p.tok()) {
		p.fail()
	}
	return p.advance().text
}

// label reads a name after AS or after a point, where any word is one.
func (p *parser) label() string {
	if t := p.tok(); t.kind != word && t.kind != quoted {
		p.fail()
	}
	return p.advance().text
}

// names reads names separated by commas.
func (p *parser) names() []string { return list(p, p.name) }

// columns reads names in parentheses.
func (p *parser) columns() []string {
	p.expect("(")
	names := p.names()
	p.expect(")")
	return names
}

// list reads elements separated by commas.
func list[T any](p *parser, element func() T) []T {
	all := []T{element()}
	for p.accept(",") {
		all = append(all, element())
	}
	return all
}

// qualified reads a name that may have a schema.
func (p *parser) qualified() Name {
	n := Name{Pos: p.pos(), Name: p.name()}
	if p.accept(".") {
		n.Schema, n.Name = n.Name, p.label()
	}
	if p.is(".") {
		p.lacks("names with a database")
	}
	return n
}

// qualifiedList reads such names separated by commas.
func (p *parser) qualifiedList() []Name { return list(p, p.qualified) }

// functionName reads the name of a function, which may have a schema.
func (p *parser) functionName() Name {
	if p.ahead(1).is(".") {
		return p.qualified()
	}
	if !isFunctionName(p.tok()) {
		p.fail()
	}
	return Name{Pos: p.pos(), Name: p.advance().text}
}

// stringLiteral reads a string.
func (p *parser) stringLiteral() string {
	if p.tok().kind != str {
		p.fail()
	}
	return p.advance().text
}

// ifExists and ifNotExists read these words if they are next.
func (p *parser) ifExists() bool    { return p.accept("if", "exists") }
func (p *parser) ifNotExists() bool { return p.accept("if", "not", "exists") }

// cascade reads CASCADE or RESTRICT.
func (p *parser) cascade() bool {
	if p.accept("cascade") {
		return true
	}
	p.accept("restrict")
	return false
}
