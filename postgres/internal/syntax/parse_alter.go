package syntax

import "strings"

func (p *parser) alter() Statement {
	p.expect("alter")
	first := strings.ToUpper(p.tok().text)
	switch {
	case p.accept("table"), p.accept("index"), p.accept("view"):
		return p.alterTable(first)
	case p.accept("sequence"):
		return p.alterSequence()
	case p.accept("type"):
		return p.alterType()
	}
	if p.tok().kind != word {
		p.fail()
	}
	p.lacks("ALTER %s", first)
	return nil
}

func (p *parser) alterTable(object string) Statement {
	s := &AlterTable{Object: object, IfExists: p.ifExists()}
	if object == "TABLE" && p.is("all") {
		p.lacks("ALTER TABLE ALL")
	}
	t := p.table()
	s.Table, s.Only = t.Name, t.Only
	s.Actions = list(p, p.alterAction)
	return s
}

// alterAction reads an action of ALTER TABLE.
func (p *parser) alterAction() AlterAction {
	a := AlterAction{Pos: p.pos()}
	switch {
	case p.accept("add"):
		p.alterAdd(&a)
	case p.accept("drop"):
		p.alterDrop(&a)
	case p.accept("alter"):
		p.accept("column")
		a.Name = p.name()
		p.alterColumn(&a)
	case p.accept("rename"):
		p.alterRename(&a)
	case p.accept("validate", "constraint"):
		a.Kind, a.Name = ValidateConstraint, p.name()
	case p.accept("owner", "to"):
		p.label()
	case p.accept("set", "schema"):
		a.Kind, a.NewName = SetSchema, p.name()
	case p.is("set", "("), p.accept("reset"):
		p.accept("set")
		p.skipParens()
	case p.accept("set", "logged"), p.accept("set", "unlogged"), p.accept("set", "without", "oids"):
	case p.accept("replica", "identity"):
		if p.accept("using", "index") {
			p.name()
		} else {
			p.label()
		}
	case p.isOne("attach", "detach", "inherit", "no", "enable", "disable", "cluster", "set", "force", "of", "not"):
		p.lacks("ALTER TABLE ... %s", strings.ToUpper(p.tok().text))
	default:
		p.fail()
	}
	return a
}

func (p *parser) alterAdd(a *AlterAction) {
	if p.isOne("constraint", "check", "unique", "primary", "foreign", "exclude") {
		c := p.tableConstraint()
		a.Kind, a.Constraint = AddConstraint, &c
		return
	}
	p.accept("column")
	a.Kind, a.IfNotExists = AddColumn, p.ifNotExists()
	c := p.columnDef()
	a.Column, a.Name = &c, c.Name
}

func (p *parser) alterDrop(a *AlterAction) {
	a.Kind = DropColumn
	if p.accept("constraint") {
		a.Kind = DropConstraint
	} else {
		p.accept("column")
	}
	a.IfExists = p.ifExists()
	a.Name = p.name()
	a.Cascade = p.cascade()
}

func (p *parser) alterColumn(a *AlterAction) {
	switch {
	case p.accept("type"), p.accept("set", "data", "type"):
		a.Kind, a.Type = AlterType, p.typeName()
		if p.accept("collate") {
			p.qualified()
		}
		if p.accept("using") {
			a.Using = p.expr()
		}
	case p.accept("set", "default"):
		a.Kind, a.Expr = SetDefault, p.expr()
	case p.accept("drop", "default"):
		a.Kind = DropDefault
	case p.accept("set", "not", "null"):
		a.Kind = SetNotNull
	case p.accept("drop", "not", "null"):
		a.Kind = DropNotNull
	case p.accept("add"):
		c := Constraint{Pos: p.pos()}
		p.expect("generated")
		p.generated(&c)
		a.Kind, a.Constraint = AddIdentity, &c
	case p.accept("drop", "identity"):
		a.Kind, a.IfExists = DropIdentity, p.ifExists()
	case p.accept("set", "statistics"), p.accept("set", "storage"), p.accept("set", "compression"):
		p.accept("-")
		p.advance()
	case p.is("set"), p.is("drop"), p.is("restart"), p.is("reset"):
		p.lacks("ALTER COLUMN ... %s", strings.ToUpper(p.ahead(1).text))
	default:
		p.fail()
	}
}

