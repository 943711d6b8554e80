package simmysql

import (
	"slices"
	"strings"
)

// selection reads SELECT.
func (p *parser) selection() statement {
	s := &selection{}
	for p.err == nil {
		s.items = append(s.items, p.item())
		if !p.symbol(",") {
			break
		}
	}
	if p.word("from") && !p.word("dual") {
		s.table = p.tableName()
		s.where, s.order, s.limit = p.conditions()
		s.resolveOrder()
	} else if p.word("limit") { // of one row
		s.limit = p.limit()
	}
	switch {
	case p.word("for", "update"):
		s.locking = lockExclusive
	case p.word("lock", "in", "share", "mode"), p.word("for", "share"):
		s.locking = lockShared
	default:
		return s
	}
	switch {
	case p.word("nowait"):
		s.patience.kind = noWait
	case p.word("skip", "locked"):
		s.patience.kind = skipLocked
	case p.word("wait"):
		s.patience = patience{waitFor, p.number()}
	}
	return s
}

// resolveOrder replaces names of the result's columns by what they stand for.
func (s *selection) resolveOrder() {
	for i, o := range s.order {
		c, is := o.expr.(*columnRef)
		if !is || c.table != "" {
			continue
		}
		named := slices.IndexFunc(s.items, func(it item) bool { return !it.isAll && strings.EqualFold(it.name, c.name) })
		if named >= 0 {
			s.order[i].expr = s.items[named].expr
		}
	}
}

func (p *parser) item() item {
	if p.symbol("*") {
		return item{isAll: true}
	}
	from := p.at
	i := item{expr: p.expr()}
	source := p.source(from)
	i.name = strings.ToValidUTF8(source[:min(len(source), longestAlias)], "")
	if c, isColumn := i.expr.(*columnRef); isColumn {
		i.name = c.name
	}
	if p.word("as") {
		i.name = p.alias()
	} else if t := p.peek(); t.kind == quotedToken || t.kind == wordToken && !isReserved(t.text) {
		i.name = p.name()
	}
	return i
}

// longestAlias is how much of an expression is the name of its column, in bytes.
const longestAlias = 256

// alias is a name, which may be quoted as a text.
func (p *parser) alias() string {
	if p.peek().kind == textToken {
		return p.next().text
	}
	return p.name()
}

// conditions reads WHERE, ORDER BY and LIMIT.
func (p *parser) conditions() (where expr, order []ordering, limit *limit) {
	if p.word("where") {
		where = p.expr()
	}
	if p.word("order", "by") {
		for p.err == nil {
			t := p.peek()
			o := ordering{expr: p.expr()}
			if _, isPlace := o.expr.(*literal); isPlace {
				p.refuse(t)
			}
			if !p.word("asc") {
				o.down = p.word("desc")
			}
			order = append(order, o)
			if !p.symbol(",") {
				break
			}
		}
	}
	if p.word("limit") {
		limit = p.limit()
	}
	return where, order, limit
}

// cutConditions are those of a change, whose LIMIT has no offset.
func (p *parser) cutConditions() (where expr, order []ordering, limit *limit) {
	where, order, limit = p.conditions()
	if limit != nil && limit.offset != nil && p.err == nil {
		p.err = errUnsupported("an offset of the rows to change")
	}
	return where, order, limit
}

func (p *parser) limit() *limit {
	l := &limit{count: p.factor()}
	switch {
	case p.symbol(","):
		l.offset, l.count = l.count, p.factor()
	case p.word("offset"):
		l.offset = p.factor()
	}
	return l
}

// insertion reads INSERT.
func (p *parser) insertion() statement {
	s := &insertion{ignore: p.word("ignore")}
	p.word("into")
	s.table = p.tableName()
	switch {
	case p.word("set"):
		row := []expr{}
		for _, a := range p.assignments() {
			s.columns, row = append(s.columns, a.column), append(row, a.expr)
		}
		s.rows = [][]expr{row}
	default:
		if t := p.peek(); t.kind == symbolToken && t.text == "(" {
			s.columns = p.names()
		}
		if p.oneOf("values", "value") == "" {
			p.unexpected()
		}
		for p.err == nil {
			s.rows = append(s.rows, p.row())
			if !p.symbol(",") {
				break
			}
		}
	}
	if p.word("on", "duplicate", "key", "update") {
		s.onDuplicate = p.assignments()
	}
	return s
}

// row reads the values of a row.
func (p *parser) row() (row []expr) {
	p.wantSymbol("(")
	if p.symbol(")") {
		return nil
	}
	for p.err == nil {
		row = append(row, p.exprOrDefault())
		if !p.symbol(",") {
			break
		}
	}
	p.wantSymbol(")")
	return row
}

