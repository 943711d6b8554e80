package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// addForeignKey adds a foreign key to a table that exists.
func (d *tableDraft) addForeignKey(c syntax.Constraint) error {
	a, t := d.a, d.table
	if c.Deferrable || c.InitiallyDeferred {
		return pgerror.Lacks("deferrable foreign keys")
	}
	if c.Match != "" && c.Match != "SIMPLE" {
		return pgerror.Lacks("MATCH %s", c.Match)
	}
	to := t
	if c.References.Name != t.Name || c.References.Schema != "" && c.References.Schema != t.Schema {
		var err error
		if to, err = a.openIfExists(c.References, storage.ShareRowExclusive); err != nil {
			return err
		}
		if to == nil {
			return a.noTable(c.References)
		}
	}
	k := foreignKey{Name: c.Name, Table: syntax.Name{Schema: to.Schema, Name: to.Name}, OnDelete: c.OnDelete, OnUpdate: c.OnUpdate}
	for _, name := range c.Columns {
		i := slices.IndexFunc(t.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == name })
		if i < 0 {
			return pgerror.New(pgerror.UndefinedColumn, "column %q referenced in foreign key constraint does not exist", name)
		}
		k.Columns = append(k.Columns, i)
	}
	if err := a.referenced(&k, c, to); err != nil {
		return err
	}
	if k.Name == "" {
		k.Name = d.constraintName(strings.Join(c.Columns, "_"), "fkey")
	} else if d.hasConstraint(k.Name) {
		return pgerror.New(pgerror.DuplicateObject, "constraint %q for relation %q already exists", k.Name, t.Name)
	}
	d.info.Keys = append(slices.Clone(d.info.Keys), k)
	if err := a.backend.AlterTable(t, func() { t.Info = d.info }, nil); err != nil {
		return err
	}
	if c.NotValid {
		return nil
	}
	return a.validateForeignKey(t, k)
}

// referenced finds the columns to which a foreign key refers: they must be a primary or unique key.
func (a *analysis) referenced(k *foreignKey, c syntax.Constraint, to *storage.Table) error {
	names := c.RefColumns
	for _, ix := range to.Indexes {
		if names == nil && ix.Primary {
			for _, p := range ix.Columns {
				names = append(names, to.Columns[p].Name)
			}
		}
	}
	if names == nil {
		return pgerror.New(pgerror.UndefinedObject, "there is no primary key for referenced table %q", to.Name)
	}
	if len(names) != len(c.Columns) {
		return pgerror.New(pgerror.InvalidForeignKey, "number of referencing and referenced columns for foreign key disagree")
	}
	var places []int
	for _, name := range names {
		i := slices.IndexFunc(to.Columns, func(c *storage.Column) bool { return !c.Dropped && c.Name == name })
		if i < 0 {
			return pgerror.New(pgerror.UndefinedColumn, "column %q referenced in foreign key constraint does not exist", name)
		}
		places = append(places, i)
	}
	k.Names = names
	for _, ix := range to.Indexes {
		if ix.Unique && !ix.Partial && len(ix.Columns) == len(places) &&
			!slices.ContainsFunc(places, func(p int) bool { return !slices.Contains(ix.Columns, p) }) {
			return nil
		}
	}
	return pgerror.New(pgerror.InvalidForeignKey, "there is no unique constraint matching given keys for referenced table %q", to.Name)
}

// validateForeignKey checks the rows that a table has.
func (a *analysis) validateForeignKey(t *storage.Table, k foreignKey) error {
	a.backend.NextCommand()
	snapshot := a.backend.LatestSnapshot()
	e := &env{run: &run{session: a.session, backend: a.backend, snapshot: snapshot, once: map[*subplan]*once{}, ctes: map[*cte]*cteState{}}}
	r := &rules{a: a, table: t}
	for tuple := range t.Scan(snapshot) {
		if err := r.checkParent(e, k, tuple.Row); err != nil {
			return err
		}
	}
	return nil
}

// addCheck adds a CHECK constraint to a table that exists, and checks its rows.
func (d *tableDraft) addCheck(c syntax.Constraint) error {
	d.checks = []syntax.Constraint{c}
	if err := d.addChecks(); err != nil {
		return err
	}
	a, t := d.a, d.table
	if err := a.backend.AlterTable(t, func() { t.Info = d.info }, nil); err != nil || c.NotValid {
		return err
	}
	r, err := a.rulesOf(t)
	if err != nil {
		return err
	}
	return a.eachRow(t, func(e *env, row []types.Value) error {
		for _, check := range r.checks {
			if !sameExpr(c.Expr, check.source) {
				continue
			}
			x, err := check.cond.eval(e.rowEnv(row))
			if err != nil {
				return err
			}
			if x == false {
				err := pgerror.New(pgerror.CheckViolation, "check constraint %q of relation %q is violated by some row", check.name, t.Name)
				err.Schema, err.Table, err.Constraint = t.Schema, t.Name, check.name
				return err
			}
		}
		return nil
	})
}

// eachRow calls f for each row that a table has now.
func (a *analysis) eachRow(t *storage.Table, f func(e *env, row []types.Value) error) error {
	snapshot := a.backend.LatestSnapshot()
	e := &env{run: &run{session: a.session, backend: a.backend, snapshot: snapshot, once: map[*subplan]*once{}, ctes: map[*cte]*cteState{}}}
	for tuple := range t.Scan(snapshot) {
		if err := f(e, tuple.Row); err != nil {
			return err
		}
	}
	return nil
}
