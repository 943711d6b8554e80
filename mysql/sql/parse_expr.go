package sql

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Exprs takes expressions with commas between them.
func (p *Parser) Exprs() (list []Expr) {
	for p.err == nil {
		list = append(list, p.Expr())
		if !p.Symbol(",") {
			break
		}
	}
	return list
}

// Expr takes an expression: a disjunction.
func (p *Parser) Expr() Expr {
	if p.within == 0 {
		p.operators = 0
	}
	p.within++
	defer func() { p.within-- }()
	left := p.conjunction()
	for {
		switch {
		case p.operator("or"):
			left = p.binary("or", left, p.conjunction())
		case p.operator("xor"):
			left = p.binary("xor", left, p.conjunction())
		default:
			return left
		}
	}
}

// binary returns an operation with two operands.
func (p *Parser) binary(op string, a, b Expr) Expr {
	p.count()
	return &operation{op, a, b}
}

func (p *Parser) conjunction() Expr {
	left := p.negation()
	for p.operator("and") {
		left = p.binary("and", left, p.negation())
	}
	return left
}

func (p *Parser) negation() Expr {
	if p.operator("not") {
		p.count()
		return &prefixed{"not", p.negation()}
	}
	return p.comparison()
}

// comparisons are the operators that compare.
var comparisons = []string{"=", "<=>", "<>", "<", "<=", ">", ">="}

func (p *Parser) comparison() Expr {
	left := p.sum()
	for p.err == nil {
		t := p.Peek()
		switch {
		case slices.Contains(comparisons, t.op):
			p.at++
			left = p.binary(t.op, left, p.sum())
		case p.Word("is"):
			not := p.Word("not")
			p.Want("null")
			p.count()
			left = &isNull{left, not}
		case p.Word("in"):
			p.count()
			left = &inList{left, p.list(), false}
		case p.Word("not", "in"):
			p.count()
			left = &inList{left, p.list(), true}
		case p.Word("like"):
			left = p.binary("like", left, p.sum())
		case p.Word("not", "like"):
			left = &prefixed{"not", p.binary("like", left, p.sum())}
		case p.Word("between"):
			left = p.bounds(left)
		case p.Word("not", "between"):
			left = &prefixed{"not", p.bounds(left)}
		default:
			return left
		}
	}
	return left
}

// bounds takes those of BETWEEN.
func (p *Parser) bounds(x Expr) Expr {
	p.count()
	low := p.sum()
	p.Want("and")
	return &between{x, low, p.sum()}
}

// list takes expressions in parentheses.
func (p *Parser) list() []Expr {
	p.WantSymbol("(")
	list := p.Exprs()
	p.WantSymbol(")")
	return list
}

func (p *Parser) sum() Expr {
	left := p.product()
	for p.err == nil {
		op := ""
		switch {
		case p.Symbol("+"):
			op = "+"
		case p.Symbol("-"):
			op = "-"
		default:
			return left
		}
		if p.IsWord("interval") {
			left = p.Shift(op, left)
		} else {
			left = p.binary(op, left, p.product())
		}
	}
	return left
}

func (p *Parser) product() Expr {
	left := p.Factor()
	for {
		switch {
		case p.Symbol("*"):
			left = p.binary("*", left, p.Factor())
		case p.Symbol("/"):
			left = p.binary("/", left, p.Factor())
		case p.operator("%"):
			left = p.binary("%", left, p.Factor())
		case p.operator("div"):
			left = p.binary("div", left, p.Factor())
		default:
			return left
		}
	}
}

// Factor takes an operand.
func (p *Parser) Factor() Expr {
	switch t := p.Next(); t.Kind {
	case NumberToken:
		return p.numeral(t)
	case TextToken:
		return &Literal{TextValue(t.Text)}
	case VariableToken:
		if p.grammar.Variable != nil {
			return p.grammar.Variable(p, t)
		}
		p.Refuse(t)
	case QuotedToken:
		return p.column(t.Text)
	case WordToken:
		return p.wordFactor(t)
	case SymbolToken:
		switch t.Text {
		case "-":
			p.count()
			return &prefixed{"-", p.Factor()}
		case "+":
			p.count()
			return p.Factor()
		case "?":
			p.params++
			return &param{p.params - 1}
		case "(":
			p.count()
			if p.IsWord("select") {
				return p.subquery(false)
			}
			x := p.Expr()
			p.WantSymbol(")")
			return x
		}
		p.Refuse(t)
	default:
		p.Refuse(t)
	}
	return &Literal{}
}

