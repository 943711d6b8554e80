package syntax

// selectStatement reads a query: WITH, SELECT or VALUES or a set operation, ORDER BY and so on.
func (p *parser) selectStatement() *Select {
	defer p.enter()()
	pos := p.pos()
	with := p.with()
	s := p.selectBody()
	if with != nil {
		p.attach(s, with, pos)
	}
	return s
}

// selectBody reads a query without WITH.
func (p *parser) selectBody() *Select {
	return p.options(p.setOperation(p.selectOperand(), 0))
}

// setOperation goes on from the left operand of UNION and the like, as long as the operator binds at least as strongly.
func (p *parser) setOperation(left *Select, least int) *Select {
	strength := map[string]int{"union": 1, "except": 1, "intersect": 2}
	for {
		t := p.tok()
		if t.kind != word || strength[t.text] == 0 || strength[t.text] < least {
			return left
		}
		p.advance()
		s := &Select{Pos: t.pos, Op: map[string]SetOp{"union": SetUnion, "except": SetExcept, "intersect": SetIntersect}[t.text]}
		if s.All = p.accept("all"); !s.All {
			p.accept("distinct")
		}
		s.Left = left
		s.Right = p.setOperation(p.selectOperand(), strength[t.text]+1)
		left = s
	}
}

// selectOperand reads SELECT, VALUES or a query in parentheses.
func (p *parser) selectOperand() *Select {
	defer p.enter()()
	switch {
	case p.accept("("):
		s := p.selectStatement()
		p.expect(")")
		return s
	case p.is("values"):
		return p.values()
	case p.is("table"):
		pos := p.advance().pos
		t := p.table()
		star := Item{Pos: pos, Expr: &ColumnRef{Pos: Pos(pos), Star: true}}
		return &Select{Pos: pos, Items: []Item{star}, From: []TableExpr{t}}
	}
	return p.simpleSelect()
}

func (p *parser) values() *Select {
	s := &Select{Pos: p.pos()}
	p.expect("values")
	s.Values = list(p, func() []Expr {
		p.expect("(")
		row := p.exprs()
		p.expect(")")
		return row
	})
	return s
}

func (p *parser) simpleSelect() *Select {
	s := &Select{Pos: p.pos()}
	p.expect("select")
	if p.accept("distinct") {
		s.Distinct = true
		if p.accept("on") {
			p.expect("(")
			s.DistinctOn = p.exprs()
			p.expect(")")
		}
	} else {
		p.accept("all")
	}
	if !p.selectEnds() {
		s.Items = p.items()
	}
	if p.is("into") {
		p.lacks("SELECT INTO")
	}
	if p.accept("from") {
		s.From = list(p, p.tableExpr)
	}
	s.Where = p.where()
	if p.accept("group", "by") {
		s.Group = p.groups()
	}
	if p.accept("having") {
		s.Having = p.expr()
	}
	if p.is("window") {
		p.lacks("the WINDOW clause")
	}
	return s
}

// selectEnds reports whether the list of a SELECT is empty.
func (p *parser) selectEnds() bool {
	return p.tok().kind == end || p.isOne("from", "where", ")", ";", "union", "order", "limit", "group", "having", "into")
}

func (p *parser) groups() []Expr {
	p.accept("all")
	return list(p, func() Expr {
		if p.is("(", ")") || p.is("rollup", "(") || p.is("cube", "(") || p.is("grouping", "sets") {
			p.lacks("grouping sets")
		}
		return p.expr()
	})
}

// where reads a WHERE clause, or nothing.
func (p *parser) where() Expr {
	if !p.accept("where") {
		return nil
	}
	if p.is("current", "of") {
		p.lacks("WHERE CURRENT OF")
	}
	return p.expr()
}

// items reads a SELECT list.
func (p *parser) items() []Item { return list(p, p.item) }

