package sql

import "slices"

// selecting is how far a SELECT is.
type selecting struct {
	table *table
	scan  *scan
	rows  [][]Value
	need  int // how many rows suffice; -1 for all
	locks Locking
}

// Run reads the rows.
func (s *Select) Run(x *Execution) (*Result, error) {
	switch {
	case s.view != nil:
		return s.ofView(x)
	case s.table == "":
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

// withoutTable returns a SELECT of one row of expressions.
func (s *Select) withoutTable(x *Execution) (*Result, error) {
	if err := s.checkItems(x, nil); err != nil {
		return nil, err
	}
	row := make([]Value, len(s.items))
	for i, item := range s.items {
		v, err := x.Evaluate(item.expr)
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	rows, err := x.cut([][]Value{row}, s.limit)
	return &Result{Columns: s.columns(x.session.db.dialect, nil, [][]Value{row}), Rows: rows}, err
}

// cut returns the part of rows that a LIMIT leaves.
func (x *Execution) cut(rows [][]Value, l *limit) ([][]Value, error) {
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
func (s *Select) checkItems(x *Execution, t *table) error {
	aggregates := s.aggregates()
	for _, i := range s.items {
		switch {
		case i.isAll && t == nil:
			return Fail(NoTableToSelect)
		case aggregates && t == nil:
			return Fail(Unsupported, "an aggregate without a table")
		case aggregates && (i.isAll || dependsOnRow(i.expr)):
			return Fail(Unsupported, "a column beside an aggregate")
		case t != nil && anyPart(i.expr, isSubquery):
			return Fail(Unsupported, "a query among the columns of a table")
		case anyPart(i.expr, hasAggregate):
			return Fail(Grouping)
		}
		if err := x.checkNames(t, "field list", i.expr); err != nil {
			return err
		}
	}
	return nil
}

// checkConditions says what is wrong with WHERE and ORDER BY.
func (x *Execution) checkConditions(t *table, where Expr, by []ordering) error {
	for _, o := range by {
		switch err := x.check(t, "order clause", o.expr); {
		case err != nil:
			return err
		case anyPart(o.expr, isSubquery), t.isUncompared(o.expr):
			return Fail(Unsupported, "an order by a query or by JSON")
		}
	}
	return x.check(t, "where clause", where)
}

// begin checks the statement, and says how the table is read.
func (s *Select) begin(x *Execution) (*selecting, error) {
	u := reading
	if s.locking == LockExclusive {
		u = writing
	}
	t, err := x.table(s.table, u, s.patience)
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
	if err := x.ask(s.where); err != nil {
		return nil, err
	}
	p.locks = s.lockingIn(x.session)
	txn := x.session.transaction()
	txn.used = true
	m := exclusive
	if p.locks != LockExclusive {
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
	case p.locks == LockNothing:
		txn.snapshot(&x.viewed)
	default:
		txn.intend(t, m)
	}
	return p, nil
}

// ask runs the queries in a condition, before the table is read.
func (x *Execution) ask(where Expr) (err error) {
	anyPart(where, func(e Expr) bool {
		if isSubquery(e) {
			_, err = x.Evaluate(e)
		}
		return err != nil
	})
	if isFor(err, NoColumn) {
		return Fail(Unsupported, "a column that a query within another does not have")
	}
	return err
}

// lockingIn returns what the statement locks in a session.
func (s *Select) lockingIn(o *Session) Locking {
	if s.locking == LockNothing && s.table != "" && (o.explicit || !o.autocommit) && o.level().LocksReads {
		return LockShared
	}
	return s.locking
}

// LocksRows reports whether a statement of the session locks rows.
func (s *Session) LocksRows(st Statement) bool {
	switch st := st.(type) {
	case *Insert, *Update, *Delete:
		return true
	case *Select:
		locks := func(e Expr) bool { q, is := e.(*subquery); return is && s.LocksRows(q.query) }
		return st.lockingIn(s) != LockNothing || slices.ContainsFunc(st.exprs(), func(e Expr) bool { return anyPart(e, locks) })
	}
	return false
}

// limitRows finds how many rows suffice.
func (s *Select) limitRows(x *Execution, p *selecting) error {
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

// read reads rows, and locks them if it is asked to.
func (s *Select) read(x *Execution, p *selecting) error {
	if p.locks == LockNothing {
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
func (s *Select) readSnapshot(x *Execution, p *selecting) error {
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
func (s *Select) finish(x *Execution, p *selecting) (*Result, error) {
	rows := p.rows
	if err := sortRows(x, p.table, rows, func(row []Value) []Value { return row }, s.order); err != nil {
		return nil, err
	}
	c := &scope{x: x, table: p.table}
	if s.aggregates() {
		c.rows = rows
		rows = [][]Value{nil}
	}
	rows, err := x.cut(rows, s.limit)
	if err != nil {
		return nil, err
	}
	r := &Result{Rows: [][]Value{}}
	for _, row := range rows {
		c.row = row
		out, err := s.evaluate(c)
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, out)
	}
	r.Columns = s.columns(x.session.db.dialect, p.table, r.Rows)
	return r, nil
}

// evaluate returns a row of the result.
func (s *Select) evaluate(c *scope) (out []Value, err error) {
	for _, i := range s.items {
		if i.isAll {
			out = append(out, c.row...)
			continue
		}
		v, err := eval(i.expr, c)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// sortRows orders what has rows.
func sortRows[R any](x *Execution, t *table, list []R, values func(R) []Value, by []ordering) (err error) {
	if len(by) == 0 {
		return nil
	}
	key := func(r R, o ordering) Value {
		v, e := eval(o.expr, &scope{x: x, table: t, row: values(r)})
		if e != nil {
			err = e
		}
		return v
	}
	slices.SortStableFunc(list, func(a, b R) int {
		for _, o := range by {
			if c := t.collation.order(key(a, o), key(b, o)); c != 0 {
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

// columns describes the columns of a result: as the table has them, or otherwise by their
// values.
func (s *Select) columns(d *Dialect, t *table, rows [][]Value) (list []ResultColumn) {
	for _, i := range s.items {
		if i.isAll {
			for _, c := range t.columns {
				list = append(list, ResultColumn{c.Name, t.name, c.Type, c.NotNull})
			}
			continue
		}
		if t != nil && columnOf(t, i.expr) >= 0 {
			c := t.columns[columnOf(t, i.expr)]
			list = append(list, ResultColumn{i.name, t.name, c.Type, c.NotNull})
			continue
		}
		list = append(list, ResultColumn{Name: i.name, Type: d.resultType(rows, len(list))})
	}
	return list
}

// resultType returns the type of a column of which nothing but its values is known.
func (d *Dialect) resultType(rows [][]Value, column int) ColumnType {
	for _, row := range rows {
		v := row[column]
		if v.Kind == Null {
			continue
		}
		of := d.Results[v.Kind]
		if v.Kind == Moment {
			of.Decimals = v.Decimals
		}
		return of
	}
	return ColumnType{}
}

// Describe describes the columns of a statement's result, as far as they are known without its values. It
// is nil if the statement has no rows.
func (s *Session) Describe(st Statement) ([]ResultColumn, error) {
	var name string
	var q *Select
	use := reading
	switch st := st.(type) {
	case *Select:
		q, name = st, st.table
	case *Insert:
		q, name, use = st.Returning, st.Table, writing
	}
	if q == nil {
		return nil, nil
	}
	x := &Execution{session: s, statement: st}
	var t *table
	switch {
	case q.view != nil:
		return q.columns(s.db.dialect, q.view.(*View).table(s), nil), q.checkView(x)
	case name != "":
		var err error
		if s.Database == "" {
			return nil, Fail(NoDatabase)
		}
		if s.locksTables {
			err = s.mayUse(name, use)
		}
		if err != nil {
			return nil, err
		}
		if t, err = x.find(name); err != nil {
			return nil, err
		}
	}
	if err := q.checkItems(x, t); err != nil {
		return nil, err
	}
	return q.columns(s.db.dialect, t, nil), nil
}
