package syntax

import "strings"

// level is how strongly an operator binds, weakest first, as in PostgreSQL's grammar.
type level int

const (
	levelOr level = iota + 1
	levelAnd
	levelNot
	levelIs
	levelComparison
	levelIn // BETWEEN, IN, LIKE, ILIKE, SIMILAR
	levelEscape
	levelOperator // any other operator
	levelAdd
	levelMultiply
	levelPower
	levelAt
	levelCollate
	levelSign
	levelCast
)

// expr reads an expression.
func (p *parser) expr() Expr { return p.infix(levelOr, false) }

// restricted reads an expression without AND, OR, NOT, IN, LIKE, BETWEEN and IS, as the lower bound of BETWEEN and a
// column's default are.
func (p *parser) restricted() Expr { return p.infix(levelComparison, true) }

// exprs reads expressions separated by commas.
func (p *parser) exprs() []Expr { return list(p, p.expr) }

// infix reads an expression of operators that bind at least as strongly as least.
func (p *parser) infix(least level, restricted bool) Expr {
	defer p.enter()()
	left := p.prefix(restricted)
	var open level // the level of the last operator, if it does not associate and its right operand is open
	for {
		l := p.infixLevel(restricted)
		if l == 0 || l < least {
			return left
		}
		if l == open {
			p.fail()
		}
		left, open = p.infixOperator(left, l, restricted)
	}
}

// infixLevel returns the level of the operator that is next, or 0 if none is.
func (p *parser) infixLevel(restricted bool) level {
	t := p.tok()
	switch t.kind {
	case operator:
		return levelOperator
	case symbol:
		return symbolLevels[t.text]
	case word:
		if restricted {
			if p.is("is", "distinct") || p.is("is", "not", "distinct") {
				return levelIs + 1
			}
			if p.is("operator", "(") {
				return levelOperator
			}
			return 0
		}
		return p.wordLevel(t)
	}
	return 0
}

var symbolLevels = map[string]level{
	"<": levelComparison, ">": levelComparison, "=": levelComparison, "<=": levelComparison, ">=": levelComparison, "<>": levelComparison,
	"+": levelAdd, "-": levelAdd, "*": levelMultiply, "/": levelMultiply, "%": levelMultiply, "^": levelPower, "::": levelCast,
}

func (p *parser) wordLevel(t token) level {
	switch t.text {
	case "or":
		return levelOr
	case "and":
		return levelAnd
	case "is", "isnull", "notnull":
		return levelIs
	case "between", "in", "like", "ilike":
		return levelIn
	case "not":
		if next := p.ahead(1); next.is("between") || next.is("in") || next.is("like") || next.is("ilike") || next.is("similar") {
			return levelIn
		}
	case "similar":
		if p.ahead(1).is("to") {
			return levelIn
		}
	case "at":
		if p.is("at", "time", "zone") {
			return levelAt
		}
	case "collate":
		return levelCollate
	case "overlaps":
		return levelOperator
	case "operator":
		if p.ahead(1).is("(") {
			return levelOperator
		}
	}
	return 0
}

// infixOperator reads an operator and its right operand. It also returns the operator's level if it does not associate.
func (p *parser) infixOperator(left Expr, l level, restricted bool) (Expr, level) {
	pos := Pos(p.pos())
	switch {
	case l == levelOr, l == levelAnd:
		p.advance()
		return logic(pos, l == levelOr, left, p.infix(l+1, false)), 0
	case p.isOne("is", "isnull", "notnull"):
		return p.isTest(left, restricted)
	case l == levelIn:
		return p.inOrLike(left)
	case l == levelAt:
		p.expect("at", "time", "zone")
		zone := p.infix(levelAt+1, false)
		return &Call{Pos: pos, Schema: "pg_catalog", Name: "timezone", Args: []Expr{zone, left}}, 0
	case l == levelCollate:
		p.advance()
		return &Collate{Pos: pos, Arg: left, Collation: p.qualified()}, 0
	case l == levelCast:
		p.advance()
		return &Cast{Pos: pos, Arg: left, Type: p.typeName()}, 0
	case p.is("overlaps"):
		p.lacks("OVERLAPS")
	}
	name := p.operatorName()
	if q := p.quantified(pos, left, name); q != nil {
		return q, 0
	}
	op := &Op{Pos: pos, Name: name, Left: left, Right: p.infix(l+1, restricted)}
	if l == levelComparison {
		return op, l
	}
	return op, 0
}

// logic makes AND or OR of two, and one of three if the left one is of the same kind.
func logic(pos Pos, or bool, left, right Expr) Expr {
	if l, ok := left.(*Logic); ok && l.Or == or {
		l.Args = append(l.Args, right)
		return l
	}
	return &Logic{Pos: pos, Or: or, Args: []Expr{left, right}}
}