func (p *parser) item() Item {
	i := Item{Pos: p.pos()}
	if p.is("*") {
		i.Expr = &ColumnRef{Pos: Pos(p.advance().pos), Star: true}
		return i
	}
	i.Expr = p.expr()
	if p.accept("as") {
		i.Alias = p.label()
	} else if t := p.tok(); t.kind == quoted || t.kind == word && !labelWords[t.text] {
		i.Alias = p.advance().text
	}
	return i
}

// orderBy reads ORDER BY, or nothing.
func (p *parser) orderBy() []Order {
	if !p.accept("order", "by") {
		return nil
	}
	return list(p, func() Order {
		o := Order{Pos: p.pos(), Expr: p.expr()}
		if p.is("using") {
			p.lacks("ORDER BY ... USING")
		}
		o.Desc, o.NullsFirst = p.direction()
		return o
	})
}

// direction reads ASC or DESC and NULLS FIRST or LAST.
func (p *parser) direction() (desc, nullsFirst bool) {
	if desc = p.accept("desc"); !desc {
		p.accept("asc")
	}
	switch {
	case p.accept("nulls", "first"):
		return desc, true
	case p.accept("nulls", "last"):
		return desc, false
	}
	return desc, desc
}

// options reads ORDER BY, LIMIT, OFFSET, FETCH and FOR UPDATE after a query.
func (p *parser) options(s *Select) *Select {
	if pos := p.pos(); p.is("order") {
		order := p.orderBy()
		if s.OrderBy != nil {
			p.refuse(pos, "multiple ORDER BY clauses not allowed")
		}
		s.OrderBy = order
	}
	for {
		switch pos := p.pos(); {
		case p.accept("limit"):
			p.limit(s, pos)
		case p.accept("offset"):
			if s.Offset != nil {
				p.refuse(pos, "multiple OFFSET clauses not allowed")
			}
			s.Offset = p.expr()
			if !p.accept("rows") {
				p.accept("row")
			}
		case p.accept("fetch"):
			p.fetchFirst(s, pos)
		case p.is("for"):
			s.Locking = append(s.Locking, p.locking()...)
		default:
			return s
		}
	}
}

func (p *parser) limit(s *Select, pos int) {
	if s.Limit != nil {
		p.refuse(pos, "multiple LIMIT clauses not allowed")
	}
	if p.accept("all") {
		return
	}
	s.Limit = p.expr()
	if p.is(",") {
		p.refuse(pos, "LIMIT #,# syntax is not supported")
	}
}

func (p *parser) fetchFirst(s *Select, pos int) {
	if s.Limit != nil {
		p.refuse(pos, "multiple LIMIT clauses not allowed")
	}
	p.oneOf("first", "next")
	s.Limit = &Const{Pos: Pos(p.pos()), Kind: Integer, Text: "1"}
	if !p.isOne("row", "rows") {
		s.Limit = p.primary()
	}
	p.oneOf("row", "rows")
	if p.accept("with", "ties") {
		s.WithTies = true
	} else {
		p.expect("only")
	}
}

// locking reads clauses as FOR UPDATE; FOR READ ONLY is none.
func (p *parser) locking() []Locking {
	l := Locking{Pos: p.pos()}
	p.expect("for")
	switch {
	case p.accept("read", "only"):
		return nil
	case p.accept("update"):
		l.Strength = ForUpdate
	case p.accept("no", "key", "update"):
		l.Strength = ForNoKeyUpdate
	case p.accept("share"):
		l.Strength = ForShare
	case p.accept("key", "share"):
		l.Strength = ForKeyShare
	default:
		p.fail()
	}
	if p.accept("of") {
		l.Of = p.qualifiedList()
	}
	l.Wait = p.lockWait()
	return []Locking{l}
}

func (p *parser) lockWait() LockWait {
	switch {
	case p.accept("nowait"):
		return LockNowait
	case p.accept("skip", "locked"):
		return LockSkip
	}
	return LockBlock
}
