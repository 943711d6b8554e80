package syntax

import "strings"

// createTable reads CREATE TABLE after these words.
func (p *parser) createTable(temporary, unlogged bool) Statement {
	s := &CreateTable{Temporary: temporary, Unlogged: unlogged}
	s.IfNotExists = p.ifNotExists()
	s.Table = p.qualified()
	switch {
	case p.is("partition", "of"), p.is("of"):
		p.lacks("CREATE TABLE ... OF")
	case p.isAs():
		if p.is("(") {
			s.ColumnNames = p.columns()
		}
		p.createAs(s)
		return s
	}
	p.expect("(")
	if !p.is(")") {
		list(p, func() bool { p.tableElement(s); return true })
	}
	p.expect(")")
	p.tableOptions()
	return s
}

// isAs reports whether CREATE TABLE goes on as CREATE TABLE ... [(columns)] AS: a column has no type then.
func (p *parser) isAs() bool {
	next := p.ahead(2)
	return p.is("as") || p.is("(") && isColumnName(p.ahead(1)) && (next.is(",") || next.is(")"))
}

func (p *parser) createAs(s *CreateTable) {
	p.tableOptions()
	p.expect("as")
	if p.is("execute") {
		p.lacks("CREATE TABLE AS EXECUTE")
	}
	s.Query = p.selectStatement()
	if p.accept("with", "no", "data") {
		s.NoData = true
	} else {
		p.accept("with", "data")
	}
}

// tableOptions reads storage parameters, which change nothing here, and refuses the rest.
func (p *parser) tableOptions() {
	switch {
	case p.is("inherits"):
		p.lacks("INHERITS")
	case p.is("partition"):
		p.lacks("partitioned tables")
	}
	if p.is("using") && p.ahead(1).kind == word {
		p.next += 2
	}
	p.storage()
	if p.is("on", "commit") {
		p.lacks("ON COMMIT")
	}
	if p.accept("tablespace") {
		p.name()
	}
}

// storage skips WITH (parameter = value, ...).
func (p *parser) storage() {
	if p.accept("without", "oids") || !p.accept("with") {
		return
	}
	p.expect("(")
	list(p, func() bool {
		p.label()
		for p.accept(".") {
			p.label()
		}
		if p.accept("=") {
			p.advance()
		}
		return true
	})
	p.expect(")")
}

// tableElement reads a column, a constraint or LIKE.
func (p *parser) tableElement(s *CreateTable) {
	switch {
	case p.accept("like"):
		s.Like = append(s.Like, p.qualified())
		for p.isOne("including", "excluding") {
			p.advance()
			p.label()
		}
	case p.isOne("constraint", "check", "unique", "primary", "foreign", "exclude") && !p.isColumnCalled():
		s.Constraints = append(s.Constraints, p.tableConstraint())
	default:
		s.Columns = append(s.Columns, p.columnDef())
	}
}

// isColumnCalled reports whether a word that may begin a constraint is a column's name, as only EXCLUDE may be.
func (p *parser) isColumnCalled() bool {
	return p.is("exclude") && !p.ahead(1).is("using") && !p.ahead(1).is("(")
}

func (p *parser) columnDef() ColumnDef {
	c := ColumnDef{Pos: p.pos(), Name: p.name(), Type: p.typeName()}
	for {
		if p.accept("collate") {
			name := p.qualified()
			c.Collation = &name
			continue
		}
		constraint, ok := p.columnConstraint()
		if !ok {
			return c
		}
		if constraint.Kind != 0 {
			c.Constraints = append(c.Constraints, constraint)
			continue
		}
		if len(c.Constraints) == 0 {
			p.refuse(constraint.Pos, "misplaced %s clause", strings.ToUpper(p.text[p.tok().from:p.tok().to]))
		}
		from := p.next
		if p.deferrability(&c.Constraints[len(c.Constraints)-1]); p.next == from {
			p.fail()
		}
	}
}

// columnConstraint reads a constraint of a column. One without a kind says when the constraint before it is checked.
func (p *parser) columnConstraint() (c Constraint, ok bool) {
	c.Pos = p.pos()
	if p.accept("constraint") {
		c.Name = p.name()
	}
	switch {
	case p.accept("not", "null"):
		c.Kind = ConstraintNotNull
	case p.accept("null"):
		c.Kind = ConstraintNull
	case p.accept("default"):
		c.Kind, c.Expr = ConstraintDefault, p.restricted()
	case p.accept("check"):
		p.check(&c)
	case p.accept("unique"):
		c.Kind = ConstraintUnique
		p.indexConstraint(&c)
	case p.accept("primary", "key"):
		c.Kind = ConstraintPrimaryKey
		p.indexConstraint(&c)
	case p.is("references"):
		c.Kind = ConstraintForeignKey
		p.references(&c)
	case p.accept("generated"):
		p.generated(&c)
	case c.Name == "" && (p.isOne("deferrable", "initially") || p.is("not", "deferrable")):
	case c.Name != "":
		p.fail()
	default:
		return c, false
	}
	return c, true
}

