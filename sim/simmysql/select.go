package simmysql

import (
	"slices"
	"strings"
)

// selecting is how far a SELECT is.
type selecting struct {
	table *table
	scan  *scan
	rows  [][]value
	need  int // how many rows suffice; -1 for all
}

func (s *selection) run(x *execution) (*result, error) {
	if s.table == "" {
		return s.withoutTable(x)
	}
	p, _ := x.progress.(*selecting)
	if p == nil {
		var err error
		if p, err = s.begin(x); err != nil {
			return nil, err
		}
		x.progress = p
	}
	if err := s.read(x, p); err != nil {
		return nil, err
	}
	return s.finish(x, p)
}

// withoutTable is a SELECT of one row of expressions.
func (s *selection) withoutTable(x *execution) (*result, error) {
	if err := s.checkItems(x, nil); err != nil {
		return nil, err
	}
	row := make([]value, len(s.items))
	for i, item := range s.items {
		v, err := x.whole(item.expr)
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	rows, err := x.cut([][]value{row}, s.limit)
	return &result{columns: columnsOf(nil, s.items, [][]value{row}), rows: rows}, err
}

// cut is the part of rows that a LIMIT leaves.
func (x *execution) cut(rows [][]value, l *limit) ([][]value, error) {
	if l == nil {
		return rows, nil
	}
	offset, err := x.count(l.offset)
	if err != nil {
		return nil, err
	}
	count, err := x.count(l.count)
	rows = rows[min(offset, len(rows)):]
	return rows[:min(count, len(rows))], err
}

// checkItems says what is wrong with what the statement selects; without a table, t is nil.
func (s *selection) checkItems(x *execution, t *table) error {
	aggregates := s.aggregates()
	for _, i := range s.items {
		switch {
		case i.isAll && t == nil:
			return fail(1096, "HY000", "No tables used")
		case aggregates && t == nil:
			return errUnsupported("an aggregate without a table")
		case aggregates && (i.isAll || dependsOnRow(i.expr)):
			return errUnsupported("a column beside an aggregate")
		case anyPart(i.expr, hasAggregate):
			return errGroup
		}
		if err := x.checkNames(t, "field list", i.expr); err != nil {
			return err
		}
	}
	return nil
}

// checkConditions says what is wrong with WHERE and ORDER BY.
func (x *execution) checkConditions(t *table, where expr, by []ordering) error {
	for _, o := range by {
		if err := x.check(t, "order clause", o.expr); err != nil {
			return err
		}
	}
	return x.check(t, "where clause", where)
}

// begin checks the statement, and says how the table is read.
func (s *selection) begin(x *execution) (*selecting, error) {
	t, err := x.table(s.table)
	if err != nil {
		return nil, err
	}
	p := &selecting{table: t, need: -1}
	if err := s.checkItems(x, t); err != nil {
		return nil, err
	}
	if err := x.checkConditions(t, s.where, s.order); err != nil {
		return nil, err
	}
	txn := x.session.transaction()
	txn.used = true
	m := exclusive
	if s.locking != lockExclusive {
		m = nextKey
	}
	if p.scan, err = x.scan(t, s.where, m, s.patience); err != nil {
		return nil, err
	}
	p.scan.keeps = true
	if err := s.limitRows(x, p); err != nil {
		return nil, err
	}
	switch {
	case p.need == 0: // nothing is read
	case s.locking == lockNothing:
		txn.snapshot(x)
	default:
		txn.intend(t, m)
	}
	return p, nil
}

// limitRows finds how many rows suffice.
func (s *selection) limitRows(x *execution, p *selecting) error {
	if s.limit == nil {
		return nil
	}
	offset, err := x.count(s.limit.offset)
	if err != nil {
		return err
	}
	count, err := x.count(s.limit.count)
	switch {
	case count == 0:
		p.need = 0
	case !s.aggregates() && p.scan.path.isOrdered(s.order):
		p.need = offset + count
	}
	return err
}

func (s *selection) aggregates() bool {
	return slices.ContainsFunc(s.items, func(i item) bool {
		return anyPart(i.expr, isAggregate)
	})
}

// read reads rows, and locks them if it is asked to.
func (s *selection) read(x *execution, p *selecting) error {
	if s.locking == lockNothing {
		return s.readSnapshot(x, p)
	}
	for p.need < 0 || len(p.rows) < p.need {
		r, err := p.scan.next()
		if err != nil {
			return err
		}
		if r == nil {
			return nil
		}
		p.rows = append(p.rows, r.latest())
	}
	return nil
}

// readSnapshot reads what the transaction's snapshot shows.
func (s *selection) readSnapshot(x *execution, p *selecting) error {
	t := x.session.txn
	path := p.scan.path
	if !path.index.isClustered() {
		path = wholeTable(p.table)
	}
	for i := range path.spans {
		span := &path.spans[i]
		for at := path.index.find(span.low); at < len(path.index.entries); at++ {
			e := path.index.entries[at]
			if span.isAfter(e.key) || p.need >= 0 && len(p.rows) >= p.need {
				break
			}
			values := e.row.seen(t)
			if values == nil {
				continue
			}
			ok, err := x.meets(s.where, p.table, values)
			if err != nil {
				return err
			}
			if ok {
				p.rows = append(p.rows, values)
			}
		}
	}
	return nil
}

// finish orders and cuts the rows, and evaluates what is asked of them.
func (s *selection) finish(x *execution, p *selecting) (*result, error) {
	rows := p.rows
	if err := sortRows(x, p.table, rows, func(row []value) []value { return row }, s.order); err != nil {
		return nil, err
	}
	c := &scope{x: x, table: p.table}
	if s.aggregates() {
		c.rows = rows
		rows = [][]value{nil}
	}
	rows, err := x.cut(rows, s.limit)
	if err != nil {
		return nil, err
	}
	r := &result{rows: [][]value{}}
	for _, row := range rows {
		c.row = row
		out, err := s.evaluate(c)
		if err != nil {
			return nil, err
		}
		r.rows = append(r.rows, out)
	}
	r.columns = columnsOf(p.table, s.items, r.rows)
	return r, nil
}

// evaluate is a row of the result.
func (s *selection) evaluate(c *scope) (out []value, err error) {
	for _, i := range s.items {
		if i.isAll {
			out = append(out, c.row...)
			continue
		}
		v, err := i.expr.eval(c)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// sortRows orders what has rows.
func sortRows[R any](x *execution, t *table, list []R, values func(R) []value, by []ordering) (err error) {
	if len(by) == 0 {
		return nil
	}
	key := func(r R, o ordering) value {
		v, e := o.expr.eval(&scope{x: x, table: t, row: values(r)})
		if e != nil {
			err = e
		}
		return v
	}
	slices.SortStableFunc(list, func(a, b R) int {
		for _, o := range by {
			if c := order(key(a, o), key(b, o)); c != 0 {
				if o.down {
					return -c
				}
				return c
			}
		}
		return 0
	})
	return err
}

// columnsOf describes the columns of a result: as the table has them, or otherwise by their
// values.
func columnsOf(t *table, items []item, rows [][]value) (list []resultColumn) {
	for _, i := range items {
		if i.isAll {
			for _, c := range t.columns {
				list = append(list, resultColumn{c.name, t.name, c.kind, c.notNull})
			}
			continue
		}
		if t != nil && columnOf(t, i.expr) >= 0 {
			c := t.columns[columnOf(t, i.expr)]
			list = append(list, resultColumn{i.name, t.name, c.kind, c.notNull})
			continue
		}
		list = append(list, resultColumn{name: i.name, kind: kindOf(rows, len(list))})
	}
	return list
}

// kindOf is the type of a column of which nothing but its values is known.
func kindOf(rows [][]value, column int) columnType {
	for _, row := range rows {
		switch v := row[column]; v.kind {
		case integer:
			return columnTypes["bigint"]
		case float:
			return columnTypes["double"]
		case moment:
			k := columnTypes["datetime"]
			k.decimals = v.decimals
			return k
		case text:
			return columnTypes["varchar"]
		}
	}
	return columnType{base: null, code: codeNull}
}

// like reports whether a name matches a pattern of SHOW VARIABLES LIKE: % stands for any text, _ for
// any character. Only the last % that was met is tried again.
func like(name, pattern string) bool {
	pattern = strings.ToLower(pattern)
	at, star, tried := 0, -1, 0
	for i := 0; i < len(name); {
		switch {
		case at < len(pattern) && pattern[at] == '%':
			star, tried = at, i
			at++
		case at < len(pattern) && (pattern[at] == '_' || pattern[at] == name[i]):
			at++
			i++
		case star >= 0:
			tried++
			at, i = star+1, tried
		default:
			return false
		}
	}
	return strings.Trim(pattern[at:], "%") == ""
}
