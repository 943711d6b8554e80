package sql

import (
	"slices"
	"strings"
)

// defines begins a statement that defines tables.
func (x *Execution) defines() (*Database, error) {
	s := x.session
	if err := s.mayWrite(); err != nil {
		return nil, err
	}
	if s.Database == "" {
		return nil, Fail(NoDatabase)
	}
	return s.db, x.commitsFirst()
}

// takes waits until no other session uses the tables.
func (x *Execution) takes(names ...string) error {
	list := slices.Clone(names)
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(tableKey(a), tableKey(b)) })
	for _, name := range list {
		if err := x.session.use(name, defining, Patience{}); err != nil {
			return err
		}
	}
	if x.session.locksTables {
		return Fail(Unsupported, x.statement.Name()+" of a table that the session has locked")
	}
	return nil
}

// define drops the table with the name drop, unless that is empty, and creates a table,
// unless that is nil.
func (s *Session) define(drop string, create *table) {
	d := Definition{drop: drop, like: create, by: s.client.Origin()}
	s.db.drop(d)
	if create != nil {
		d.number = create.counter
		s.db.add(create)
	}
	s.db.host.Defined(s.client, d)
}

// Run creates the table.
func (c *CreateTable) Run(x *Execution) (*Result, error) {
	db, err := x.defines()
	if err != nil {
		return nil, err
	}
	if x.session.locksTables {
		if err := x.session.mayUse(c.plan.Name, reading); err != nil {
			return nil, err
		}
	}
	if db.tables[tableKey(c.plan.Name)] != nil {
		if c.ifNotExists {
			x.session.Warnings++
			return &Result{}, nil
		}
		return nil, Fail(TableExists, c.plan.Name)
	}
	t, err := newTable(c.plan, db.dialect.Collation)
	if err != nil {
		return nil, err
	}
	x.session.define("", t)
	return &Result{}, nil
}

// Run drops the tables.
func (d *DropTable) Run(x *Execution) (*Result, error) {
	db, err := x.defines()
	if err != nil {
		return nil, err
	}
	if err := x.takes(d.names...); err != nil {
		return nil, err
	}
	var missing []string
	for _, name := range d.names {
		t := db.tables[tableKey(name)]
		if t == nil {
			missing = append(missing, x.session.Database+"."+name)
			continue
		}
		x.session.define(t.name, nil)
	}
	if len(missing) > 0 && !d.ifExists {
		return nil, Fail(UnknownTables, strings.Join(missing, ","))
	}
	return &Result{}, nil
}

// Run fails for a column that is there already. What would change the table is refused.
func (a *AlterTable) Run(x *Execution) (*Result, error) {
	if _, err := x.defines(); err != nil {
		return nil, err
	}
	t, err := x.find(a.plan.Name)
	if err != nil {
		return nil, err
	}
	for _, c := range a.plan.Columns {
		if t.column(c.Name) >= 0 && !x.session.locksTables {
			return nil, Fail(DuplicateColumn, t.columns[t.column(c.Name)].Name)
		}
	}
	return nil, Fail(Unsupported, "a change of a table")
}

// Run empties the table.
func (t *TruncateTable) Run(x *Execution) (*Result, error) {
	db, err := x.defines()
	if err != nil {
		return nil, err
	}
	if err := x.takes(t.name); err != nil {
		return nil, err
	}
	old := db.tables[tableKey(t.name)]
	if old == nil {
		return nil, Fail(NoTable, x.session.Database+"."+t.name)
	}
	x.session.define(old.name, old.empty())
	return &Result{}, nil
}

// commitsFirst commits the open transaction before a statement, if the dialect does so; otherwise it refuses
// the statement in a transaction.
func (x *Execution) commitsFirst() error {
	s := x.session
	first := s.db.dialect.CommitsFirst
	switch {
	case first != nil && first(x.statement):
		return s.commitOpen()
	case s.InTransaction():
		return Fail(InTransaction)
	}
	return nil
}

// Run begins a transaction.
func (b *Begin) Run(x *Execution) (*Result, error) {
	x.session.UnlockTables(&Ending{By: x.session.client.Origin()})
	if err := x.commitsFirst(); err != nil {
		return nil, err
	}
	s := x.session
	s.explicit = true
	t := s.transaction()
	t.readOnly = t.readOnly || b.ReadOnly
	if b.Snapshot && !t.level.FreshSnapshots && !t.level.LocksReads {
		t.snapshot(&x.viewed)
	}
	return &Result{}, nil
}

// Run commits the open transaction.
func (*Commit) Run(x *Execution) (*Result, error) {
	return &Result{}, x.session.commitOpen()
}

// Run rolls back the open transaction, or its changes since a savepoint.
func (r *Rollback) Run(x *Execution) (*Result, error) {
	s := x.session
	end := &Ending{By: s.client.Origin()}
	if r.to == "" {
		s.Rollback(end)
		return &Result{}, nil
	}
	i := s.savepoint(r.to)
	if i < 0 {
		return nil, Fail(NoSavepoint, r.to)
	}
	s.txn.toPoint(i, end)
	if t := s.txn; len(t.intentions)+len(t.structures) == 0 {
		s.endUses(t.points[i].uses)
	}
	return &Result{}, nil
}

// Run makes or releases a savepoint.
func (p *Savepoint) Run(x *Execution) (*Result, error) {
	s := x.session
	i := s.savepoint(p.name)
	switch {
	case p.release && i < 0:
		return nil, Fail(NoSavepoint, p.name)
	case p.release:
		s.txn.points = s.txn.points[:i]
	case s.explicit || !s.autocommit:
		t := s.transaction()
		if i >= 0 {
			t.points = slices.Delete(t.points, i, i+1)
		}
		t.points = append(t.points, point{p.name, len(t.undo), t.used, len(s.claims)})
	}
	return &Result{}, nil
}
