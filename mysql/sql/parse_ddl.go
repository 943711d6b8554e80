package sql

import "strings"

// creation reads CREATE TABLE.
func (p *Parser) creation() Statement {
	p.Want("table")
	s := &CreateTable{ifNotExists: p.Word("if", "not", "exists")}
	s.plan = &Plan{Name: p.TableName()}
	p.WantSymbol("(")
	for p.err == nil {
		p.definition(s.plan)
		if !p.Symbol(",") {
			break
		}
	}
	p.WantSymbol(")")
	if p.grammar.TableOptions != nil {
		p.grammar.TableOptions(p, s.plan)
	}
	return s
}

// definition reads that of a column or of a key.
func (p *Parser) definition(t *Plan) {
	if p.Word("constraint") && !p.IsWord("primary") && !p.IsWord("unique") {
		p.Name()
	}
	switch {
	case p.Word("primary", "key"):
		t.Primary(p.KeyColumns()...)
	case p.grammar.Definition != nil && p.grammar.Definition(p, t):
	case p.Word("unique"):
		t.Key("", true, p.KeyColumns()...)
	default:
		p.columnDefinition(t)
	}
}

// KeyColumns reads the columns of a key. Their order and a length of a prefix are not simulated.
func (p *Parser) KeyColumns() (list []string) {
	p.WantSymbol("(")
	for p.err == nil {
		list = append(list, p.Name())
		p.Word("asc")
		if !p.Symbol(",") {
			break
		}
	}
	p.WantSymbol(")")
	return list
}

func (p *Parser) columnDefinition(t *Plan) {
	c := &Column{Name: p.Name()}
	c.Type = p.columnType()
	for p.err == nil && p.columnOption(t, c) {
	}
	t.Columns = append(t.Columns, c)
}

// columnOption reads an option of a column, if one comes next.
func (p *Parser) columnOption(t *Plan, c *Column) bool {
	switch {
	case p.grammar.ColumnOption != nil && p.grammar.ColumnOption(p, t, c):
	case p.Word("not", "null"):
		c.NotNull = true
	case p.Word("null"):
	case p.Word("primary", "key"):
		t.Primary(c.Name)
	case p.Word("unique"):
		t.Key("", true, c.Name)
	case p.Word("default"):
		c.Fallback = p.fallback()
	default:
		return false
	}
	return true
}

func (p *Parser) columnType() ColumnType {
	t := p.Next()
	of, known := p.grammar.Types[strings.ToLower(t.Text)]
	if t.Kind != WordToken || !known {
		p.Refuse(t)
	}
	if of.NeedsLength && !p.isSymbol("(") {
		p.Unexpected()
	}
	if p.Symbol("(") {
		n := p.Number()
		p.WantSymbol(")")
		switch of.Base {
		case Integer:
			of.Width = n
		case Text:
			of.Length = n
		case Moment:
			if of.Decimals = n; n > 6 {
				p.Refuse(t)
			}
		}
	}
	return of
}

// fallback reads a DEFAULT, in which a number may have a sign.
func (p *Parser) fallback() Expr {
	e := p.Factor()
	minus, is := e.(*prefixed)
	if !is {
		return e
	}
	if l, is := minus.x.(*Literal); is && minus.op == "-" && l.Value.Kind != Text {
		if v, err := negative(l.Value); err == nil {
			return &Literal{v}
		}
	}
	return e
}

// altering reads ALTER TABLE.
func (p *Parser) altering() Statement {
	p.Want("table")
	s := &AlterTable{&Plan{Name: p.TableName()}}
	for p.err == nil {
		p.Want("add")
		p.Word("column")
		p.definition(s.plan)
		if !p.Symbol(",") {
			break
		}
	}
	return s
}

// dropping reads DROP TABLE.
func (p *Parser) dropping() Statement {
	p.Want("table")
	s := &DropTable{ifExists: p.Word("if", "exists")}
	for p.err == nil {
		s.names = append(s.names, p.TableName())
		if !p.Symbol(",") {
			break
		}
	}
	return s
}

// truncation reads TRUNCATE TABLE.
func (p *Parser) truncation() Statement {
	p.Word("table")
	return &TruncateTable{p.TableName()}
}
