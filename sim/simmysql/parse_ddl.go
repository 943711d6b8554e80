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
	p.tableOptions()
	if p.err == nil {
		p.err = t.complete()
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
		t.define("PRIMARY", true, p.keyColumns())
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
	columns := p.keyColumns()
	if name == "" && len(columns) > 0 {
		name = columns[0]
	}
	t.define(name, unique, columns)
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
			t.define("PRIMARY", true, []string{c.name})
		case p.word("unique", "key"), p.word("unique"):
			t.define(c.name, true, []string{c.name})
		case p.word("default"):
			c.fallback = p.factor()
		case p.word("on", "update"):
			c.onUpdate = p.factor()
		case p.word("comment"):
			p.next()
		case p.word("collate"), p.word("character", "set"), p.word("charset"):
			p.alias()
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
	kind.name = name
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

// tableOptions reads what stands behind the columns: the engine, which has to be InnoDB, and
// what does not matter here.
func (p *parser) tableOptions() {
	for t := p.peek(); p.err == nil && (t.kind == wordToken); t = p.peek() {
		p.word("default")
		option := strings.ToLower(p.next().text)
		if option == "character" {
			p.want("set")
		}
		p.symbol("=")
		v := p.next()
		switch option {
		case "engine":
			if !strings.EqualFold(v.text, "innodb") {
				p.refuse(v)
			}
		case "charset", "character", "collate", "comment", "auto_increment", "row_format":
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
