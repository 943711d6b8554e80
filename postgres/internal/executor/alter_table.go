package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// alterTable is ALTER TABLE.
func (a *analysis) alterTable(st *syntax.AlterTable) error {
	if st.Object != "TABLE" {
		return pgerror.Lacks("ALTER %s", st.Object)
	}
	t, err := a.openIfExists(st.Table, storage.AccessExclusive)
	if err != nil {
		return err
	}
	if t == nil {
		if st.IfExists {
			a.notice("00000", "relation %q does not exist, skipping", st.Table.Name)
			return nil
		}
		return a.noTable(st.Table)
	}
	for i := range st.Actions {
		d := &tableDraft{a: a, table: t, info: tableInfoOf(t)}
		if err := d.alter(&st.Actions[i]); err != nil {
			return withoutPosition(err)
		}
		a.backend.NextCommand()
	}
	return nil
}

// withoutPosition returns an error without its position, which is in another text than the client's or was not kept.
func withoutPosition(err error) error {
	e := *pgerror.From(err)
	e.Position = 0
	return &e
}

// alter executes one action.
func (d *tableDraft) alter(x *syntax.AlterAction) error {
	switch x.Kind {
	case syntax.AlterNothing, syntax.ValidateConstraint:
		return nil
	case syntax.AddColumn:
		return d.addColumn(x)
	case syntax.AddConstraint:
		return d.addConstraint(*x.Constraint)
	case syntax.DropConstraint:
		return d.dropConstraint(x)
	case syntax.RenameTable:
		if _, there := d.a.relation(syntax.Name{Schema: d.table.Schema, Name: x.NewName}); there {
			return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", x.NewName)
		}
		return d.change(func() { d.table.Name = x.NewName })
	case syntax.RenameConstraint, syntax.SetSchema:
		return pgerror.Lacks("this action of ALTER TABLE")
	}
	i := slices.IndexFunc(d.table.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == x.Name })
	if i < 0 {
		if x.Kind == syntax.DropColumn && x.IfExists {
			d.a.notice("00000", "column %q of relation %q does not exist, skipping", x.Name, d.table.Name)
			return nil
		}
		return pgerror.New(pgerror.UndefinedColumn, "column %q of relation %q does not exist", x.Name, d.table.Name)
	}
	return d.alterColumn(x, i)
}

// change changes the definition.
func (d *tableDraft) change(f func()) error { return d.a.backend.AlterTable(d.table, f, nil) }

// alterColumn executes an action on a column.
func (d *tableDraft) alterColumn(x *syntax.AlterAction, i int) error {
	t := d.table
	info := infoOf(t.Columns[i])
	switch x.Kind {
	case syntax.DropColumn:
		return d.dropColumn(i)
	case syntax.RenameColumn:
		if slices.ContainsFunc(t.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == x.NewName }) {
			return pgerror.New(pgerror.DuplicateColumn, "column %q of relation %q already exists", x.NewName, t.Name)
		}
		if len(d.info.Checks) > 0 || len(d.a.incomingKeys(t)) > 0 {
			return pgerror.Lacks("RENAME COLUMN of a table with checks or foreign keys")
		}
		return d.change(func() { t.Columns[i].Name = x.NewName })
	case syntax.SetDefault:
		info.Default = x.Expr
	case syntax.DropDefault:
		info.Default = nil
	case syntax.SetNotNull:
		return d.setNotNull(i)
	case syntax.DropNotNull:
		return d.change(func() { t.Columns[i].NotNull = false })
	case syntax.AlterType:
		return d.alterType(x, i)
	default:
		return pgerror.Lacks("this action of ALTER TABLE")
	}
	if err := d.change(func() { t.Columns[i].Info = info }); err != nil {
		return err
	}
	_, err := d.a.defaultOf(t, i)
	return err
}