// exprOrDefault reads an expression; the result is nil for DEFAULT.
func (p *parser) exprOrDefault() expr {
	if p.word("default") {
		return nil
	}
	return p.expr()
}

func (p *parser) assignments() (list []assignment) {
	for p.err == nil {
		name := p.name()
		if p.symbol(".") {
			name = p.name()
		}
		p.wantSymbol("=")
		list = append(list, assignment{name, p.exprOrDefault()})
		if !p.symbol(",") {
			break
		}
	}
	return list
}

// updating reads UPDATE.
func (p *parser) updating() statement {
	s := &updating{table: p.tableName()}
	p.want("set")
	s.set = p.assignments()
	s.where, s.order, s.limit = p.cutConditions()
	return s
}

// deletion reads DELETE.
func (p *parser) deletion() statement {
	p.want("from")
	s := &deletion{table: p.tableName()}
	s.where, s.order, s.limit = p.cutConditions()
	return s
}

// beginning reads BEGIN.
func (p *parser) beginning() statement {
	p.word("work")
	return &begin{}
}

// start reads START TRANSACTION.
func (p *parser) start() statement {
	p.want("transaction")
	s := &begin{}
	for p.err == nil {
		switch {
		case p.word("with", "consistent", "snapshot"):
			s.snapshot = true
		case p.word("read", "only"):
			s.readOnly = true
		case p.word("read", "write"):
		default:
			return s
		}
		if !p.symbol(",") {
			break
		}
	}
	return s
}

// rollback reads ROLLBACK.
func (p *parser) rollback() statement {
	p.word("work")
	if p.word("to") {
		p.word("savepoint")
		return &rollback{to: p.name()}
	}
	return &rollback{}
}

// setting reads SET.
func (p *parser) setting() statement {
	s := &set{}
	for p.err == nil {
		scope := p.oneOf("session", "local", "global")
		switch {
		case p.word("transaction"):
			s.nextOnly = scope == ""
			s.variables = append(s.variables, p.characteristics()...)
			return s
		case p.word("names"):
			p.charset()
			if p.word("collate") {
				p.collation()
			}
		default:
			s.variables = append(s.variables, p.setVariable())
		}
		if scope == "global" {
			p.unexpected()
		}
		if !p.symbol(",") {
			break
		}
	}
	return s
}

func (p *parser) setVariable() assignment {
	name := ""
	if t := p.peek(); t.kind == variableToken {
		v := p.variable(p.next())
		if name = v.name; v.global {
			p.refuse(t)
		}
	} else {
		name = strings.ToLower(p.name())
	}
	if !p.symbol("=") {
		p.wantSymbol(":=")
	}
	if p.err == nil && p.isWord("on") { // no expression begins with it
		p.at++
		return assignment{name, &literal{intValue(1)}}
	}
	if t := p.peek(); t.kind == wordToken && !isFunction(t.text) && t.text != "null" {
		p.at++
		if value, found := map[string]int{"off": 0, "true": 1, "false": 0}[strings.ToLower(t.text)]; found {
			return assignment{name, &literal{intValue(value)}}
		}
		if strings.EqualFold(t.text, "default") {
			return assignment{name, nil}
		}
		return assignment{name, &literal{textValue(t.text)}}
	}
	return assignment{name, p.expr()}
}

func isFunction(name string) bool {
	_, known := functions[strings.ToLower(name)]
	return known
}

// characteristics reads those of transactions.
func (p *parser) characteristics() (list []assignment) {
	for p.err == nil {
		switch {
		case p.word("isolation", "level"):
			list = append(list, assignment{"tx_isolation", &literal{textValue(p.level())}})
		case p.word("read", "only"):
			list = append(list, assignment{"tx_read_only", &literal{intValue(1)}})
		case p.word("read", "write"):
			list = append(list, assignment{"tx_read_only", &literal{intValue(0)}})
		default:
			p.unexpected()
		}
		if !p.symbol(",") {
			break
		}
	}
	return list
}

// level reads an isolation level.
func (p *parser) level() string {
	switch {
	case p.word("repeatable", "read"):
		return repeatableRead.String()
	case p.word("read", "committed"):
		return readCommitted.String()
	}
	p.unexpected()
	return ""
}

// killing reads KILL.
func (p *parser) killing() statement {
	k := &kill{}
	k.query = p.oneOf("connection", "query") == "query"
	k.id = p.factor()
	return k
}

// showing reads SHOW.
func (p *parser) showing() statement {
	s := &show{global: p.oneOf("session", "global", "local") == "global"}
	s.what = p.oneOf("variables", "warnings")
	if s.what == "" {
		p.unexpected()
	}
	if p.word("like") {
		s.like = p.next().text
	}
	return s
}
