package sql

import "errors"

// Run inserts the rows.
func (s *Insert) Run(x *Execution) (*Result, error) {
	p, _ := x.progress.(*modifying)
	if p == nil {
		var err error
		if p, err = s.begin(x); err != nil {
			return nil, err
		}
		x.progress = p
	}
	for p.row < len(s.Rows) {
		if err := s.insertRow(x, p); err != nil {
			if p.number != 0 && !errors.Is(err, ErrWait) { // that of a row which is taken back
				x.session.LastInsertID = p.number
			}
			return nil, err
		}
		p.change, p.meets, p.insert, p.drawn = nil, nil, nil, 0
		p.row++
	}
	switch {
	case p.number != 0:
		x.session.LastInsertID, x.InsertID = p.number, p.number
	case x.InsertID == 0:
		x.InsertID = p.last
	}
	r := &Result{Affected: p.changed}
	if q := s.Returning; q != nil {
		r.Rows = p.returned
		r.Columns = q.columns(x.session.db.dialect, p.table, r.Rows)
	}
	return r, nil
}

// begin checks the statement.
func (s *Insert) begin(x *Execution) (*modifying, error) {
	t, err := x.table(s.Table, writing, Patience{})
	if err != nil {
		return nil, err
	}
	for _, name := range s.Columns {
		if t.column(name) < 0 {
			return nil, Fail(NoColumn, name, "field list")
		}
	}
	var exprs []Expr
	for _, a := range s.OnDuplicate {
		if t.column(a.Column) < 0 {
			return nil, Fail(NoColumn, a.Column, "field list")
		}
		exprs = append(exprs, a.Expr)
	}
	for i, row := range s.Rows {
		if want := len(s.Columns); len(row) != want && (want > 0 || len(row) != len(t.columns) && len(row) > 0) {
			return nil, Fail(ColumnCount, i+1)
		}
		exprs = append(exprs, row...)
	}
	if err := x.check(t, "field list", exprs...); err != nil {
		return nil, err
	}
	if q := s.Returning; q != nil {
		if q.aggregates() {
			return nil, Fail(Grouping)
		}
		if err := q.checkItems(x, t); err != nil {
			return nil, err
		}
	}
	return &modifying{table: t}, x.writes()
}

// insertRow inserts one row, or changes the row with its key.
func (s *Insert) insertRow(x *Execution, p *modifying) error {
	t := x.session.txn
	if p.meets != nil {
		return s.update(x, p)
	}
	if p.change == nil {
		values, err := s.values(x, p, s.Rows[p.row])
		if err != nil {
			return err
		}
		t.intend(p.table, exclusive)
		p.values, p.undo = values, len(t.undo)
		p.change = &change{t: t, values: values, exclusive: len(s.OnDuplicate) > 0}
	}
	err := p.change.run(p.table)
	switch {
	case err == nil:
		p.changed++
		if p.number == 0 {
			p.number = p.drawn
		}
		p.wrote(p.values)
		return s.returns(x, p, p.values)
	case !isFor(err, Duplicate):
		return err
	}
	t.rollbackTo(p.undo)
	if p.drawn != 0 {
		p.nextNumber = p.drawn // the next row gets it
	}
	switch {
	case len(s.OnDuplicate) > 0:
		p.meets, p.change = p.change, nil
		return s.update(x, p)
	case s.Ignore:
		x.session.Warnings++
		return nil
	}
	return err
}

// update changes the row that has the key already.
func (s *Insert) update(x *Execution, p *modifying) error {
	t, r := x.session.txn, p.meets.duplicate
	if err := t.lock(r.entry, exclusive|recordOnly, Patience{}); err != nil {
		return err
	}
	if p.change == nil {
		values, err := x.assign(p.table, s.OnDuplicate, r.latest(), p.values)
		if err != nil {
			return err
		}
		if p.change = p.to(x, r, values); p.change == nil {
			if x.session.CountsFound {
				p.changed++
			}
			return s.returns(x, p, values)
		}
	}
	if err := p.carryOut(); err != nil {
		return err
	}
	p.changed += 2
	p.wrote(r.latest())
	return s.returns(x, p, r.latest())
}

// returns adds a row to the answer, if that has rows.
func (s *Insert) returns(x *Execution, p *modifying, row []Value) error {
	if s.Returning == nil {
		return nil
	}
	out, err := s.Returning.evaluate(&scope{x: x, table: p.table, row: row})
	p.returned = append(p.returned, out)
	return err
}

// wrote notes the number that a row has which was inserted or changed.
func (p *modifying) wrote(values []Value) {
	if i := p.table.numbered(); i >= 0 && values != nil {
		p.last = values[i].Int
		p.table.counter = max(p.table.counter, p.last)
		if p.nextNumber > 0 {
			p.nextNumber = max(p.nextNumber, p.last+1)
		}
	}
}

// values returns the columns of a row to insert.
func (s *Insert) values(x *Execution, p *modifying, exprs []Expr) ([]Value, error) {
	t := p.table
	values, given := make([]Value, len(t.columns)), make([]bool, len(t.columns))
	for i, e := range exprs {
		place := i
		if len(s.Columns) > 0 {
			place = t.column(s.Columns[i])
		}
		if e == nil {
			continue // its default
		}
		v, err := eval(e, &scope{x: x, table: t, row: values})
		if err != nil {
			return nil, err
		}
		values[place], given[place] = v, true
	}
	for i, c := range t.columns { // before a number is drawn
		if err := c.checkJSON(values[i]); err != nil {
			return nil, err
		}
	}
	for i, c := range t.columns {
		if err := s.complete(x, p, c, &values[i], given[i]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// complete completes the value for a column, which may not be given.
func (s *Insert) complete(x *Execution, p *modifying, c *Column, v *Value, given bool) (err error) {
	switch {
	case c.Numbered && (v.Kind == Null || v.Kind == Integer && v.Int == 0):
		p.drawn = p.draw(len(s.Rows))
		*v = IntValue(p.drawn)
	case given:
	case c.Fallback != nil:
		if *v, err = x.fallback(c); err != nil {
			return err
		}
	case c.NotNull:
		if !s.Ignore {
			return Fail(NoDefault, c.Name)
		}
		*v = c.implicit()
	}
	if v.Kind == Null && c.NotNull && s.Ignore {
		*v = c.implicit()
	}
	if *v, err = c.store(*v); err != nil {
		return err
	}
	return nil
}

// draw draws a number of the column that counts. The first one keeps as many as the statement has rows, whether
// they are used or not.
func (p *modifying) draw(rows int) int64 {
	t := p.table
	if p.nextNumber == 0 {
		p.nextNumber = t.counter + 1
		t.counter += int64(rows)
	}
	n := p.nextNumber
	p.nextNumber++
	t.counter = max(t.counter, n)
	return n
}
