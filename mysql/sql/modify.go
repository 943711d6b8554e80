package sql

import "slices"

// modifying is the progress of an INSERT, UPDATE or DELETE.
type modifying struct {
	table   *table
	scan    *scan
	rows    []*row // that were found, if they are collected before they are changed
	found   bool   // all of them were
	limit   int    // -1 for none
	matched int64
	changed int64

	row        int       // of an INSERT: the next
	values     []Value   // of the row that is inserted
	change     *change   // the present one; nil between rows
	insert     *change   // the second half of a change of a primary key
	undo       int       // how many changes there were before the row
	meets      *change   // of INSERT ... ON DUPLICATE KEY UPDATE: what the duplicate has stopped
	nextNumber int64     // the next number of those kept for the statement; 0 if there are none
	drawn      int64     // that of the row that is inserted; 0 if it has drawn none
	number     int64     // the first such number of a row that was inserted
	returned   [][]Value // rows of the answer
	last       int64     // the value of the column that counts of the last row that was inserted or changed
}

// Run changes the rows.
func (u *Update) Run(x *Execution) (*Result, error) {
	p, _ := x.progress.(*modifying)
	if p == nil {
		var err error
		if p, err = x.modify(u.table, u.where, u.order, u.limit, u.set); err != nil {
			return nil, err
		}
		p.scan.semiConsistent = p.scan.path.isOrdered(u.order)
		x.progress = p
	}
	for {
		r, err := p.next(x, u.order)
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		if p.change == nil {
			values, err := x.assign(p.table, u.set, r.latest(), nil)
			if err != nil {
				return nil, err
			}
			p.matched++
			if p.change = p.to(x, r, values); p.change == nil {
				p.done()
				continue
			}
		}
		if err := p.carryOut(); err != nil {
			return nil, err
		}
		p.changed++
		p.done()
	}
	return &Result{Affected: x.affected(p), Matched: p.matched, Changed: p.changed}, nil
}

// affected returns how many rows an UPDATE says that it has changed.
func (x *Execution) affected(p *modifying) int64 {
	if x.session.CountsFound {
		return p.matched
	}
	return p.changed
}

// Run deletes the rows.
func (d *Delete) Run(x *Execution) (*Result, error) {
	p, _ := x.progress.(*modifying)
	if p == nil {
		var err error
		if p, err = x.modify(d.table, d.where, d.order, d.limit, nil); err != nil {
			return nil, err
		}
		x.progress = p
	}
	for {
		r, err := p.next(x, d.order)
		if err != nil {
			return nil, err
		}
		if r == nil {
			return &Result{Affected: p.changed}, nil
		}
		if p.change == nil {
			p.change = &change{t: x.session.txn, row: r, before: r.latest()}
		}
		if err := p.carryOut(); err != nil {
			return nil, err
		}
		p.changed++
		p.done()
	}
}

// modify begins a change of the rows that a condition is true of.
func (x *Execution) modify(name string, where Expr, by []ordering, l *limit, assigned []Assignment) (*modifying, error) {
	t, err := x.table(name, writing, Patience{})
	if err != nil {
		return nil, err
	}
	if err := x.checkConditions(t, where, by); err != nil {
		return nil, err
	}
	for _, a := range assigned {
		if err := x.check(t, "field list", a.Expr); err != nil {
			return nil, err
		}
	}
	if err := x.writes(); err != nil {
		return nil, err
	}
	p := &modifying{table: t, limit: -1}
	if l != nil {
		if p.limit, err = x.count(l.count); err != nil {
			return nil, err
		}
	}
	if p.scan, err = x.scan(t, where, exclusive, Patience{}); err != nil {
		return nil, err
	}
	for _, a := range assigned {
		place := t.column(a.Column)
		if place < 0 {
			return nil, Fail(NoColumn, a.Column, "field list")
		}
		if slices.Contains(p.scan.path.index.columns, place) {
			p.rows = []*row{} // the scan would meet rows again that it has moved
		}
	}
	if !p.scan.path.isOrdered(by) || len(assigned) > 0 && len(by) > 0 {
		p.rows = []*row{}
	}
	if p.limit == 0 { // nothing is read
		p.rows, p.found = []*row{}, true
		return p, nil
	}
	x.session.txn.intend(t, exclusive)
	return p, nil
}

