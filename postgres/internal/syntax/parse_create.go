package syntax

import "strings"

func (p *parser) create() Statement {
	p.expect("create")
	replace := p.accept("or", "replace")
	if p.isOne("temporary", "temp", "local", "global") {
		return p.createTemporary()
	}
	if p.accept("unlogged") {
		p.expect("table")
		return p.createTable(false, true)
	}
	first := p.tok().text
	switch {
	case p.accept("table"):
		return p.createTable(false, false)
	case p.isOne("unique", "index"):
		return p.createIndex()
	case p.accept("sequence"):
		return p.createSequence(false)
	case p.accept("schema"):
		return p.createSchema()
	case p.accept("extension"):
		return p.createExtension()
	case p.accept("type"):
		return p.createType()
	case p.accept("function"):
		return p.createFunction(replace)
	case p.accept("trigger"):
		return p.createTrigger(replace)
	case p.isOne("view", "materialized", "recursive", "domain", "role", "user", "database", "policy", "rule", "aggregate",
		"operator", "cast", "collation", "conversion", "procedure", "procedural", "language", "event", "foreign", "server",
		"publication", "subscription", "statistics", "tablespace", "text", "access", "group", "constraint", "transform", "trusted"):
		p.lacks("CREATE %s", strings.ToUpper(first))
	}
	p.fail()
	return nil
}

func (p *parser) createTemporary() Statement {
	if !p.accept("local") {
		p.accept("global")
	}
	p.oneOf("temporary", "temp")
	switch {
	case p.accept("table"):
		return p.createTable(true, false)
	case p.accept("sequence"):
		return p.createSequence(true)
	case p.isOne("view", "recursive"):
		p.lacks("CREATE VIEW")
	}
	p.fail()
	return nil
}

func (p *parser) createIndex() Statement {
	s := &CreateIndex{Pos: p.pos(), Unique: p.accept("unique")}
	p.expect("index")
	s.Concurrently = p.accept("concurrently")
	s.IfNotExists = p.ifNotExists()
	if !p.is("on") || s.IfNotExists {
		s.Name = p.name()
	}
	p.expect("on")
	s.Table = p.table().Name
	if p.accept("using") {
		s.Method = p.name()
	}
	s.Elems = p.indexElems()
	if p.accept("include") {
		s.Include = p.columns()
	}
	if p.accept("nulls", "not", "distinct") {
		s.NullsNotDistinct = true
	} else {
		p.accept("nulls", "distinct")
	}
	p.storage()
	if p.accept("tablespace") {
		p.name()
	}
	s.Where = p.where()
	return s
}

// indexElems reads the columns and expressions of an index in parentheses.
func (p *parser) indexElems() []IndexElem {
	p.expect("(")
	elems := list(p, p.indexElem)
	p.expect(")")
	return elems
}

func (p *parser) indexElem() IndexElem {
	e := IndexElem{Pos: p.pos()}
	switch next := p.ahead(1); {
	case p.is("("):
		p.advance()
		e.Expr = p.expr()
		p.expect(")")
	case next.is("(") || next.is("."):
		e.Expr = p.primary()
	default:
		e.Column = p.name()
	}
	if p.accept("collate") {
		name := p.qualified()
		e.Collation = &name
	}
	if isColumnName(p.tok()) && !p.is("nulls") {
		e.OpClass = p.qualified().Name
	}
	e.Desc, e.NullsFirst = p.direction()
	return e
}

func (p *parser) createSequence(temporary bool) Statement {
	s := &CreateSequence{Temporary: temporary, IfNotExists: p.ifNotExists(), Name: p.qualified()}
	p.sequenceOptions(&s.Options)
	return s
}

func (p *parser) createSchema() Statement {
	s := &CreateSchema{IfNotExists: p.ifNotExists()}
	if p.is("authorization") {
		p.lacks("CREATE SCHEMA AUTHORIZATION")
	}
	s.Name = p.name()
	if p.accept("authorization") {
		p.name()
	}
	if p.isOne("create", "grant") {
		p.lacks("CREATE SCHEMA with objects")
	}
	return s
}

