package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// analyseConflict analyses ON CONFLICT.
func (ch *change) analyseConflict(x *syntax.OnConflict) (err error) {
	s, t := ch.scope, ch.target.table
	on := &conflict{doNothing: x.DoNothing, mode: storage.NoKeyUpdate}
	ch.insert.conflict = on
	if on.arbiters, err = ch.arbiters(x); err != nil || x.DoNothing {
		return err
	}
	on.excluded = tableEntry(t)
	on.excluded.alias, on.excluded.schema, on.excluded.system = "excluded", "", false
	if _, err := s.add(on.excluded); err != nil {
		return err
	}
	items := s.items
	it := on.excluded.item()
	if err := s.introduce(it); err != nil {
		return err
	}
	s.clause = "UPDATE"
	if on.set, err = ch.assignments(x.Set); err != nil {
		return err
	}
	if x.UpdateWhere != nil {
		conds, err := s.where(x.UpdateWhere, "WHERE")
		if err != nil {
			return err
		}
		on.where = conjunction(conds, x.UpdateWhere.Position())
	}
	s.items = items
	for _, as := range on.set {
		for _, place := range as.places {
			if isKeyColumn(t, place) {
				on.mode = storage.Update
			}
		}
	}
	return nil
}

// isKeyColumn reports whether a foreign key could refer to a column: a change of it locks the row as FOR UPDATE does.
func isKeyColumn(t *storage.Table, place int) bool {
	for _, ix := range t.Indexes {
		if ix.Unique && !ix.Partial && !slices.Contains(ix.Columns, -1) && slices.Contains(ix.Columns, place) {
			return true
		}
	}
	return false
}

// arbiters returns the unique indexes whose conflicts are meant; nil for all.
func (ch *change) arbiters(x *syntax.OnConflict) (list []*storage.Index, err error) {
	t := ch.target.table
	if x.Constraint != "" {
		for _, ix := range t.Indexes {
			if ix.Constraint && ix.Name == x.Constraint {
				return []*storage.Index{ix}, nil
			}
		}
		return nil, pgerror.New(pgerror.UndefinedObject, "constraint %q for table %q does not exist", x.Constraint, t.Name)
	}
	if x.Elems == nil {
		return nil, nil
	}
	var places []int
	var texts []string
	for _, el := range x.Elems {
		if el.Column == "" {
			texts = append(texts, exprText(el.Expr))
			continue
		}
		i := slices.IndexFunc(t.Columns, func(c *storage.Column) bool { return c.Name == el.Column && !c.Dropped })
		if i < 0 {
			return nil, pgerror.New(pgerror.UndefinedColumn, "column %q does not exist", el.Column).At(el.Pos)
		}
		places = append(places, i)
	}
	for _, ix := range t.Indexes {
		if ix.Unique && ch.infers(ix, places, texts, x.Where) {
			list = append(list, ix)
		}
	}
	if list == nil && ch.scope.a.late == nil {
		ch.scope.a.late = pgerror.New(pgerror.InvalidColumnReference, "there is no unique or exclusion constraint matching the ON CONFLICT specification")
	}
	return list, nil
}

// infers reports whether an index has the columns and expressions of a conflict target, and no rows that its WHERE leaves out.
func (ch *change) infers(ix *storage.Index, places []int, texts []string, where syntax.Expr) bool {
	info := indexInfoOf(ix)
	for i, place := range ix.Columns {
		if place >= 0 && !slices.Contains(places, place) || place < 0 && !slices.Contains(texts, info.Exprs[i]) {
			return false
		}
	}
	for _, place := range places {
		if !slices.Contains(ix.Columns, place) {
			return false
		}
	}
	for _, text := range texts {
		if !slices.Contains(info.Exprs, text) {
			return false
		}
	}
	if info.Where == nil {
		return true
	}
	if where == nil {
		return false
	}
	have := conjuncts(where)
	for _, part := range conjuncts(info.Where) {
		if !slices.ContainsFunc(have, func(x syntax.Expr) bool { return sameExpr(x, part) }) {
			return false
		}
	}
	return true
}

// conjuncts returns the parts of a condition that AND connects.
func conjuncts(x syntax.Expr) (list []syntax.Expr) {
	if l, ok := x.(*syntax.Logic); ok && !l.Or {
		for _, arg := range l.Args {
			list = append(list, conjuncts(arg)...)
		}
		return list
	}
	return []syntax.Expr{x}
}

// updateConflict is DO UPDATE: the row that was met is locked. The row that was to be inserted was evaluated before the wait
// for that lock.
func (ch *change) updateConflict(e *env, t *storage.Tuple, row []types.Value) ([]types.Value, error) {
	on, place := ch.insert.conflict, ch.target.place
	e.rows[place], e.tuples[place] = t.Row, t
	e.rows[on.excluded.place] = row
	if ok, err := isTrue(e, on.where); !ok || err != nil {
		return nil, err
	}
	changed, err := ch.apply(e, on.set, t.Row)
	if err != nil {
		return nil, err
	}
	changed, kept, err := ch.rules.before(e, "UPDATE", t.Row, changed)
	if !kept || err != nil {
		return nil, err
	}
	if err := ch.rules.check(e, changed); err != nil {
		return nil, err
	}
	newest, outcome, err := e.backend.Update(e.snapshot, t, changed)
	if err != nil {
		return nil, err
	}
	if outcome != storage.Done {
		return nil, pgerror.New(pgerror.InternalError, "the row of ON CONFLICT DO UPDATE was locked and is changed")
	}
	ch.rules.updated(e, t.Row, changed)
	e.rows[place], e.tuples[place] = changed, newest
	return ch.changed(e)
}
