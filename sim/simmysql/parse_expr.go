package simmysql

import (
	"slices"
	"strconv"
	"strings"
)

// exprs takes expressions with commas between them.
func (p *parser) exprs() (list []expr) {
	for p.err == nil {
		list = append(list, p.expr())
		if !p.symbol(",") {
			break
		}
	}
	return list
}

// expr takes an expression: a disjunction.
func (p *parser) expr() expr {
	if p.within == 0 {
		p.operators = 0
	}
	p.within++
	defer func() { p.within-- }()
	left := p.conjunction()
	for {
		switch {
		case p.word("or"), p.symbol("||"):
			left = p.binary("or", left, p.conjunction())
		case p.word("xor"):
			left = p.binary("xor", left, p.conjunction())
		default:
			return left
		}
	}
}

// binary is an operation with two operands.
func (p *parser) binary(op string, a, b expr) expr {
	p.operator()
	return &operation{op, a, b}
}

func (p *parser) conjunction() expr {
	left := p.negation()
	for p.word("and") || p.symbol("&&") {
		left = p.binary("and", left, p.negation())
	}
	return left
}

func (p *parser) negation() expr {
	if p.word("not") || p.symbol("!") {
		p.operator()
		return &prefixed{"not", p.negation()}
	}
	return p.comparison()
}

// comparisons are the operators that compare; the value is how they are called here.
var comparisons = map[string]string{"=": "=", "<=>": "<=>", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

func (p *parser) comparison() expr {
	left := p.sum()
	for p.err == nil {
		t := p.peek()
		op, compares := comparisons[t.text]
		switch {
		case t.kind == symbolToken && compares:
			p.at++
			left = p.binary(op, left, p.sum())
		case p.word("is"):
			not := p.word("not")
			p.want("null")
			p.operator()
			left = &isNull{left, not}
		case p.word("in"):
			p.operator()
			left = &inList{left, p.list(), false}
		case p.word("not", "in"):
			p.operator()
			left = &inList{left, p.list(), true}
		case p.word("between"):
			left = p.bounds(left)
		case p.word("not", "between"):
			left = &prefixed{"not", p.bounds(left)}
		default:
			return left
		}
	}
	return left
}

// bounds takes those of BETWEEN.
func (p *parser) bounds(x expr) expr {
	p.operator()
	low := p.sum()
	p.want("and")
	return &between{x, low, p.sum()}
}

// list takes expressions in parentheses.
func (p *parser) list() []expr {
	p.wantSymbol("(")
	list := p.exprs()
	p.wantSymbol(")")
	return list
}

func (p *parser) sum() expr {
	left := p.product()
	for p.err == nil {
		op := ""
		switch {
		case p.symbol("+"):
			op = "+"
		case p.symbol("-"):
			op = "-"
		default:
			return left
		}
		if p.isWord("interval") {
			left = p.shifted(op, left)
		} else {
			left = p.binary(op, left, p.product())
		}
	}
	return left
}

func (p *parser) product() expr {
	left := p.factor()
	for {
		switch {
		case p.symbol("*"):
			left = p.binary("*", left, p.factor())
		case p.symbol("/"):
			left = p.binary("/", left, p.factor())
		case p.symbol("%"), p.word("mod"):
			left = p.binary("%", left, p.factor())
		case p.word("div"):
			left = p.binary("div", left, p.factor())
		default:
			return left
		}
	}
}

// factor takes an operand.
func (p *parser) factor() expr {
	switch t := p.next(); t.kind {
	case numberToken:
		return p.numeral(t)
	case textToken:
		return &literal{textValue(t.text)}
	case variableToken:
		return p.variable(t)
	case quotedToken:
		return p.column(t.text)
	case wordToken:
		return p.wordFactor(t)
	case symbolToken:
		switch t.text {
		case "-":
			p.operator()
			return &prefixed{"-", p.factor()}
		case "+":
			p.operator()
			return p.factor()
		case "?":
			p.params++
			return &param{p.params - 1}
		case "(":
			p.operator()
			x := p.expr()
			p.wantSymbol(")")
			return x
		}
		p.refuse(t)
	default:
		p.refuse(t)
	}
	return &literal{}
}

func (p *parser) numeral(t token) expr {
	if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
		return &literal{intValue(n)}
	}
	f, err := strconv.ParseFloat(t.text, 64)
	if err != nil {
		p.refuse(t)
	}
	return &literal{value{kind: float, f: f}}
}

