package sql

import (
	"slices"
	"strings"
)

// selection reads SELECT.
func (p *Parser) selection() Statement {
	return p.selected()
}

// selected reads what comes behind SELECT.
func (p *Parser) selected() *Select {
	s := p.items()
	none := p.grammar.NoTable
	if p.Word("from") && (none == "" || !p.Word(none)) {
		if s.view = p.view(); s.view == nil {
			s.table = p.TableName()
		}
		s.where, s.order, s.limit = p.conditions()
		s.resolveOrder()
	} else if p.Word("limit") { // of one row
		s.limit = p.limit()
	}
	if s.locking = p.locking(); s.locking != LockNothing {
		s.patience = p.patience()
	}
	return s
}

// items reads what is selected.
func (p *Parser) items() *Select {
	s := &Select{}
	for p.err == nil {
		s.items = append(s.items, p.item())
		if !p.Symbol(",") {
			break
		}
	}
	return s
}

// view takes the name of a view; the result is nil if none comes next.
func (p *Parser) view() Viewed {
	if p.at+2 >= len(p.tokens) || p.tokens[p.at+1].Text != "." {
		return nil
	}
	for _, v := range p.grammar.Views {
		if database, name := v.Names(); strings.EqualFold(database, p.Peek().Text) && strings.EqualFold(name, p.tokens[p.at+2].Text) {
			p.at += 3
			return v
		}
	}
	return nil
}

// locking reads what a SELECT locks.
func (p *Parser) locking() Locking {
	switch {
	case p.Word("for", "update"):
		return LockExclusive
	case p.Word("for", "share"):
		return LockShared
	case p.grammar.Locking != nil:
		return p.grammar.Locking(p)
	}
	return LockNothing
}

// patience reads how long a SELECT waits for locks.
func (p *Parser) patience() Patience {
	switch {
	case p.Word("nowait"):
		return Patience{Kind: NoWait}
	case p.Word("skip", "locked"):
		return Patience{Kind: SkipLocked}
	case p.grammar.Patience != nil:
		return p.grammar.Patience(p)
	}
	return Patience{}
}

// resolveOrder replaces names of the result's columns by what they stand for.
func (s *Select) resolveOrder() {
	for i, o := range s.order {
		c, is := o.expr.(*ColumnRef)
		if !is || c.Table != "" {
			continue
		}
		named := slices.IndexFunc(s.items, func(it item) bool { return !it.isAll && strings.EqualFold(it.name, c.Name) })
		if named >= 0 {
			s.order[i].expr = s.items[named].expr
		}
	}
}

func (p *Parser) item() item {
	if p.Symbol("*") {
		return item{isAll: true}
	}
	from := p.at
	i := item{expr: p.Expr()}
	source := p.source(from)
	i.name = strings.ToValidUTF8(source[:min(len(source), longestAlias)], "")
	if c, isColumn := i.expr.(*ColumnRef); isColumn {
		i.name = c.Name
	}
	if p.Word("as") {
		i.name = p.alias()
	} else if p.isName() {
		i.name = p.Name()
	}
	return i
}

// longestAlias is how much of an expression is the name of its column, in bytes.
const longestAlias = 256

// alias returns a name, which may be quoted as a text.
func (p *Parser) alias() string {
	if p.Peek().Kind == TextToken {
		return p.Next().Text
	}
	return p.Name()
}

// conditions reads WHERE, ORDER BY and LIMIT.
func (p *Parser) conditions() (where Expr, order []ordering, limit *limit) {
	if p.Word("where") {
		where = p.Expr()
	}
	if p.Word("order", "by") {
		for p.err == nil {
			t := p.Peek()
			o := ordering{expr: p.Expr()}
			if _, isPlace := o.expr.(*Literal); isPlace {
				p.Refuse(t)
			}
			if !p.Word("asc") {
				o.down = p.Word("desc")
			}
			order = append(order, o)
			if !p.Symbol(",") {
				break
			}
		}
	}
	if p.Word("limit") {
		limit = p.limit()
	}
	return where, order, limit
}

// cutConditions are those of a change, whose LIMIT has no offset.
func (p *Parser) cutConditions() (where Expr, order []ordering, limit *limit) {
	where, order, limit = p.conditions()
	if limit != nil && limit.offset != nil {
		p.unsupported("an offset of the rows to change")
	}
	return where, order, limit
}

func (p *Parser) limit() *limit {
	l := &limit{count: p.Factor()}
	switch {
	case p.grammar.OffsetFirst && p.Symbol(","):
		l.offset, l.count = l.count, p.Factor()
	case p.Word("offset"):
		l.offset = p.Factor()
	}
	if anyPart(l.count, isSubquery) || anyPart(l.offset, isSubquery) {
		p.unsupported("a query in LIMIT")
	}
	return l
}

// insertion reads INSERT INTO with rows of values.
func (p *Parser) insertion() Statement {
	p.Want("into")
	s := &Insert{Table: p.TableName()}
	p.InsertedRows(s, "values")
	return s
}

// InsertedRows reads the columns and the rows of an INSERT. One of the words precedes the rows.
func (p *Parser) InsertedRows(s *Insert, words ...string) {
	if p.isSymbol("(") {
		s.Columns = p.names()
	}
	if p.OneOf(words...) == "" {
		p.Unexpected()
	}
	for p.err == nil {
		s.Rows = append(s.Rows, p.row())
		if !p.Symbol(",") {
			break
		}
	}
}

// Returning reads what the answer to an INSERT has of its rows.
func (p *Parser) Returning(s *Insert) {
	if p.Word("returning") {
		s.Returning = p.items()
	}
}

// row reads the values of a row.
func (p *Parser) row() (row []Expr) {
	p.WantSymbol("(")
	if p.Symbol(")") {
		return nil
	}
	for p.err == nil {
		row = append(row, p.exprOrDefault())
		if !p.Symbol(",") {
			break
		}
	}
	p.WantSymbol(")")
	return row
}

// exprOrDefault reads an expression; the result is nil for DEFAULT.
func (p *Parser) exprOrDefault() Expr {
	if p.Word("default") {
		return nil
	}
	return p.Expr()
}

// Assignments reads a list of column = value.
func (p *Parser) Assignments() (list []Assignment) {
	for p.err == nil {
		name := p.Name()
		if p.Symbol(".") {
			name = p.Name()
		}
		p.WantSymbol("=")
		list = append(list, Assignment{name, p.exprOrDefault()})
		if !p.Symbol(",") {
			break
		}
	}
	return list
}

// updating reads UPDATE.
func (p *Parser) updating() Statement {
	s := &Update{table: p.TableName()}
	p.Want("set")
	s.set = p.Assignments()
	s.where, s.order, s.limit = p.cutConditions()
	return s
}

// deletion reads DELETE.
func (p *Parser) deletion() Statement {
	p.Want("from")
	s := &Delete{table: p.TableName()}
	s.where, s.order, s.limit = p.cutConditions()
	return s
}

// beginning reads BEGIN.
func (p *Parser) beginning() Statement {
	p.Word("work")
	return &Begin{}
}

// committing reads COMMIT.
func (p *Parser) committing() Statement {
	p.Word("work")
	return &Commit{}
}

// rollback reads ROLLBACK.
func (p *Parser) rollback() Statement {
	p.Word("work")
	if p.Word("to") {
		p.Word("savepoint")
		return &Rollback{to: p.Name()}
	}
	return &Rollback{}
}
