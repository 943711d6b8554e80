package syntax

import "strings"

// statements has the parsers of statements by their first word.
var statements map[string]func(*parser) Statement

func init() {
	statements = map[string]func(*parser) Statement{
		"alter": (*parser).alter, "begin": (*parser).begin, "start": (*parser).startTransaction,
		"commit": (*parser).commit, "end": (*parser).commit, "rollback": (*parser).rollback, "abort": (*parser).rollback,
		"savepoint": (*parser).savepoint, "release": (*parser).release,
		"create": (*parser).create, "drop": (*parser).drop, "truncate": (*parser).truncate,
		"comment": (*parser).comment, "grant": (*parser).grant, "revoke": (*parser).grant, "do": (*parser).do,
		"set": (*parser).set, "reset": (*parser).reset, "show": (*parser).show, "discard": (*parser).discard,
		"listen": (*parser).listen, "unlisten": (*parser).unlisten, "notify": (*parser).notify,
		"prepare": (*parser).prepare, "execute": (*parser).execute, "deallocate": (*parser).deallocate,
		"lock": (*parser).lock, "analyze": (*parser).maintain, "analyse": (*parser).maintain, "vacuum": (*parser).maintain,
		"reindex": (*parser).maintain, "cluster": (*parser).maintain, "checkpoint": (*parser).maintain,
	}
	for _, w := range []string{"explain", "copy", "declare", "fetch", "move", "close", "call", "merge", "import", "refresh", "reassign", "load"} {
		statements[w] = func(p *parser) Statement { p.lacks("%s", strings.ToUpper(w)); return nil }
	}
}

// statement reads one statement.
func (p *parser) statement() Statement {
	t := p.tok()
	if t.kind == word && statements[t.text] != nil && !p.is("prepare", "transaction") {
		return statements[t.text](p)
	}
	if p.is("prepare", "transaction") {
		p.lacks("PREPARE TRANSACTION")
	}
	if p.is("security", "label") {
		p.lacks("SECURITY LABEL")
	}
	return p.query()
}

// query reads a statement that WITH may precede: SELECT, INSERT, UPDATE or DELETE.
func (p *parser) query() Statement {
	pos := p.pos()
	with := p.with()
	switch {
	case p.is("insert"):
		s := p.insert()
		s.With = with
		return s
	case p.is("update"):
		s := p.update()
		s.With = with
		return s
	case p.is("delete"):
		s := p.delete()
		s.With = with
		return s
	case p.is("merge"):
		p.lacks("MERGE")
	}
	s := p.selectBody()
	if with != nil {
		p.attach(s, with, pos)
	}
	return s
}

// attach gives a query its WITH clause; a query in parentheses may have one already.
func (p *parser) attach(s *Select, with *With, pos int) {
	if s.With != nil {
		p.refuse(pos, "multiple WITH clauses not allowed")
	}
	s.With, s.Pos = with, pos
}

// with reads a WITH clause, or nothing.
func (p *parser) with() *With {
	if !p.is("with") {
		return nil
	}
	w := &With{Pos: p.pos()}
	p.advance()
	w.Recursive = p.accept("recursive")
	w.Items = list(p, p.cte)
	return w
}

func (p *parser) cte() CTE {
	c := CTE{Pos: p.pos(), Name: p.name()}
	if p.is("(") {
		c.Columns = p.columns()
	}
	p.expect("as")
	switch {
	case p.accept("materialized"):
		c.Materialized = MaterializedAlways
	case p.accept("not", "materialized"):
		c.Materialized = MaterializedNever
	}
	p.expect("(")
	c.Query = p.query()
	p.expect(")")
	if p.isOne("search", "cycle") {
		p.lacks("SEARCH and CYCLE")
	}
	return c
}