func (p *parser) check(c *Constraint) {
	c.Kind = ConstraintCheck
	p.expect("(")
	c.Expr = p.expr()
	p.expect(")")
	p.accept("no", "inherit")
}

// generated reads GENERATED ... AS IDENTITY or AS (expression) STORED.
func (p *parser) generated(c *Constraint) {
	if c.Always = p.accept("always"); !c.Always {
		p.expect("by", "default")
	}
	p.expect("as")
	if p.accept("identity") {
		c.Kind = ConstraintIdentity
		if p.accept("(") {
			p.sequenceOptions(&c.Sequence)
			p.expect(")")
		}
		return
	}
	c.Kind = ConstraintGenerated
	p.expect("(")
	c.Expr = p.expr()
	p.expect(")", "stored")
}

// indexConstraint reads what may follow UNIQUE or PRIMARY KEY and their columns.
func (p *parser) indexConstraint(c *Constraint) {
	if p.accept("include") {
		c.Include = p.columns()
	}
	p.storage()
	if p.accept("using", "index", "tablespace") {
		p.name()
	}
}

func (p *parser) references(c *Constraint) {
	p.expect("references")
	c.References = p.qualified()
	if p.is("(") {
		c.RefColumns = p.columns()
	}
	if p.accept("match") {
		c.Match = strings.ToUpper(p.oneOf("full", "partial", "simple"))
	}
	for p.accept("on") {
		if p.oneOf("delete", "update") == "delete" {
			c.OnDelete = p.referentialAction()
		} else {
			c.OnUpdate = p.referentialAction()
		}
	}
}

func (p *parser) referentialAction() string {
	for _, action := range []string{"NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT"} {
		if p.accept(strings.Fields(strings.ToLower(action))...) {
			if strings.HasPrefix(action, "SET") && p.is("(") {
				p.lacks("%s with columns", action)
			}
			return action
		}
	}
	p.fail()
	return ""
}

// tableConstraint reads a constraint of a table.
func (p *parser) tableConstraint() Constraint {
	c := Constraint{Pos: p.pos()}
	if p.accept("constraint") {
		c.Name = p.name()
	}
	switch {
	case p.accept("check"):
		p.check(&c)
	case p.accept("unique"):
		c.Kind = ConstraintUnique
		if p.accept("nulls", "not", "distinct") {
			c.NullsNotDistinct = true
		}
		p.keyConstraint(&c)
	case p.accept("primary", "key"):
		c.Kind = ConstraintPrimaryKey
		p.keyConstraint(&c)
	case p.accept("foreign", "key"):
		c.Kind = ConstraintForeignKey
		c.Columns = p.columns()
		p.references(&c)
	case p.is("exclude"):
		p.lacks("EXCLUDE constraints")
	default:
		p.fail()
	}
	p.deferrability(&c)
	if p.accept("not", "valid") {
		c.NotValid = true
	}
	p.deferrability(&c)
	return c
}

func (p *parser) keyConstraint(c *Constraint) {
	if p.accept("using", "index") {
		c.UsingIndex = p.name()
		return
	}
	c.Columns = p.columns()
	p.indexConstraint(c)
}

// deferrability reads the words for when a constraint is checked, if any.
func (p *parser) deferrability(c *Constraint) {
	for {
		switch {
		case p.accept("deferrable"):
			c.Deferrable = true
		case p.accept("not", "deferrable"):
			c.Deferrable = false
		case p.accept("initially", "deferred"):
			c.Deferrable, c.InitiallyDeferred = true, true
		case p.accept("initially", "immediate"):
		default:
			return
		}
	}
}

// sequenceOptions reads the options of a sequence.
func (p *parser) sequenceOptions(o *SequenceOptions) {
	bound := func() *int64 { n := p.bigInt(); return &n }
	yes, no := true, false
	for {
		switch {
		case p.accept("as"):
			t := p.typeName()
			o.Type = &t
		case p.accept("start"):
			p.accept("with")
			o.Start = bound()
		case p.accept("increment"):
			p.accept("by")
			o.Increment = bound()
		case p.accept("minvalue"):
			o.MinValue = bound()
		case p.accept("maxvalue"):
			o.MaxValue = bound()
		case p.accept("no", "minvalue"):
			o.NoMin = true
		case p.accept("no", "maxvalue"):
			o.NoMax = true
		case p.accept("cache"):
			o.Cache = bound()
		case p.accept("cycle"):
			o.Cycle = &yes
		case p.accept("no", "cycle"):
			o.Cycle = &no
		case p.accept("owned", "by"):
			o.OwnedBy = []string{p.label()}
			for p.accept(".") {
				o.OwnedBy = append(o.OwnedBy, p.label())
			}
		case p.accept("restart"):
			o.RestartGiven = true
			if p.accept("with") || p.isOne("-", "+") || p.tok().kind == integer || p.tok().kind == number {
				o.Restart = bound()
			}
		default:
			return
		}
	}
}
