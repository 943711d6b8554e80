package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// tableDraft is a table that is being defined: what is left to do when its columns are known.
type tableDraft struct {
	a       *analysis
	table   *storage.Table
	info    tableInfo
	keys    []syntax.Constraint // primary and unique ones
	foreign []syntax.Constraint
	checks  []syntax.Constraint
}

// createTable is CREATE TABLE.
func (a *analysis) createTable(st *syntax.CreateTable) error {
	switch {
	case st.Temporary:
		return pgerror.Lacks("temporary tables")
	case st.Like != nil:
		return pgerror.Lacks("CREATE TABLE with LIKE")
	case st.Query != nil:
		return pgerror.Lacks("CREATE TABLE AS")
	}
	schema, err := a.creation(st.Table)
	if err != nil {
		return err
	}
	name := syntax.Name{Schema: schema, Name: st.Table.Name}
	if _, there := a.relation(name); there {
		if st.IfNotExists {
			a.notice(pgerror.DuplicateTable, "relation %q already exists, skipping", name.Name)
			return nil
		}
	}
	d := &tableDraft{a: a, table: &storage.Table{Schema: schema, Name: name.Name}}
	for i := range st.Columns {
		if err := d.column(&st.Columns[i]); err != nil {
			return err
		}
	}
	for _, c := range st.Constraints {
		if err := d.constraint(c); err != nil {
			return err
		}
	}
	if err := d.markKeys(); err != nil {
		return err
	}
	if _, there := a.relation(name); there {
		return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", name.Name)
	}
	if err := d.addChecks(); err != nil {
		return err
	}
	d.table.Info = d.info
	if err := a.backend.CreateTable(d.table); err != nil {
		return err
	}
	a.backend.NextCommand()
	return d.finish()
}

// column adds a column.
func (d *tableDraft) column(def *syntax.ColumnDef) error {
	if slices.ContainsFunc(d.table.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == def.Name }) {
		return pgerror.New(pgerror.DuplicateColumn, "column %q specified more than once", def.Name)
	}
	c, err := d.newColumn(def)
	if err != nil {
		return err
	}
	d.table.Columns = append(d.table.Columns, c)
	for _, con := range def.Constraints {
		switch con.Kind {
		case syntax.ConstraintPrimaryKey, syntax.ConstraintUnique, syntax.ConstraintForeignKey, syntax.ConstraintCheck:
			if con.Kind != syntax.ConstraintCheck {
				con.Columns = []string{def.Name}
			}
			if err := d.constraint(con); err != nil {
				return err
			}
		}
	}
	return nil
}

// serials are the types that make a sequence.
var serials = map[string]types.OID{
	"serial": types.Int4OID, "serial4": types.Int4OID, "bigserial": types.Int8OID, "serial8": types.Int8OID,
	"smallserial": types.Int2OID, "serial2": types.Int2OID,
}

// newColumn makes a column of its definition, and its sequence.
func (d *tableDraft) newColumn(def *syntax.ColumnDef) (*storage.Column, error) {
	c := &storage.Column{Name: def.Name, Mod: -1}
	info := columnInfo{}
	var err error
	if t, ok := serials[def.Type.Name.Name]; ok && def.Type.Schema == "" && def.Type.Dims == 0 {
		c.Type, c.NotNull = t, true
		if info.Sequence, err = d.newSequence(def.Name, t, syntax.SequenceOptions{}); err != nil {
			return nil, err
		}
		info.Default = nextval(info.Sequence)
	} else if c.Type, c.Mod, err = d.a.typeOf(def.Type); err != nil {
		return nil, err
	}
	for _, con := range def.Constraints {
		switch con.Kind {
		case syntax.ConstraintNotNull, syntax.ConstraintPrimaryKey:
			c.NotNull = true
		case syntax.ConstraintDefault:
			info.Default = con.Expr
		case syntax.ConstraintGenerated:
			info.Generated = con.Expr
		case syntax.ConstraintIdentity:
			c.NotNull, info.Identity = true, "BY DEFAULT"
			if con.Always {
				info.Identity = always
			}
			if info.Sequence, err = d.newSequence(def.Name, c.Type, con.Sequence); err != nil {
				return nil, err
			}
		}
	}
	c.Info = info
	if info.Default != nil {
		probe := &storage.Table{Columns: []*storage.Column{c}}
		if _, err := d.a.defaultOf(probe, 0); err != nil {
			return nil, defaultError(err, c, d.a)
		}
	}
	return c, nil
}