// next returns the next row to change: the present one until done is called.
func (p *modifying) next(x *Execution, by []ordering) (*row, error) {
	if p.change != nil {
		return p.change.row, nil
	}
	if p.rows == nil {
		if p.limit >= 0 && p.matched+p.deleted() >= int64(p.limit) {
			return nil, nil
		}
		return p.scan.next()
	}
	if err := p.collect(x, by); err != nil || len(p.rows) == 0 {
		return nil, err
	}
	return p.rows[0], nil
}

// deleted returns how many rows a DELETE has counted, which does not count what it has matched.
func (p *modifying) deleted() int64 {
	if p.matched > 0 {
		return 0
	}
	return p.changed
}

// collect finds all rows, and orders and cuts them. Of rows in order it finds no more than are wanted.
func (p *modifying) collect(x *Execution, by []ordering) error {
	enough := p.limit >= 0 && p.scan.path.isOrdered(by)
	for !p.found {
		r, err := p.scan.next()
		if err != nil {
			return err
		}
		if r != nil {
			p.rows = append(p.rows, r)
		}
		if r != nil && !(enough && len(p.rows) == p.limit) {
			continue
		}
		p.found = true
		if err := sortRows(x, p.table, p.rows, (*row).latest, by); err != nil {
			return err
		}
		if p.limit >= 0 {
			p.rows = p.rows[:min(p.limit, len(p.rows))]
		}
	}
	return nil
}

// done goes on to the next row.
func (p *modifying) done() {
	p.change, p.insert = nil, nil
	if len(p.rows) > 0 {
		p.rows = p.rows[1:]
	}
}

// to returns the change of a row to other values, nil if it has them already.
func (p *modifying) to(x *Execution, r *row, values []Value) *change {
	before := r.latest()
	if slices.EqualFunc(before, values, same) {
		return nil
	}
	t, ix := x.session.txn, p.table.clustered()
	if ix.order(ix.valuesOf(before), ix.valuesOf(values)) != 0 {
		p.insert = &change{t: t, values: values}
		return &change{t: t, row: r, before: before}
	}
	return &change{t: t, row: r, before: before, values: values}
}

// carryOut carries out the present change, and the insertion of the row under another primary key.
func (p *modifying) carryOut() error {
	if err := p.change.run(p.table); err != nil {
		return err
	}
	if p.insert != nil {
		return p.insert.run(p.table)
	}
	return nil
}

// assign returns a row after assignments, one after the other.
func (x *Execution) assign(t *table, list []Assignment, before, fresh []Value) ([]Value, error) {
	values := slices.Clone(before)
	assigned := make([]bool, len(values))
	for _, a := range list {
		place := t.column(a.Column)
		v, err := x.fallback(t.columns[place])
		if a.Expr != nil {
			v, err = eval(a.Expr, &scope{x: x, table: t, row: values, fresh: fresh})
		}
		if err != nil {
			return nil, err
		}
		if values[place], err = t.columns[place].store(v); err != nil {
			return nil, err
		}
		assigned[place] = true
	}
	if slices.EqualFunc(before, values, same) {
		return values, nil
	}
	for i, c := range t.columns {
		if c.OnUpdate != nil && !assigned[i] {
			v, err := x.Evaluate(c.OnUpdate)
			if err != nil {
				return nil, err
			}
			if values[i], err = c.store(v); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// fallback returns the default of a column.
func (x *Execution) fallback(c *Column) (Value, error) {
	if c.Fallback == nil {
		return Value{}, nil
	}
	return x.Evaluate(c.Fallback)
}