func (p *Parser) numeral(t Token) Expr {
	if n, err := strconv.ParseInt(t.Text, 10, 64); err == nil {
		return &Literal{IntValue(n)}
	}
	f, err := strconv.ParseFloat(t.Text, 64)
	if err != nil {
		p.Refuse(t)
	}
	return &Literal{Value{Kind: Float, Float: f}}
}

func (p *Parser) wordFactor(t Token) Expr {
	word := strings.ToLower(t.Text)
	switch {
	case word == "null":
		return &Literal{}
	case word == "true" || word == "false":
		return &Literal{BoolValue(word == "true")}
	case word == "timestamp" && p.Peek().Kind == TextToken:
		return &Literal{ParseMoment(p.Next().Text)}
	case p.Symbol("("):
		return p.call(t, word)
	case p.grammar.Bare[word] != "":
		return p.Call(t, p.grammar.Bare[word], nil)
	}
	p.at--
	return p.column(p.Name())
}

func (p *Parser) column(name string) Expr {
	if p.Symbol(".") {
		return &ColumnRef{Table: name, Name: p.Name()}
	}
	return &ColumnRef{Name: name}
}

// call takes the arguments of a function.
func (p *Parser) call(t Token, name string) Expr {
	p.count()
	if other, found := p.grammar.Synonyms[name]; found {
		name = other
	}
	if p.Symbol("*") {
		p.WantSymbol(")")
		if name != "count" {
			p.Refuse(t)
		}
		return &aggregate{name: "count"}
	}
	if p.Symbol(")") {
		return p.Call(t, name, nil)
	}
	if name == "exists" {
		return p.subquery(true)
	}
	if read := p.grammar.Calls[name]; read != nil {
		x := read(p, t)
		p.WantSymbol(")")
		return x
	}
	args := p.Exprs()
	p.WantSymbol(")")
	return p.Call(t, name, args)
}

// subquery takes a query and the parenthesis behind it. For EXISTS one row of it is enough.
func (p *Parser) subquery(exists bool) Expr {
	p.Want("select")
	e := &subquery{p.selected(), exists}
	if q := e.query; exists && q.limit == nil && !q.aggregates() {
		q.order, q.limit = nil, &limit{count: &Literal{IntValue(1)}}
	}
	p.WantSymbol(")")
	return e
}

// Call is a call of a function, by its name in lower case; t is its name as it is written.
func (p *Parser) Call(t Token, name string, args []Expr) Expr {
	if slices.Contains(aggregates, name) && len(args) == 1 {
		return &aggregate{name, args[0]}
	}
	f := p.grammar.Functions[name]
	if f == nil {
		p.Refuse(t)
		return &Literal{}
	}
	if least, most := f.Arguments(); len(args) < least || len(args) > most {
		p.fail(Fail(ArgumentCount, t.Text))
	}
	return &call{name, f, args}
}

// Shift takes an interval that is added to a moment, or taken from it if op is "-".
func (p *Parser) Shift(op string, x Expr) Expr {
	p.count()
	p.Want("interval")
	n := p.Expr()
	return &shift{x, n, p.Unit(), op == "-"}
}

// Unit takes the unit of an interval.
func (p *Parser) Unit() time.Duration {
	t := p.Next()
	unit := units[strings.ToLower(t.Text)]
	if unit == 0 {
		p.Refuse(t)
	}
	return unit
}

// units are those of intervals.
var units = map[string]time.Duration{
	"microsecond": time.Microsecond, "second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour,
	"week": 7 * 24 * time.Hour,
}