// defaultError names a column whose default has another type.
func defaultError(err error, c *storage.Column, a *analysis) error {
	e := pgerror.From(err)
	if e.Code == pgerror.DatatypeMismatch {
		e.Message = strings.Replace(e.Message, "but expression", "but default expression", 1)
	}
	return e
}

// newSequence creates the sequence of a column.
func (d *tableDraft) newSequence(column string, t types.OID, o syntax.SequenceOptions) (syntax.Name, error) {
	name := syntax.Name{Schema: d.table.Schema, Name: d.a.freeName(d.table.Schema, d.table.Name, column, "seq")}
	q, err := d.a.newSequence(name, t, o)
	if err != nil {
		return name, err
	}
	return name, d.a.backend.CreateSequence(q)
}

// constraint sorts a constraint to what is done with it.
func (d *tableDraft) constraint(c syntax.Constraint) error {
	switch c.Kind {
	case syntax.ConstraintPrimaryKey:
		if slices.ContainsFunc(d.keys, func(k syntax.Constraint) bool { return k.Kind == syntax.ConstraintPrimaryKey }) {
			return pgerror.New(pgerror.InvalidTableDefinition, "multiple primary keys for table %q are not allowed", d.table.Name).At(c.Pos)
		}
		d.keys = append([]syntax.Constraint{c}, d.keys...)
	case syntax.ConstraintUnique:
		d.keys = append(d.keys, c)
	case syntax.ConstraintForeignKey:
		d.foreign = append(d.foreign, c)
	case syntax.ConstraintCheck:
		d.checks = append(d.checks, c)
	default:
		return pgerror.Lacks("this constraint of a table")
	}
	return nil
}

// place returns the place of a column of a key.
func (d *tableDraft) place(name string) (int, error) {
	i := slices.IndexFunc(d.table.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == name })
	if i < 0 {
		return 0, pgerror.New(pgerror.UndefinedColumn, "column %q named in key does not exist", name)
	}
	return i, nil
}

// markKeys sets the columns of the primary key NOT NULL.
func (d *tableDraft) markKeys() error {
	for _, k := range d.keys {
		for _, name := range k.Columns {
			i, err := d.place(name)
			if err != nil {
				return pgerror.From(err).At(k.Pos)
			}
			if k.Kind == syntax.ConstraintPrimaryKey {
				d.table.Columns[i].NotNull = true
			}
		}
	}
	return nil
}

// addChecks analyses the CHECK constraints.
func (d *tableDraft) addChecks() error {
	for _, c := range d.checks {
		s := d.a.rowScope(d.table)
		conds, err := s.where(c.Expr, "CHECK constraint")
		if err != nil {
			return err
		}
		name := c.Name
		if name == "" {
			column := ""
			if refs := columnsOf(conds); len(refs) == 1 {
				column = d.table.Columns[refs[0]].Name
			}
			name = d.constraintName(column, "check")
		}
		if d.hasConstraint(name) {
			return pgerror.New(pgerror.DuplicateObject, "constraint %q for relation %q already exists", name, d.table.Name)
		}
		d.info.Checks = append(slices.Clone(d.info.Checks), checkInfo{name, c.Expr})
		slices.SortFunc(d.info.Checks, func(x, y checkInfo) int { return strings.Compare(x.Name, y.Name) })
	}
	return nil
}

