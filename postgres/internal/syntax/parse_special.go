package syntax

import "slices"

// specialForm reads a constant, an operator or a function that a reserved or a special word begins. It returns nil if
// the word is a name here.
func (p *parser) specialForm(t token) Expr {
	pos := Pos(t.pos)
	switch t.text {
	case "null":
		p.advance()
		return &Const{Pos: pos, Kind: Null}
	case "true", "false":
		p.advance()
		return &Const{Pos: pos, Kind: Bool, Text: t.text}
	case "default":
		p.advance()
		return &Default{pos}
	case "case":
		return p.caseExpr()
	case "array":
		return p.array()
	case "current_timestamp", "localtimestamp", "current_time", "localtime":
		return p.valueFunction(true)
	case "current_date", "current_user", "current_role", "session_user", "user", "current_catalog":
		return p.valueFunction(false)
	case "current_schema":
		if !p.ahead(1).is("(") {
			return p.valueFunction(false)
		}
	}
	if form := specialForms[t.text]; form != nil && p.ahead(1).is("(") {
		p.next += 2
		e := form(p, pos)
		p.expect(")")
		return e
	}
	return nil
}

// specialForms are functions with a syntax of their own in their parentheses.
var specialForms map[string]func(*parser, Pos) Expr

func init() {
	specialForms = map[string]func(*parser, Pos) Expr{
		"exists": func(p *parser, pos Pos) Expr { return &Exists{pos, p.selectStatement()} },
		"row": func(p *parser, pos Pos) Expr {
			if p.is(")") {
				return &RowExpr{Pos: pos, Explicit: true}
			}
			return &RowExpr{Pos: pos, Items: p.exprs(), Explicit: true}
		},
		"cast": func(p *parser, pos Pos) Expr {
			arg := p.expr()
			p.expect("as")
			return &Cast{pos, arg, p.typeName()}
		},
		"coalesce": func(p *parser, pos Pos) Expr { return &Coalesce{pos, p.exprs()} },
		"greatest": func(p *parser, pos Pos) Expr { return &MinMax{pos, true, p.exprs()} },
		"least":    func(p *parser, pos Pos) Expr { return &MinMax{pos, false, p.exprs()} },
		"nullif": func(p *parser, pos Pos) Expr {
			left := p.expr()
			p.expect(",")
			return &NullIf{pos, left, p.expr()}
		},
		"extract":   (*parser).extract,
		"position":  (*parser).positionOf,
		"substring": (*parser).substring,
		"overlay":   (*parser).overlay,
		"trim":      (*parser).trim,
	}
	for _, w := range []string{"grouping", "normalize", "treat", "xmlconcat", "xmlelement", "xmlexists", "xmlforest", "xmlparse", "xmlpi", "xmlroot", "xmlserialize"} {
		specialForms[w] = func(p *parser, _ Pos) Expr { p.lacks("%s()", w); return nil }
	}
}

// valueFunction reads CURRENT_TIMESTAMP and the like, with a precision or not.
func (p *parser) valueFunction(precision bool) Expr {
	f := &ValueFunction{Pos: Pos(p.pos()), Name: p.advance().text, Precision: -1}
	if precision && p.accept("(") {
		f.Precision = int(p.smallInt())
		p.expect(")")
	}
	return f
}

func (p *parser) caseExpr() Expr {
	defer p.enter()()
	c := &Case{Pos: Pos(p.pos())}
	p.expect("case")
	if !p.is("when") {
		c.Arg = p.expr()
	}
	for p.accept("when") {
		w := When{Pos: Pos(p.ahead(-1).pos), Cond: p.expr()}
		p.expect("then")
		w.Result = p.expr()
		c.Whens = append(c.Whens, w)
	}
	if c.Whens == nil {
		p.fail()
	}
	if p.accept("else") {
		c.Else = p.expr()
	}
	p.expect("end")
	return c
}

// array reads ARRAY[...] or ARRAY(query).
func (p *parser) array() Expr {
	pos := Pos(p.pos())
	p.expect("array")
	if p.is("[") {
		return p.arrayItems(pos)
	}
	items := p.parens()
	s, ok := items[0].(*Subquery)
	if !ok || len(items) > 1 {
		p.next--
		p.fail()
	}
	return &ArrayQuery{pos, s.Query}
}

// arrayItems reads [...], which may have more of them in it.
func (p *parser) arrayItems(pos Pos) Expr {
	defer p.enter()()
	a := &ArrayExpr{Pos: pos}
	p.expect("[")
	if !p.is("]") {
		a.Items = list(p, func() Expr {
			if p.is("[") {
				return p.arrayItems(Pos(p.pos()))
			}
			return p.expr()
		})
	}
	p.expect("]")
	return a
}

// builtin makes a call of one of PostgreSQL's own functions.
func builtin(pos Pos, name string, args ...Expr) Expr {
	return &Call{Pos: pos, Schema: "pg_catalog", Name: name, Args: args}
}

func (p *parser) extract(pos Pos) Expr {
	t := p.tok()
	if t.kind != word && t.kind != quoted && t.kind != str {
		p.fail()
	}
	p.advance()
	p.expect("from")
	return builtin(pos, "extract", &Const{Pos: Pos(t.pos), Kind: String, Text: t.text}, p.expr())
}

func (p *parser) positionOf(pos Pos) Expr {
	part := p.restricted()
	p.expect("in")
	return builtin(pos, "position", p.restricted(), part)
}

func (p *parser) substring(pos Pos) Expr {
	if p.is(")") {
		return &Call{Pos: pos, Name: "substring"}
	}
	args := []Expr{p.expr()}
	switch {
	case p.accept("from"):
		args = append(args, p.expr())
		if p.accept("for") {
			args = append(args, p.expr())
		}
	case p.accept("for"):
		length := p.expr()
		args = append(args, &Const{Pos: pos, Kind: Integer, Text: "1"}, length)
		if p.accept("from") {
			args[1] = p.expr()
		}
	case p.is("similar"):
		p.lacks("SUBSTRING ... SIMILAR")
	default:
		for p.accept(",") {
			args = append(args, p.expr())
		}
		return &Call{Pos: pos, Name: "substring", Args: args}
	}
	return builtin(pos, "substring", args...)
}

func (p *parser) overlay(pos Pos) Expr {
	args := []Expr{p.expr()}
	if p.accept("placing") {
		args = append(args, p.expr())
		p.expect("from")
		args = append(args, p.expr())
		if p.accept("for") {
			args = append(args, p.expr())
		}
		return builtin(pos, "overlay", args...)
	}
	for p.accept(",") {
		args = append(args, p.expr())
	}
	return &Call{Pos: pos, Name: "overlay", Args: args}
}

func (p *parser) trim(pos Pos) Expr {
	name := "btrim"
	switch {
	case p.accept("leading"):
		name = "ltrim"
	case p.accept("trailing"):
		name = "rtrim"
	default:
		p.accept("both")
	}
	var first []Expr
	if !p.is("from") {
		first = []Expr{p.expr()}
	}
	if p.accept("from") {
		return builtin(pos, name, slices.Concat(p.exprs(), first)...)
	}
	for p.accept(",") {
		first = append(first, p.expr())
	}
	return builtin(pos, name, first...)
}