func (p *parser) alterRename(a *AlterAction) {
	switch {
	case p.accept("to"):
		a.Kind, a.NewName = RenameTable, p.name()
		return
	case p.accept("constraint"):
		a.Kind = RenameConstraint
	default:
		p.accept("column")
		a.Kind = RenameColumn
	}
	a.Name = p.name()
	p.expect("to")
	a.NewName = p.name()
}

// skipParens skips what is in parentheses.
func (p *parser) skipParens() {
	p.expect("(")
	for depth := 1; depth > 0; {
		switch t := p.advance(); {
		case t.ends():
			p.fail()
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
	}
}

func (p *parser) alterSequence() Statement {
	ifExists := p.ifExists()
	name := p.qualified()
	if p.is("rename") || p.is("owner", "to") || p.is("set", "schema") {
		return &AlterTable{Object: "SEQUENCE", Table: name, IfExists: ifExists, Actions: []AlterAction{p.alterAction()}}
	}
	s := &AlterSequence{Name: name, IfExists: ifExists}
	from := p.next
	p.sequenceOptions(&s.Options)
	if p.next == from {
		p.fail()
	}
	return s
}

func (p *parser) alterType() Statement {
	s := &AlterEnum{Name: p.qualified()}
	switch {
	case p.accept("add", "value"):
		s.IfNotExists = p.ifNotExists()
		s.Label = p.stringLiteral()
		if p.isOne("before", "after") {
			s.After = p.advance().text == "after"
			s.Neighbor = p.stringLiteral()
		}
	case p.accept("rename", "value"):
		s.Old = p.stringLiteral()
		p.expect("to")
		s.Label = p.stringLiteral()
	case p.tok().kind == word:
		p.lacks("ALTER TYPE ... %s", strings.ToUpper(p.tok().text))
	default:
		p.fail()
	}
	return s
}

func (p *parser) drop() Statement {
	p.expect("drop")
	object := strings.ToUpper(p.tok().text)
	if !p.isOne("table", "index", "sequence", "schema", "type", "view", "extension", "function", "trigger") {
		if p.tok().kind != word {
			p.fail()
		}
		p.lacks("DROP %s", object)
	}
	p.advance()
	s := &Drop{Object: object}
	s.Concurrently = object == "INDEX" && p.accept("concurrently")
	s.IfExists = p.ifExists()
	s.Names = list(p, func() Name {
		if object == "TYPE" || object == "FUNCTION" {
			n := p.functionName()
			if object == "FUNCTION" && p.is("(") {
				p.skipParens()
			}
			return n
		}
		return p.qualified()
	})
	if object == "TRIGGER" {
		p.expect("on")
		s.On = p.qualified()
	}
	s.Cascade = p.cascade()
	return s
}

func (p *parser) truncate() Statement {
	p.expect("truncate")
	p.accept("table")
	s := &Truncate{Tables: list(p, func() Name { return p.table().Name })}
	if p.accept("restart", "identity") {
		s.RestartIdentity = true
	} else {
		p.accept("continue", "identity")
	}
	s.Cascade = p.cascade()
	return s
}

// comment reads COMMENT ON, which changes nothing here, as far as the words that say on what.
func (p *parser) comment() Statement {
	p.expect("comment", "on")
	s := &Comment{Object: strings.ToUpper(p.label())}
	for !p.is("is") {
		if p.tok().ends() || p.is(";") {
			p.fail()
		}
		p.advance()
	}
	p.expect("is")
	if !p.accept("null") {
		p.stringLiteral()
	}
	return s
}

// grant reads GRANT or REVOKE, which changes nothing here, without looking at its words.
func (p *parser) grant() Statement {
	s := &Grant{Revoke: p.advance().text == "revoke"}
	preposition := map[bool]string{false: "to", true: "from"}[s.Revoke]
	for found := false; !p.tok().ends() && !p.is(";"); {
		found = found || p.is(preposition)
		if p.advance(); (p.tok().ends() || p.is(";")) && !found {
			p.fail()
		}
	}
	return s
}

func (p *parser) do() Statement {
	s := &Do{Pos: p.pos(), Language: "plpgsql"}
	p.expect("do")
	found := false
	for {
		switch {
		case p.accept("language"):
			s.Language = strings.ToLower(p.advance().text)
		case p.tok().kind == str:
			s.Body, found = p.advance().text, true
		case !found:
			p.fail()
		default:
			return s
		}
	}
}
