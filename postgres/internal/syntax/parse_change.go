package syntax

import "github.com/lockpick-dev/lockpick/postgres/internal/pgerror"

func (p *parser) insert() *Insert {
	s := &Insert{Pos: p.pos()}
	p.expect("insert", "into")
	s.Table = &Table{Name: p.qualified()}
	if p.accept("as") {
		s.Table.Alias = Alias{Pos: p.ahead(-1).pos, Name: p.name()}
	}
	if p.is("(") && !p.beginsQuery() {
		p.expect("(")
		s.Columns = list(p, p.target)
		p.expect(")")
	}
	if p.accept("overriding") {
		s.Overriding = map[string]string{"system": "SYSTEM", "user": "USER"}[p.oneOf("system", "user")]
		p.expect("value")
	}
	if !p.accept("default", "values") {
		s.Source = p.selectStatement()
	}
	if p.is("on") {
		s.OnConflict = p.onConflict()
	}
	s.Returning = p.returning()
	return s
}

// beginsQuery reports whether what is next is a query in parentheses rather than a list of columns.
func (p *parser) beginsQuery() bool {
	n := 1
	for p.ahead(n).is("(") {
		n++
	}
	next := p.ahead(n)
	return n > 1 || next.is("select") || next.is("with") || next.is("values") && p.ahead(n+1).is("(")
}

// target reads a column of INSERT or SET.
func (p *parser) target() Target {
	t := Target{Pos: p.pos(), Name: p.name()}
	if p.isOne(".", "[") {
		p.lacks("assignments to parts of a column")
	}
	return t
}

func (p *parser) onConflict() *OnConflict {
	c := &OnConflict{Pos: p.pos()}
	p.expect("on", "conflict")
	switch {
	case p.accept("on", "constraint"):
		c.Constraint = p.name()
	case p.is("("):
		c.Elems = p.indexElems()
		c.Where = p.where()
	}
	p.expect("do")
	if p.accept("nothing") {
		c.DoNothing = true
		return c
	}
	p.expect("update", "set")
	if c.Elems == nil && c.Constraint == "" {
		panic(failure{pgerror.New(pgerror.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			At(c.Pos).WithHint("For example, ON CONFLICT (column_name).")})
	}
	c.Set = list(p, p.assignment)
	c.UpdateWhere = p.where()
	return c
}

func (p *parser) assignment() Assignment {
	a := Assignment{Pos: p.pos()}
	if p.accept("(") {
		a.Multi = true
		a.Targets = list(p, p.target)
		p.expect(")")
	} else {
		a.Targets = []Target{p.target()}
	}
	p.expect("=")
	a.Value = p.expr()
	return a
}

// returning reads RETURNING, or nothing.
func (p *parser) returning() []Item {
	if !p.accept("returning") {
		return nil
	}
	return p.items()
}

func (p *parser) update() *Update {
	s := &Update{Pos: p.pos()}
	p.expect("update")
	s.Table = p.table()
	s.Table.Alias = p.alias(true)
	p.expect("set")
	s.Set = list(p, p.assignment)
	if p.accept("from") {
		s.From = list(p, p.tableExpr)
	}
	s.Where = p.where()
	s.Returning = p.returning()
	return s
}

func (p *parser) delete() *Delete {
	s := &Delete{Pos: p.pos()}
	p.expect("delete", "from")
	s.Table = p.table()
	s.Table.Alias = p.alias(true)
	if p.accept("using") {
		s.Using = list(p, p.tableExpr)
	}
	s.Where = p.where()
	s.Returning = p.returning()
	return s
}
