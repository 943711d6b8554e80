package syntax

import (
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// primary reads a constant, a parameter, a name, a call or what is in parentheses.
func (p *parser) primary() Expr {
	t := p.tok()
	pos := Pos(t.pos)
	switch t.kind {
	case integer, number:
		p.advance()
		return numberConst(pos, t.text)
	case str:
		p.advance()
		return &Const{Pos: pos, Kind: String, Text: t.text}
	case bits:
		p.advance()
		return &Cast{Pos: pos, Arg: &Const{Pos: pos, Kind: String, Text: t.text}, Type: TypeName{Name: Name{Pos: t.pos, Schema: "pg_catalog", Name: "bit"}}}
	case param:
		p.advance()
		n, err := strconv.ParseInt(t.text, 10, 32)
		if err != nil || n > maxParam {
			panic(failure{pgerror.New(pgerror.UndefinedParameter, "there is no parameter $%s", t.text).At(t.pos)})
		}
		return p.indirection(&Param{Pos: pos, N: int(n)})
	case quoted:
		return p.nameOrCall()
	case word:
		return p.wordPrimary(t)
	}
	if p.is("(") {
		return p.parenthesizedExpr()
	}
	p.fail()
	return nil
}

// maxParam is the largest number of a parameter that the protocol can bind.
const maxParam = 65535

// numberConst makes a constant of digits with a sign or not: an Integer if it fits int8.
func numberConst(pos Pos, text string) *Const {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return &Const{Pos: pos, Kind: Integer, Text: text}
	}
	return &Const{Pos: pos, Kind: Number, Text: text}
}

// parens reads what is in parentheses: one or more expressions, or a query as a Subquery.
func (p *parser) parens() []Expr {
	defer p.enter()()
	pos := Pos(p.pos())
	p.expect("(")
	if p.isOne("select", "values", "with", "table") {
		s := &Subquery{Pos: pos, Query: p.selectStatement()}
		p.expect(")")
		return []Expr{s}
	}
	items := []Expr{p.expr()}
	if s, ok := items[0].(*Subquery); ok && p.isOne("union", "except", "intersect", "order", "limit", "offset", "fetch", "for") {
		s.Query = p.options(p.setOperation(s.Query, 0))
	}
	for p.accept(",") {
		items = append(items, p.expr())
	}
	p.expect(")")
	return items
}

// parenthesizedExpr reads an expression, a row or a query in parentheses.
func (p *parser) parenthesizedExpr() Expr {
	pos := Pos(p.pos())
	items := p.parens()
	if len(items) > 1 {
		return &RowExpr{Pos: pos, Items: items}
	}
	return p.indirection(items[0])
}

// indirection reads subscripts and fields of an expression.
func (p *parser) indirection(e Expr) Expr {
	for {
		switch pos := Pos(p.pos()); {
		case p.is("["):
			e = p.subscript(e)
		case p.accept(".", "*"):
			return &Field{Pos: pos, Arg: e, Star: true}
		case p.accept("."):
			e = &Field{Pos: pos, Arg: e, Name: p.label()}
		default:
			return e
		}
	}
}

func (p *parser) subscript(arg Expr) Expr {
	s := &Subscript{Pos: Pos(p.pos()), Arg: arg}
	p.expect("[")
	if !p.is(":") {
		s.Index = p.expr()
	}
	if p.accept(":") {
		s.Slice, s.Low, s.Index = true, s.Index, nil
		if !p.is("]") {
			s.High = p.expr()
		}
	}
	p.expect("]")
	return s
}

// wordPrimary reads an operand that begins with a word.
func (p *parser) wordPrimary(t token) Expr {
	if e := p.specialForm(t); e != nil {
		return e
	}
	if p.isTypedConst() {
		typ := p.typeName()
		c := &Const{Pos: Pos(p.pos()), Kind: String, Text: p.stringLiteral()}
		if typ.Name.Name == "interval" {
			p.refuseFields()
		}
		return &Cast{Pos: c.Pos, Arg: c, Type: typ}
	}
	return p.nameOrCall()
}

