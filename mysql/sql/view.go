package sql

// View is a table of another database that shows the state of the server. Columns that it lacks are refused.
type View struct {
	Database, Name string
	Columns        []*Column
	// Within is a column that WHERE must name: a real server has more rows than those of Rows, with other values
	// in it.
	Within string
	// Rows returns the rows that a session sees.
	Rows func(*Session) [][]Value
}

// Names returns the name of the view's database and its own name.
func (v *View) Names() (database, name string) { return v.Database, v.Name }

// table returns the view as a table.
func (v *View) table(s *Session) *table {
	return &table{name: v.Name, collation: s.db.dialect.Collation, columns: v.Columns}
}

// ofView reads a view, which needs no transaction.
func (s *Select) ofView(x *Execution) (*Result, error) {
	if err := s.checkView(x); err != nil {
		return nil, err
	}
	if err := x.ask(s.where); err != nil {
		return nil, err
	}
	v := s.view.(*View)
	p := &selecting{table: v.table(x.session)}
	for _, row := range v.Rows(x.session) {
		ok, err := x.meets(s.where, p.table, row)
		if err != nil {
			return nil, err
		}
		if ok {
			p.rows = append(p.rows, row)
		}
	}
	return s.finish(x, p)
}

// checkView refuses what a view does not have, and locks on it.
func (s *Select) checkView(x *Execution) error {
	v := s.view.(*View)
	t, name := v.table(x.session), v.Database+"."+v.Name
	for _, i := range s.items {
		if i.isAll {
			return Fail(Unsupported, "all columns of "+name)
		}
	}
	for _, e := range s.exprs() {
		if anyPart(e, func(e Expr) bool { c, is := e.(*ColumnRef); return is && t.column(c.Name) < 0 }) {
			return Fail(Unsupported, "a column of "+name)
		}
	}
	within := func(e Expr) bool { c, is := e.(*ColumnRef); return is && t.column(c.Name) == t.column(v.Within) }
	switch {
	case !anyPart(s.where, within):
		return Fail(Unsupported, name+" without a condition on "+v.Within)
	case s.locking != LockNothing:
		return Fail(Unsupported, "a lock on "+name)
	}
	if err := s.checkItems(x, t); err != nil {
		return err
	}
	return x.checkConditions(t, s.where, s.order)
}