func (p *parser) wordFactor(t token) expr {
	word := strings.ToLower(t.text)
	switch {
	case word == "null":
		return &literal{}
	case word == "true" || word == "false":
		return &literal{boolValue(word == "true")}
	case word == "binary": // compares to the byte, which is not simulated
		p.refuse(t)
		return &literal{}
	case word == "timestamp" && p.peek().kind == textToken:
		return &literal{parseMoment(p.next().text)}
	case p.symbol("("):
		return p.call(t, word)
	case word == "current_timestamp" || word == "localtimestamp" || word == "localtime":
		return &call{name: "now"}
	}
	p.at--
	return p.column(p.name())
}

func (p *parser) column(name string) expr {
	if p.symbol(".") {
		return &columnRef{table: name, name: p.name()}
	}
	return &columnRef{name: name}
}

// call takes the arguments of a function.
func (p *parser) call(t token, name string) expr {
	p.operator()
	if other, found := synonyms[name]; found {
		name = other
	}
	if p.symbol("*") {
		p.wantSymbol(")")
		if name != "count" {
			p.refuse(t)
		}
		return &aggregate{name: "count"}
	}
	var args []expr
	switch {
	case p.symbol(")"):
		return p.function(t, name, nil)
	case name == "date_add" || name == "date_sub":
		x := p.expr()
		p.wantSymbol(",")
		op := map[string]string{"date_add": "+", "date_sub": "-"}[name]
		args = []expr{p.shifted(op, x)}
		p.wantSymbol(")")
		return args[0]
	case name == "values":
		x := p.name()
		p.wantSymbol(")")
		return &columnRef{name: x, fresh: true}
	case name == "timestampdiff":
		unit := p.peek()
		name := strings.ToLower(p.name())
		if units[name] == 0 {
			p.refuse(unit)
		}
		args = append(args, &literal{textValue(name)})
		p.wantSymbol(",")
	}
	args = append(args, p.exprs()...)
	p.wantSymbol(")")
	return p.function(t, name, args)
}

// synonyms are other names of functions.
var synonyms = map[string]string{
	"current_timestamp": "now", "localtimestamp": "now", "localtime": "now", "utc_timestamp": "now",
	"schema": "database", "adddate": "date_add", "subdate": "date_sub", "lcase": "lower", "ucase": "upper",
}

func (p *parser) function(t token, name string, args []expr) expr {
	if slices.Contains(aggregates, name) && len(args) == 1 {
		return &aggregate{name, args[0]}
	}
	f, known := functions[name]
	switch {
	case !known:
		p.refuse(t)
	case len(args) < f.least || len(args) > f.most:
		if p.err == nil {
			p.err = fail(1582, "42000", "Incorrect parameter count in the call to native function '%s'", t.text)
		}
	}
	return &call{name: name, args: args}
}

// shifted takes an interval that is added to a moment, or taken from it.
func (p *parser) shifted(op string, x expr) expr {
	p.operator()
	p.want("interval")
	n := p.expr()
	t := p.next()
	unit := units[strings.ToLower(t.text)]
	if unit == 0 {
		p.refuse(t)
	}
	return &shift{x, n, unit, op == "-"}
}

// variable takes a variable of the session or of the server.
func (p *parser) variable(t token) *variable {
	name, isSystem := strings.CutPrefix(strings.ToLower(t.text), "@@")
	if !isSystem {
		p.refuse(t)
	}
	v := &variable{name: name}
	for _, scope := range []string{"session.", "global.", "local."} {
		if rest, found := strings.CutPrefix(name, scope); found {
			v.name, v.global = rest, scope == "global."
		}
	}
	return v
}