// columnsOf returns the places of the columns that conditions have, each once.
func columnsOf(conds []*value) (list []int) {
	for _, c := range conds {
		for _, ref := range c.bare {
			if ref.n >= 0 && !slices.Contains(list, ref.rte.places[ref.n]) {
				list = append(list, ref.rte.places[ref.n])
			}
		}
	}
	return list
}

// hasConstraint reports whether the table has a constraint of a name.
func (d *tableDraft) hasConstraint(name string) bool {
	return slices.ContainsFunc(d.info.Checks, func(c checkInfo) bool { return c.Name == name }) ||
		slices.ContainsFunc(d.info.Keys, func(k foreignKey) bool { return k.Name == name }) ||
		slices.ContainsFunc(d.table.Indexes, func(ix *storage.Index) bool { return ix.Constraint && ix.Name == name })
}

// constraintName chooses a free name of a constraint.
func (d *tableDraft) constraintName(column, label string) string {
	return freeNumbered(d.table.Name, column, label, d.hasConstraint)
}

// finish creates the indexes and the foreign keys of a table that exists.
func (d *tableDraft) finish() error {
	for _, k := range d.keys {
		if err := d.addKey(k); err != nil {
			return err
		}
	}
	for _, k := range d.foreign {
		if err := d.addForeignKey(k); err != nil {
			return err
		}
	}
	return nil
}

// addKey creates the index of a primary or unique key.
func (d *tableDraft) addKey(k syntax.Constraint) error {
	if k.NullsNotDistinct {
		return pgerror.Lacks("NULLS NOT DISTINCT")
	}
	if k.Deferrable {
		return pgerror.Lacks("deferrable keys")
	}
	primary := k.Kind == syntax.ConstraintPrimaryKey
	if k.UsingIndex != "" {
		return d.adoptIndex(k)
	}
	var elems []syntax.IndexElem
	for _, name := range k.Columns {
		elems = append(elems, syntax.IndexElem{Column: name})
	}
	name := k.Name
	if name == "" {
		if primary {
			name = d.a.freeName(d.table.Schema, d.table.Name, "", "pkey")
		} else {
			name = d.a.freeName(d.table.Schema, d.table.Name, strings.Join(k.Columns, "_"), "key")
		}
	}
	ix, err := d.a.newIndex(d.table, name, elems, nil)
	if err != nil {
		return err
	}
	ix.Unique, ix.Primary, ix.Constraint = true, primary, true
	return d.a.backend.CreateIndex(ix)
}

// adoptIndex makes a unique index a constraint.
func (d *tableDraft) adoptIndex(k syntax.Constraint) error {
	i := slices.IndexFunc(d.table.Indexes, func(ix *storage.Index) bool { return ix.Name == k.UsingIndex })
	if i < 0 {
		return pgerror.New(pgerror.UndefinedObject, "index %q does not exist", k.UsingIndex).At(k.Pos)
	}
	return pgerror.Lacks("ADD CONSTRAINT ... USING INDEX")
}

// freeName chooses a name of an index or a sequence that no relation has.
func (a *analysis) freeName(schema, table, column, label string) string {
	return freeNumbered(table, column, label, func(name string) bool {
		_, there := a.relation(syntax.Name{Schema: schema, Name: name})
		return there
	})
}

// freeNumbered makes a name of its parts, shortened to 63 bytes, with a number if it is taken.
func freeNumbered(table, column, label string, taken func(string) bool) string {
	for n := 0; ; n++ {
		end := label
		if n > 0 {
			end += string(rune('0' + n%10))
		}
		name := objectName(table, column, end)
		if !taken(name) {
			return name
		}
	}
}

// objectName is makeObjectName.
func objectName(table, column, label string) string {
	over := len(label) + 1
	if column != "" {
		over++
	}
	t, c := len(table), len(column)
	for t+c > 63-over {
		if t > c {
			t--
		} else {
			c--
		}
	}
	name := table[:t]
	if column != "" {
		name += "_" + column[:c]
	}
	return name + "_" + label
}
