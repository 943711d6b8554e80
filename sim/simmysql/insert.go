package simmysql

import (
	"errors"
	"fmt"
)

func (s *insertion) run(x *execution) (*result, error) {
	p, _ := x.progress.(*modifying)
	if p == nil {
		var err error
		if p, err = s.begin(x); err != nil {
			return nil, err
		}
		x.progress = p
	}
	for p.row < len(s.rows) {
		if err := s.insertRow(x, p); err != nil {
			if p.number != 0 && !errors.Is(err, errWait) { // that of a row which is taken back
				x.session.lastInsertID = p.number
			}
			return nil, err
		}
		p.change, p.meets, p.insert, p.drawn = nil, nil, nil, 0
		p.row++
	}
	switch {
	case p.number != 0:
		x.session.lastInsertID, x.insertID = p.number, p.number
	case x.insertID == 0:
		x.insertID = p.last
	}
	r := &result{affected: p.changed}
	if len(s.rows) > 1 {
		r.info = fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", len(s.rows), int64(len(s.rows))-p.changed, x.session.warnings)
	}
	return r, nil
}

// begin checks the statement.
func (s *insertion) begin(x *execution) (*modifying, error) {
	t, err := x.table(s.table)
	if err != nil {
		return nil, err
	}
	for _, name := range s.columns {
		if t.column(name) < 0 {
			return nil, errNoColumn(name, "field list")
		}
	}
	var exprs []expr
	for _, a := range s.onDuplicate {
		if t.column(a.column) < 0 {
			return nil, errNoColumn(a.column, "field list")
		}
		exprs = append(exprs, a.expr)
	}
	for i, row := range s.rows {
		if want := len(s.columns); len(row) != want && (want > 0 || len(row) != len(t.columns) && len(row) > 0) {
			return nil, fail(errColumnCount.number, errColumnCount.state, "Column count doesn't match value count at row %d", i+1)
		}
		exprs = append(exprs, row...)
	}
	if err := x.check(t, "field list", exprs...); err != nil {
		return nil, err
	}
	return &modifying{table: t}, x.writes()
}

// insertRow inserts one row, or changes the one that is there already.
func (s *insertion) insertRow(x *execution, p *modifying) error {
	t := x.session.txn
	if p.meets != nil {
		return s.update(x, p)
	}
	if p.change == nil {
		values, err := s.values(x, p, s.rows[p.row])
		if err != nil {
			return err
		}
		t.intend(p.table, exclusive)
		p.values, p.undo = values, len(t.undo)
		p.change = &change{t: t, values: values, exclusive: len(s.onDuplicate) > 0}
	}
	err := p.change.run(p.table)
	switch {
	case err == nil:
		p.changed++
		if p.number == 0 {
			p.number = p.drawn
		}
		p.wrote(p.values)
		return nil
	case !isDuplicate(err):
		return err
	}
	t.rollbackTo(p.undo)
	switch {
	case len(s.onDuplicate) > 0:
		p.meets, p.change = p.change, nil
		return s.update(x, p)
	case s.ignore:
		x.session.warnings++
		if p.drawn != 0 {
			p.nextNumber = p.drawn // the next row gets it
		}
		return nil
	}
	return err
}

// update changes the row that has the key already.
func (s *insertion) update(x *execution, p *modifying) error {
	t, r := x.session.txn, p.meets.duplicate
	if err := t.lock(r.entry, exclusive|recordOnly, patience{}); err != nil {
		return err
	}
	if p.change == nil {
		values, err := x.assign(p.table, s.onDuplicate, r.latest(), p.values)
		if err != nil {
			return err
		}
		if p.change = p.to(x, r, values); p.change == nil {
			if x.session.foundRows {
				p.changed++
			}
			return nil
		}
	}
	if err := p.carryOut(); err != nil {
		return err
	}
	p.changed += 2
	p.wrote(r.latest())
	return nil
}

// wrote notes the number that a row has which was inserted or changed.
func (p *modifying) wrote(values []value) {
	if i := p.table.autoIncrement(); i >= 0 && values != nil {
		p.last = values[i].i
		p.table.counter = max(p.table.counter, p.last)
		if p.nextNumber > 0 {
			p.nextNumber = max(p.nextNumber, p.last+1)
		}
	}
}

// values are the columns of a row to insert.
func (s *insertion) values(x *execution, p *modifying, exprs []expr) ([]value, error) {
	t := p.table
	values, given := make([]value, len(t.columns)), make([]bool, len(t.columns))
	for i, e := range exprs {
		place := i
		if len(s.columns) > 0 {
			place = t.column(s.columns[i])
		}
		if e == nil {
			continue // its default
		}
		v, err := e.eval(&scope{x: x, table: t, row: values})
		if err != nil {
			return nil, err
		}
		values[place], given[place] = v, true
	}
	for i, c := range t.columns {
		if err := s.complete(x, p, c, &values[i], given[i]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// complete makes a value of what is given for a column.
func (s *insertion) complete(x *execution, p *modifying, c *column, v *value, given bool) (err error) {
	switch {
	case c.autoIncrement && (v.kind == null || v.kind == integer && v.i == 0):
		p.drawn = p.draw(len(s.rows))
		*v = intValue(p.drawn)
	case given:
	case c.fallback != nil:
		if *v, err = x.fallback(c); err != nil {
			return err
		}
	case c.notNull:
		if !s.ignore {
			return fail(1364, "HY000", "Field '%s' doesn't have a default value", c.name)
		}
		*v = c.implicit()
	}
	if v.kind == null && c.notNull && s.ignore {
		*v = c.implicit()
	}
	if *v, err = c.store(*v); err != nil {
		return err
	}
	return nil
}

// draw draws a number of AUTO_INCREMENT. The first one keeps as many as the statement has rows, whether
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