// operatorName reads an operator, which may be written OPERATOR(schema.op).
func (p *parser) operatorName() string {
	if !p.accept("operator", "(") {
		return p.advance().text
	}
	for p.tok().kind == word || p.tok().kind == quoted {
		p.advance()
		p.expect(".")
	}
	if t := p.tok(); t.kind != operator && symbolLevels[t.text] == 0 {
		p.fail()
	}
	name := p.advance().text
	p.expect(")")
	return name
}

// quantified reads ANY (...), SOME (...) or ALL (...) after an operator; it returns nil if none of them is next.
func (p *parser) quantified(pos Pos, left Expr, op string) Expr {
	if !p.isOne("any", "some", "all") {
		return nil
	}
	q := &Quantified{Pos: pos, Left: left, Op: op, All: p.advance().text == "all"}
	array, query := p.arrayOrQuery()
	q.Array, q.Query = array, query
	return q
}

func (p *parser) arrayOrQuery() (Expr, *Select) {
	items := p.parens()
	if len(items) > 1 {
		p.next--
		p.fail()
	}
	if s, ok := items[0].(*Subquery); ok {
		return nil, s.Query
	}
	return items[0], nil
}

// isTest reads IS ... after its operand.
func (p *parser) isTest(left Expr, restricted bool) (Expr, level) {
	pos := Pos(p.pos())
	switch p.advance().text {
	case "isnull":
		return &Is{Pos: pos, Arg: left, Test: "NULL"}, 0
	case "notnull":
		return &Is{Pos: pos, Arg: left, Test: "NULL", Not: true}, 0
	}
	not := p.accept("not")
	if p.accept("distinct", "from") {
		return &IsDistinct{Pos: pos, Left: left, Right: p.infix(levelIs+1, restricted), Not: not}, levelIs
	}
	if p.isOne("document", "normalized", "nfc", "nfd", "nfkc", "nfkd", "of") {
		p.lacks("IS %s", strings.ToUpper(p.tok().text))
	}
	test := p.oneOf("null", "true", "false", "unknown")
	return &Is{Pos: pos, Arg: left, Test: strings.ToUpper(test), Not: not}, 0
}

// inOrLike reads [NOT] IN, LIKE, ILIKE or BETWEEN after its operand.
func (p *parser) inOrLike(left Expr) (Expr, level) {
	pos := Pos(p.pos())
	not := p.accept("not")
	switch p.tok().text {
	case "in":
		p.advance()
		in := &In{Pos: pos, Arg: left, Not: not, List: p.parens()}
		if s, ok := in.List[0].(*Subquery); ok && len(in.List) == 1 {
			in.List, in.Query = nil, s.Query
		}
		return in, 0
	case "between":
		p.advance()
		b := &Between{Pos: pos, Arg: left, Not: not, Symmetric: p.accept("symmetric")}
		if !b.Symmetric {
			p.accept("asymmetric")
		}
		b.Low = p.restricted()
		p.expect("and")
		b.High = p.infix(levelIn+1, false)
		return b, levelIn
	case "similar":
		p.lacks("SIMILAR TO")
	}
	name := map[string]string{"like": "~~", "ilike": "~~*"}[p.advance().text]
	if not {
		name = "!" + name
	}
	if q := p.quantified(pos, left, name); q != nil {
		return q, 0
	}
	pattern := p.infix(levelIn+1, false)
	if p.accept("escape") {
		pattern = &Call{Pos: pos, Schema: "pg_catalog", Name: "like_escape", Args: []Expr{pattern, p.infix(levelEscape+1, false)}}
	}
	return &Op{Pos: pos, Name: name, Left: left, Right: pattern}, levelIn
}

// prefix reads an operand with the operators before it.
func (p *parser) prefix(restricted bool) Expr {
	pos := Pos(p.pos())
	t := p.tok()
	switch {
	case t.is("not") && !restricted:
		p.advance()
		return &Not{Pos: pos, Arg: p.infix(levelNot, false)}
	case t.is("-"):
		p.advance()
		return negate(pos, p.infix(levelSign, restricted))
	case t.is("+"):
		p.advance()
		return &Op{Pos: pos, Name: "+", Right: p.infix(levelSign, restricted)}
	case t.kind == operator, p.is("operator", "("):
		name := p.operatorName()
		return &Op{Pos: pos, Name: name, Right: p.infix(levelOperator+1, restricted)}
	}
	return p.primary()
}

// negate puts a minus sign before an operand: into it, if it is a number.
func negate(pos Pos, arg Expr) Expr {
	c, ok := arg.(*Const)
	if !ok || c.Kind != Integer && c.Kind != Number {
		return &Op{Pos: pos, Name: "-", Right: arg}
	}
	if text, negative := strings.CutPrefix(c.Text, "-"); negative {
		return numberConst(pos, text)
	}
	return numberConst(pos, "-"+c.Text)
}