func (p *parser) createExtension() Statement {
	s := &CreateExtension{IfNotExists: p.ifNotExists(), Name: p.name()}
	p.accept("with")
	for p.isOne("schema", "version", "cascade") {
		if p.advance().text != "cascade" {
			p.advance()
		}
	}
	return s
}

func (p *parser) createType() Statement {
	s := &CreateEnum{Name: p.qualified()}
	p.expect("as")
	if !p.is("enum") {
		p.lacks("CREATE TYPE other than AS ENUM")
	}
	p.expect("enum", "(")
	if !p.is(")") {
		s.Labels = list(p, p.stringLiteral)
	}
	p.expect(")")
	return s
}

func (p *parser) createFunction(replace bool) Statement {
	s := &CreateFunction{Name: p.functionName(), Replace: replace}
	p.expect("(")
	if !p.is(")") {
		s.Params = list(p, p.functionParam)
	}
	p.expect(")")
	if p.accept("returns") {
		if p.is("table") {
			p.lacks("RETURNS TABLE")
		}
		s.Returns = p.typeName()
	}
	for p.tok().kind == word {
		p.functionOption(s)
	}
	return s
}

func (p *parser) functionParam() FunctionParam {
	f := FunctionParam{}
	if p.isOne("out", "inout", "variadic") {
		p.lacks("parameters that are %s", strings.ToUpper(p.tok().text))
	}
	p.accept("in")
	if next := p.ahead(1); isFunctionName(p.tok()) && (next.kind == word || next.kind == quoted) &&
		!next.is("default") && !p.is("double", "precision") {
		f.Name = p.advance().text
	}
	f.Type = p.typeName()
	if p.accept("default") || p.accept("=") {
		f.Default = p.expr()
	}
	return f
}

func (p *parser) functionOption(s *CreateFunction) {
	switch {
	case p.accept("as"):
		s.Body = p.stringLiteral()
		if p.is(",") {
			p.lacks("functions in C")
		}
	case p.accept("language"):
		if p.tok().kind == str {
			s.Language = strings.ToLower(p.advance().text)
		} else {
			s.Language = p.label()
		}
	case p.accept("set"), p.isOne("return", "begin", "window", "transform"):
		p.lacks("functions with SET, RETURN, BEGIN ATOMIC, WINDOW or TRANSFORM")
	case p.accept("returns", "null", "on", "null", "input"):
		s.Options = append(s.Options, "strict")
	case p.accept("called", "on", "null", "input"):
	case p.isOne("cost", "rows"):
		p.next += 2
	case p.isOne("immutable", "stable", "volatile", "strict", "leakproof", "security", "definer", "invoker", "parallel", "safe",
		"unsafe", "restricted", "external", "not"):
		s.Options = append(s.Options, p.advance().text)
	default:
		p.fail()
	}
}

func (p *parser) createTrigger(replace bool) Statement {
	s := &CreateTrigger{Name: p.name(), Replace: replace}
	s.Time = strings.ToUpper(p.oneOf("before", "after", "instead"))
	if s.Time == "INSTEAD" {
		p.lacks("triggers INSTEAD OF")
	}
	for {
		event := p.oneOf("insert", "update", "delete", "truncate")
		s.Events = append(s.Events, strings.ToUpper(event))
		if event == "update" && p.accept("of") {
			s.Columns = p.names()
		}
		if !p.accept("or") {
			break
		}
	}
	p.expect("on")
	s.Table = p.qualified()
	if p.isOne("from", "deferrable", "initially", "not", "referencing") {
		p.lacks("triggers that are deferrable or have transition tables")
	}
	if p.accept("for") {
		p.accept("each")
		s.EachRow = p.oneOf("row", "statement") == "row"
	}
	if p.accept("when", "(") {
		s.When = p.expr()
		p.expect(")")
	}
	p.expect("execute")
	p.oneOf("function", "procedure")
	s.Function = p.functionName()
	p.expect("(")
	for !p.is(")") {
		if t := p.tok(); t.kind == end || t.kind == symbol || t.kind == operator || t.kind == param || t.kind == bad {
			p.fail()
		}
		s.Args = append(s.Args, p.advance().text)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return s
}