// isTypedConst reports whether what is next is a constant with its type before it, as timestamp '2020-01-01'.
func (p *parser) isTypedConst() bool {
	t, next := p.tok(), p.ahead(1)
	switch t.text {
	case "int", "integer", "smallint", "bigint", "real", "boolean":
		return next.kind == str
	case "float", "decimal", "dec", "numeric", "bit", "character", "char", "varchar", "national", "nchar", "interval":
		return next.kind == str || next.is("varying") || next.is("(")
	case "timestamp", "time":
		return next.kind == str || next.is("with") || next.is("without") || next.is("(")
	case "double":
		return next.is("precision")
	}
	return next.kind == str && isFunctionName(t)
}

// nameOrCall reads the name of a column, or a call.
func (p *parser) nameOrCall() Expr {
	pos := Pos(p.pos())
	t := p.tok()
	if !isColumnName(t) && !(isFunctionName(t) && p.calls()) {
		if isFunctionName(t) {
			p.advance()
		}
		p.fail()
	}
	c := &ColumnRef{Pos: pos, Parts: []string{p.advance().text}}
	for p.is(".") {
		p.advance()
		if p.accept("*") {
			c.Star = true
			return c
		}
		c.Parts = append(c.Parts, p.label())
	}
	if p.is("(") {
		if len(c.Parts) == 1 && !isFunctionName(t) {
			p.fail()
		}
		return p.call(pos, c.Parts)
	}
	return p.indirection(c)
}

// calls reports whether parentheses follow the name that is next.
func (p *parser) calls() bool {
	n := 1
	for p.ahead(n).is(".") {
		n += 2
	}
	return p.ahead(n).is("(")
}

// call reads the arguments of a call and what may follow them.
func (p *parser) call(pos Pos, name []string) Expr {
	c := &Call{Pos: pos, Name: name[len(name)-1]}
	switch {
	case len(name) == 2:
		c.Schema = name[0]
	case len(name) > 2:
		p.lacks("names with a database")
	}
	p.expect("(")
	p.arguments(c)
	p.expect(")")
	if p.is("within", "group") {
		p.lacks("WITHIN GROUP")
	}
	if p.accept("filter", "(") {
		p.expect("where")
		c.Filter = p.expr()
		p.expect(")")
	}
	if p.is("over") {
		c.Over = p.window()
	}
	return c
}

func (p *parser) arguments(c *Call) {
	if p.accept("*") {
		c.Star = true
		return
	}
	if p.is(")") {
		return
	}
	if c.Distinct = p.accept("distinct"); !c.Distinct {
		p.accept("all")
	}
	for {
		if p.accept("variadic") {
			c.Variadic = true
		}
		p.argument(c)
		if c.Variadic || !p.accept(",") {
			break
		}
	}
	c.OrderBy = p.orderBy()
}

// argument reads an argument, which may have a name.
func (p *parser) argument(c *Call) {
	name, pos := "", p.pos()
	if next := p.ahead(1); next.is("=>") || next.is(":=") {
		if t := p.tok(); !isFunctionName(t) {
			p.fail()
		}
		name = p.advance().text
		p.advance()
	}
	if name != "" && slices.Contains(c.ArgNames, name) {
		p.refuse(pos, "argument name \"%s\" used more than once", name)
	}
	if name != "" && c.ArgNames == nil {
		c.ArgNames = make([]string, len(c.Args), len(c.Args)+1)
	}
	if name == "" && c.ArgNames != nil {
		p.refuse(p.pos(), "positional argument cannot follow named argument")
	}
	c.Args = append(c.Args, p.expr())
	if name != "" {
		c.ArgNames = append(c.ArgNames, name)
	}
}

// window reads OVER (...).
func (p *parser) window() *Window {
	w := &Window{Pos: p.pos()}
	p.expect("over")
	if !p.is("(") {
		p.lacks("OVER with a name")
	}
	p.expect("(")
	if p.accept("partition", "by") {
		w.Partition = p.exprs()
	}
	w.OrderBy = p.orderBy()
	if p.isOne("rows", "range", "groups") {
		p.lacks("frames of window functions")
	}
	p.expect(")")
	return w
}