// addColumn adds a column, with its default in the rows that are there.
func (d *tableDraft) addColumn(x *syntax.AlterAction) error {
	t := d.table
	if slices.ContainsFunc(t.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == x.Column.Name }) {
		if x.IfNotExists {
			d.a.notice(pgerror.DuplicateColumn, "column %q of relation %q already exists, skipping", x.Column.Name, t.Name)
			return nil
		}
		return pgerror.New(pgerror.DuplicateColumn, "column %q of relation %q already exists", x.Column.Name, t.Name)
	}
	draft := &tableDraft{a: d.a, table: &storage.Table{Schema: t.Schema, Name: t.Name, Columns: slices.Clone(t.Columns)}, info: d.info}
	if err := draft.column(x.Column); err != nil {
		return err
	}
	c := draft.table.Columns[len(draft.table.Columns)-1]
	initial, err := d.a.defaultOf(draft.table, len(t.Columns))
	if err != nil {
		return err
	}
	e := &env{run: &run{session: d.a.session, backend: d.a.backend, once: map[*subplan]*once{}, ctes: map[*cte]*cteState{}}}
	width := len(t.Columns)
	convert := func(row []types.Value) ([]types.Value, error) {
		row = append(slices.Clone(row), make([]types.Value, width+1-len(row))...)
		v, err := initial.eval(e)
		if err == nil && v == nil && c.NotNull {
			err = nullsIn(t, c.Name)
		}
		row[width] = v
		return row, err
	}
	if err := d.a.backend.AlterTable(t, func() { t.Columns = append(t.Columns, c) }, convert); err != nil {
		return err
	}
	d.keys, d.foreign = draft.keys, draft.foreign
	for _, check := range draft.checks {
		if err := d.addCheck(check); err != nil {
			return err
		}
	}
	return d.finish()
}

// nullsIn is the error about a column that has nulls.
func nullsIn(t *storage.Table, column string) error {
	err := pgerror.New(pgerror.NotNullViolation, "column %q of relation %q contains null values", column, t.Name)
	err.Schema, err.Table, err.Column = t.Schema, t.Name, column
	return err
}

