package executor

import (
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// rules are what the rows of a table have to meet.
type rules struct {
	a         *analysis
	table     *storage.Table
	generated map[int]*value
	checks    []check
	keys      []foreignKey
	incoming  []incoming
	triggers  []triggerInfo
}

// check is an analysed CHECK constraint.
type check struct {
	name   string
	cond   *value
	source syntax.Expr
}

// rulesOf analyses the rules of a table.
func (a *analysis) rulesOf(t *storage.Table) (*rules, error) {
	r := &rules{a: a, table: t, generated: map[int]*value{}}
	info := tableInfoOf(t)
	r.keys, r.triggers = info.Keys, info.Triggers
	r.incoming = a.incomingKeys(t)
	s := a.rowScope(t)
	for place, c := range t.Columns {
		expr := infoOf(c).Generated
		if c.Dropped || expr == nil {
			continue
		}
		v, err := s.expr(expr)
		if err != nil {
			return nil, err
		}
		if r.generated[place], err = a.assignable(v, c.Name, c.Type, c.Mod); err != nil {
			return nil, err
		}
	}
	for _, c := range info.Checks {
		conds, err := s.where(c.Expr, "CHECK constraint")
		if err != nil {
			return nil, err
		}
		r.checks = append(r.checks, check{c.Name, conjunction(conds, 0), c.Expr})
	}
	return r, nil
}

// rowScope returns a scope with the columns of one table.
func (a *analysis) rowScope(t *storage.Table) *scope {
	s := &scope{a: a}
	entry := tableEntry(t)
	entry.place, s.rtes = 0, []*rte{entry}
	s.items = []*nsItem{entry.item()}
	return s
}

// defaultOf analyses the default of a column; the value is NULL if it has none.
func (a *analysis) defaultOf(t *storage.Table, place int) (*value, error) {
	c := t.Columns[place]
	info := infoOf(c)
	x := info.Default
	if info.Identity != "" {
		x = nextval(info.Sequence)
	}
	if x == nil {
		return constantOf(c.Type, nil, 0), nil
	}
	v, err := (&scope{a: a}).expr(x)
	if err != nil {
		return nil, err
	}
	return a.assignable(v, c.Name, c.Type, c.Mod)
}

// nextval returns the expression that draws a number.
func nextval(sequence syntax.Name) syntax.Expr {
	text := quoteName(sequence.Schema) + "." + quoteName(sequence.Name)
	return &syntax.Call{Name: "nextval", Args: []syntax.Expr{&syntax.Const{Kind: syntax.String, Text: text}}}
}

// rowEnv returns the environment of an expression about one row.
func (e *env) rowEnv(row []types.Value) *env {
	return &env{run: e.run, outer: e, rows: [][]types.Value{row}, tuples: make([]*storage.Tuple, 1)}
}

// generate sets the generated columns of a row.
func (r *rules) generate(e *env, row []types.Value) error {
	for place := range r.table.Columns {
		v := r.generated[place]
		if v == nil {
			continue
		}
		x, err := v.eval(e.rowEnv(row))
		if err != nil {
			return err
		}
		row[place] = x
	}
	return nil
}

// check reports the first rule that a row breaks: NOT NULL in the order of the columns, then CHECK by their names.
func (r *rules) check(e *env, row []types.Value) error {
	for place, c := range r.table.Columns {
		if c.NotNull && !c.Dropped && row[place] == nil {
			err := pgerror.New(pgerror.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, r.table.Name).
				WithDetail("Failing row contains %s.", r.shown(row))
			err.Schema, err.Table, err.Column = r.table.Schema, r.table.Name, c.Name
			return err
		}
	}
	for _, c := range r.checks {
		x, err := c.cond.eval(e.rowEnv(row))
		if err != nil {
			return err
		}
		if x == false {
			err := pgerror.New(pgerror.CheckViolation, "new row for relation \"%s\" violates check constraint \"%s\"", r.table.Name, c.name).
				WithDetail("Failing row contains %s.", r.shown(row))
			err.Schema, err.Table, err.Constraint = r.table.Schema, r.table.Name, c.name
			return err
		}
	}
	return nil
}

// shown returns a row as errors show it.
func (r *rules) shown(row []types.Value) string {
	const most = 64
	var parts []string
	for i, c := range r.table.Columns {
		if c.Dropped {
			continue
		}
		text := "null"
		if row[i] != nil {
			text = types.Text(c.Type, row[i])
			if len(text) > most {
				cut := most
				for !utf8.RuneStart(text[cut]) {
					cut--
				}
				text = text[:cut] + "..."
			}
		}
		parts = append(parts, text)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// inserted, updated and deleted note that a row was changed, for the triggers and the foreign keys of the end of the statement.
func (r *rules) inserted(e *env, row []types.Value) {
	for _, k := range r.keys {
		e.later(func() error { return r.checkParent(e, k, row) })
	}
	r.after(e, "INSERT", nil, row)
}

func (r *rules) updated(e *env, old, row []types.Value) {
	for _, in := range r.incoming {
		if !r.sameKey(in.places, old, row) {
			e.later(func() error { return r.parentGone(e, in, old, row) })
		}
	}
	for _, k := range r.keys {
		if !r.sameKey(k.Columns, old, row) {
			e.later(func() error { return r.checkParent(e, k, row) })
		}
	}
	r.after(e, "UPDATE", old, row)
}

func (r *rules) deleted(e *env, old []types.Value) {
	for _, in := range r.incoming {
		e.later(func() error { return r.parentGone(e, in, old, nil) })
	}
	r.after(e, "DELETE", old, nil)
}

// later calls f at the end of the statement.
func (e *env) later(f func() error) { e.checks = append(e.checks, f) }

// sameKey reports whether two rows have the same values in some columns.
func (r *rules) sameKey(places []int, a, b []types.Value) bool {
	for _, p := range places {
		x, y := at(a, p), at(b, p)
		if (x == nil) != (y == nil) || x != nil && types.Compare(r.table.Columns[p].Type, x, y) != 0 {
			return false
		}
	}
	return true
}

// at returns a value of a row, which may be older than the column.
func at(row []types.Value, place int) types.Value {
	if place < len(row) {
		return row[place]
	}
	return nil
}
