package syntax

import "github.com/lockpick-dev/lockpick/postgres/internal/pgerror"

// tableExpr reads an element of FROM with its joins.
func (p *parser) tableExpr() TableExpr {
	defer p.enter()()
	return p.joins(p.tablePrimary())
}

// joins goes on with the joins of a table.
func (p *parser) joins(left TableExpr) TableExpr {
	for {
		j := &Join{Pos: p.pos(), Left: left}
		j.Natural = p.accept("natural")
		cross := !j.Natural && p.accept("cross")
		switch {
		case cross, p.accept("inner"), p.is("join"):
		case p.accept("left"):
			j.Kind = LeftJoin
		case p.accept("right"):
			j.Kind = RightJoin
		case p.accept("full"):
			j.Kind = FullJoin
		default:
			if j.Natural {
				p.fail()
			}
			return left
		}
		if j.Kind != InnerJoin {
			p.accept("outer")
		}
		p.expect("join")
		if cross || j.Natural {
			j.Right = p.tablePrimary()
		} else {
			j.Right = p.joinedUntilCondition()
			p.joinCondition(j)
		}
		left = j
	}
}

// joinedUntilCondition reads the right side of a join: joins in it come before its condition.
func (p *parser) joinedUntilCondition() TableExpr {
	right := p.tablePrimary()
	if p.isOne("on", "using") {
		return right
	}
	defer p.enter()()
	return p.joins(right)
}

func (p *parser) joinCondition(j *Join) {
	if p.accept("using") {
		j.Using = p.columns()
		if p.is("as") {
			p.lacks("aliases of USING")
		}
		return
	}
	p.expect("on")
	j.On = p.expr()
}

// tablePrimary reads a table, a function, a query or joins in parentheses.
func (p *parser) tablePrimary() TableExpr {
	pos := p.pos()
	lateral := p.accept("lateral")
	if p.is("rows", "from") || p.is("xmltable", "(") {
		p.lacks("ROWS FROM and XMLTABLE")
	}
	if p.is("(") {
		return p.parenthesized(lateral)
	}
	if p.isOne("only") || !lateral && p.isTable() {
		t := p.table()
		t.Alias = p.alias(false)
		if p.is("tablesample") {
			p.lacks("TABLESAMPLE")
		}
		return t
	}
	call, ok := p.primary().(*Call)
	if !ok {
		p.next = p.indexAt(pos)
		p.fail()
	}
	f := &FunctionTable{Pos: pos, Lateral: lateral, Call: call}
	f.Ordinality = p.accept("with", "ordinality")
	p.functionAlias(f)
	return f
}

// indexAt returns the index of the token at a position.
func (p *parser) indexAt(pos int) int {
	i := p.next
	for i > 0 && p.tokens[i].pos > pos {
		i--
	}
	return i
}

// isTable reports whether what is next is a name that no parenthesis follows.
func (p *parser) isTable() bool {
	n := 1
	for p.ahead(n).is(".") {
		n += 2
	}
	return isColumnName(p.tok()) && !p.ahead(n).is("(")
}

// table reads the name of a table, with ONLY or a star or not.
func (p *parser) table() *Table {
	t := &Table{Only: p.accept("only")}
	if t.Only && p.accept("(") {
		t.Name = p.qualified()
		p.expect(")")
		return t
	}
	t.Name = p.qualified()
	if !t.Only {
		p.accept("*")
	}
	return t
}

// alias reads the alias of a table, or nothing. In UPDATE, the word SET is none.
func (p *parser) alias(update bool) Alias {
	a := Alias{Pos: p.pos()}
	if !p.accept("as") && (!isColumnName(p.tok()) || update && p.is("set")) {
		return Alias{}
	}
	a.Name = p.name()
	if p.is("(") && !update {
		a.Columns = p.columns()
	}
	return a
}

// functionAlias reads the alias of a function, which may define the columns.
func (p *parser) functionAlias(f *FunctionTable) {
	f.Alias = Alias{Pos: p.pos()}
	as := p.accept("as")
	if as && p.is("(") {
		f.Defs = p.columnDefs()
		return
	}
	if !as && !isColumnName(p.tok()) {
		f.Alias = Alias{}
		return
	}
	f.Alias.Name = p.name()
	if !p.is("(") {
		return
	}
	if next := p.ahead(2); next.is(",") || next.is(")") {
		f.Alias.Columns = p.columns()
		return
	}
	f.Defs = p.columnDefs()
}

// columnDefs reads (name type, ...).
func (p *parser) columnDefs() []ColumnDef {
	p.expect("(")
	defs := list(p, func() ColumnDef { return ColumnDef{Pos: p.pos(), Name: p.name(), Type: p.typeName()} })
	p.expect(")")
	return defs
}

// parenthesized reads what is in parentheses in FROM: a query or joins.
func (p *parser) parenthesized(lateral bool) TableExpr {
	pos := p.pos()
	query, joined := p.queryOrJoins()
	if query != nil {
		return p.subqueryTable(pos, lateral, query)
	}
	if p.accept("as") || isColumnName(p.tok()) {
		p.lacks("aliases of joins")
	}
	return joined
}

// queryOrJoins reads a parenthesis and what is in it, which is a query or joins.
func (p *parser) queryOrJoins() (*Select, TableExpr) {
	defer p.enter()()
	pos := p.pos()
	p.expect("(")
	if p.isOne("select", "values", "with", "table") {
		query := p.selectStatement()
		p.expect(")")
		return query, nil
	}
	var first TableExpr
	if p.is("(") {
		query, joined := p.queryOrJoins()
		switch {
		case query == nil:
			first = joined
		case p.is(")") || p.isOne("union", "except", "intersect", "order", "limit", "offset", "fetch", "for"):
			query = p.options(p.setOperation(query, 0))
			p.expect(")")
			return query, nil
		default:
			first = p.subqueryTable(pos+1, false, query)
		}
	} else {
		first = p.tablePrimary()
	}
	joined := p.joins(first)
	if joined == first {
		if _, isJoin := first.(*Join); !isJoin {
			p.fail()
		}
	}
	p.expect(")")
	return nil, joined
}

func (p *parser) subqueryTable(pos int, lateral bool, query *Select) TableExpr {
	t := &SubqueryTable{Pos: pos, Lateral: lateral, Query: query, Alias: p.alias(false)}
	if t.Alias.Name != "" {
		return t
	}
	what, example := "subquery", "SELECT"
	if query.Values != nil {
		what, example = "VALUES", "VALUES"
	}
	panic(failure{pgerror.New(pgerror.SyntaxError, "%s in FROM must have an alias", what).At(pos).
		WithHint("For example, FROM (%s ...) [AS] foo.", example)})
}