// setNotNull is SET NOT NULL.
func (d *tableDraft) setNotNull(i int) error {
	t := d.table
	err := d.a.eachRow(t, func(_ *env, row []types.Value) error {
		if at(row, i) == nil {
			return nullsIn(t, t.Columns[i].Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.change(func() { t.Columns[i].NotNull = true })
}

// alterType changes the type of a column.
func (d *tableDraft) alterType(x *syntax.AlterAction, i int) error {
	a, t := d.a, d.table
	typ, mod, err := a.typeOf(x.Type)
	if err != nil {
		return err
	}
	var v *value
	s := a.rowScope(t)
	if x.Using != nil {
		v, err = s.expr(x.Using)
	} else {
		v = s.rtes[0].ref(slices.Index(s.rtes[0].places, i), 0, 0)
	}
	if err != nil {
		return err
	}
	if v, err = a.coerce(v, typ, mod, types.Assignment); err != nil {
		return err
	}
	if v == nil {
		return pgerror.New(pgerror.DatatypeMismatch, "column %q cannot be cast automatically to type %s", x.Name, a.typeName(typ)).
			WithHint("You might need to specify \"USING %s::%s\".", quoteName(x.Name), types.NameWithMod(typ, mod))
	}
	e := &env{run: &run{session: a.session, backend: a.backend, once: map[*subplan]*once{}, ctes: map[*cte]*cteState{}}}
	convert := func(row []types.Value) ([]types.Value, error) {
		y, err := v.eval(e.rowEnv(row))
		row = append(slices.Clone(row), make([]types.Value, len(t.Columns)-len(row))...)
		row[i] = y
		return row, err
	}
	var again []*storage.Index
	for _, ix := range slices.Clone(t.Indexes) {
		if slices.Contains(ix.Uses, i) {
			again = append(again, ix)
			a.backend.DropIndex(ix)
		}
	}
	if err := a.backend.AlterTable(t, func() { t.Columns[i].Type, t.Columns[i].Mod = typ, mod }, convert); err != nil {
		return err
	}
	for _, old := range again {
		info := indexInfoOf(old)
		ix, err := a.newIndex(t, old.Name, info.Elems, info.Where)
		if err != nil {
			return err
		}
		ix.OID, ix.Unique, ix.Primary, ix.Constraint = old.OID, old.Unique, old.Primary, old.Constraint
		if err := a.backend.CreateIndex(ix); err != nil {
			return err
		}
	}
	return nil
}

// dropColumn drops a column, with the indexes and constraints that have it.
func (d *tableDraft) dropColumn(i int) error {
	t := d.table
	for _, in := range d.a.incomingKeys(t) {
		if slices.Contains(in.places, i) {
			return pgerror.Lacks("DROP COLUMN of a column to which a foreign key refers")
		}
	}
	for _, ix := range slices.Clone(t.Indexes) {
		if slices.Contains(ix.Uses, i) {
			d.a.backend.DropIndex(ix)
		}
	}
	info := d.info
	info.Keys = slices.DeleteFunc(slices.Clone(info.Keys), func(k foreignKey) bool { return slices.Contains(k.Columns, i) })
	info.Checks = slices.DeleteFunc(slices.Clone(info.Checks), func(c checkInfo) bool {
		conds, err := d.a.rowScope(t).where(c.Expr, "CHECK constraint")
		return err == nil && slices.Contains(columnsOf(conds), i)
	})
	sequence := infoOf(t.Columns[i]).Sequence
	err := d.change(func() {
		c := t.Columns[i]
		c.Dropped, c.NotNull, c.Info = true, false, nil
		t.Info = info
	})
	if err == nil && sequence.Name != "" {
		if q := d.a.sequence(sequence); q != nil {
			d.a.backend.DropSequence(q)
		}
	}
	return err
}

// addConstraint is ADD CONSTRAINT.
func (d *tableDraft) addConstraint(c syntax.Constraint) error {
	switch c.Kind {
	case syntax.ConstraintCheck:
		return d.addCheck(c)
	case syntax.ConstraintForeignKey:
		return d.addForeignKey(c)
	case syntax.ConstraintPrimaryKey, syntax.ConstraintUnique:
		for _, name := range c.Columns {
			if _, err := d.place(name); err != nil {
				return err
			}
		}
		if c.Kind == syntax.ConstraintPrimaryKey {
			if slices.ContainsFunc(d.table.Indexes, func(ix *storage.Index) bool { return ix.Primary }) {
				return pgerror.New(pgerror.InvalidTableDefinition, "multiple primary keys for table %q are not allowed", d.table.Name)
			}
			for _, name := range c.Columns {
				i, err := d.place(name)
				if err != nil {
					return err
				}
				if err := d.setNotNull(i); err != nil {
					return err
				}
			}
		}
		return d.addKey(c)
	}
	return pgerror.Lacks("this constraint of a table")
}

// dropConstraint is DROP CONSTRAINT.
func (d *tableDraft) dropConstraint(x *syntax.AlterAction) error {
	t, info := d.table, d.info
	info.Checks = slices.DeleteFunc(slices.Clone(info.Checks), func(c checkInfo) bool { return c.Name == x.Name })
	info.Keys = slices.DeleteFunc(slices.Clone(info.Keys), func(k foreignKey) bool { return k.Name == x.Name })
	if len(info.Checks) < len(d.info.Checks) || len(info.Keys) < len(d.info.Keys) {
		return d.change(func() { t.Info = info })
	}
	for _, ix := range t.Indexes {
		if ix.Constraint && ix.Name == x.Name {
			d.a.backend.DropIndex(ix)
			return nil
		}
	}
	if x.IfExists {
		d.a.notice("00000", "constraint %q of relation %q does not exist, skipping", x.Name, t.Name)
		return nil
	}
	return pgerror.New(pgerror.UndefinedObject, "constraint %q of relation %q does not exist", x.Name, t.Name)
}
