package simmysql

import (
	"slices"
	"strings"
)

func isReserved(word string) bool { return slices.Contains(reserved, strings.ToLower(word)) }

// creation reads CREATE TABLE.
func (p *parser) creation() statement {
	p.want("table")
	s := &createTable{ifNotExists: p.word("if", "not", "exists")}
	s.name = p.tableName()
	t := newTable(s.name)
	s.table = t
	p.wantSymbol("(")
	for p.err == nil {
		p.definition(t)
		if !p.symbol(",") {
			break
		}
	}
	p.wantSymbol(")")
	p.tableOptions(t)
	if p.err == nil {
		s.err = t.complete()
	}
	return s
}

// definition reads that of a column or of a key.
func (p *parser) definition(t *table) {
	if p.word("constraint") && !p.isWord("primary") && !p.isWord("unique") {
		p.name()
	}
	switch {
	case p.word("primary", "key"):
		t.define(primary, true, p.keyColumns())
	case p.word("unique"):
		p.oneOf("key", "index")
		p.keyDefinition(t, true)
	case p.oneOf("key", "index") != "":
		p.keyDefinition(t, false)
	default:
		p.columnDefinition(t)
	}
}

// keyDefinition reads the name of a key, which may be missing, and its columns.
func (p *parser) keyDefinition(t *table, unique bool) {
	name := ""
	if tok := p.peek(); tok.kind != symbolToken {
		name = p.name()
	}
	t.define(name, unique, p.keyColumns())
}

// keyColumns reads the columns of a key. Their order and a length of a prefix are not simulated.
func (p *parser) keyColumns() (list []string) {
	p.wantSymbol("(")
	for p.err == nil {
		list = append(list, p.name())
		p.word("asc")
		if !p.symbol(",") {
			break
		}
	}
	p.wantSymbol(")")
	return list
}

func (p *parser) columnDefinition(t *table) {
	c := &column{name: p.name()}
	c.kind = p.columnType()
	for p.err == nil {
		switch {
		case p.word("unsigned"):
			c.kind.unsigned = true
		case p.word("not", "null"):
			c.notNull = true
		case p.word("null"):
		case p.word("auto_increment"):
			c.autoIncrement = true
		case p.word("primary", "key"), p.word("primary"):
			t.define(primary, true, []string{c.name})
		case p.word("unique", "key"), p.word("unique"):
			t.define("", true, []string{c.name})
		case p.word("default"):
			c.fallback = p.fallback()
		case p.word("on", "update"):
			c.onUpdate = p.factor()
		case p.word("comment"):
			p.next()
		case p.word("collate"):
			p.collation()
		case p.word("character", "set"), p.word("charset"):
			p.charset()
		default:
			t.columns = append(t.columns, c)
			return
		}
	}
}

func (p *parser) columnType() columnType {
	t := p.next()
	name := strings.ToLower(t.text)
	kind, known := columnTypes[name]
	if t.kind != wordToken || !known {
		p.refuse(t)
	}
	if name == "varchar" && !p.isSymbol("(") {
		p.unexpected()
	}
	if p.symbol("(") {
		n := p.number()
		p.wantSymbol(")")
		switch kind.base {
		case text:
			kind.length = n
		case moment:
			if kind.decimals = n; n > 6 {
				p.refuse(t)
			}
		}
	}
	return kind
}

// fallback reads a DEFAULT, in which a number may have a sign.
func (p *parser) fallback() expr {
	e := p.factor()
	minus, is := e.(*prefixed)
	if !is {
		return e
	}
	if l, is := minus.x.(*literal); is && minus.op == "-" && l.value.kind != text {
		if v, err := minus.eval(&scope{}); err == nil {
			return &literal{v}
		}
	}
	return e
}

// charset reads the name of a character set, which matters only if it is binary.
func (p *parser) charset() {
	if t := p.peek(); slices.Contains([]string{"utf8mb4", "utf8mb3", "utf8", "latin1", "ascii"}, strings.ToLower(t.text)) {
		p.at++
		return
	}
	p.unexpected()
}

// collation reads the name of a collation, which has to disregard case, as all do here.
func (p *parser) collation() {
	if t := p.peek(); strings.HasSuffix(strings.ToLower(t.text), "_ci") {
		p.at++
		return
	}
	p.unexpected()
}

// tableOptions reads what stands behind the columns: the engine, which has to be InnoDB, the first
// number of AUTO_INCREMENT, and what does not matter here.
func (p *parser) tableOptions(of *table) {
	for t := p.peek(); p.err == nil && (t.kind == wordToken); t = p.peek() {
		p.word("default")
		option := strings.ToLower(p.next().text)
		if option == "character" {
			p.want("set")
		}
		p.symbol("=")
		switch option {
		case "engine":
			p.want("innodb")
		case "charset", "character":
			p.charset()
		case "collate":
			p.collation()
		case "auto_increment":
			of.counter = int64(max(p.number(), 1)) - 1
		case "comment", "row_format":
			p.next()
		default:
			p.refuse(t)
		}
		p.symbol(",")
	}
}

// dropping reads DROP TABLE.
func (p *parser) dropping() statement {
	p.want("table")
	s := &dropTable{ifExists: p.word("if", "exists")}
	for p.err == nil {
		s.names = append(s.names, p.tableName())
		if !p.symbol(",") {
			break
		}
	}
	return s
}

// truncation reads TRUNCATE TABLE.
func (p *parser) truncation() statement {
	p.word("table")
	return &truncateTable{p.tableName()}
}
