package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// change is an analysed INSERT, UPDATE or DELETE.
type change struct {
	scope     *scope
	word      string // of the command tag
	target    *rte
	columns   []Column // of RETURNING; nil if there is none
	returning []*value
	rules     *rules
	affected  int

	insert *insertion
	parts  []*joined // of UPDATE and DELETE
	where  []*value
	plan   *fromPlan
	set    []assignment // of UPDATE
}

// change analyses INSERT, UPDATE or DELETE within a scope.
func (s *scope) change(st syntax.Statement) (*change, error) {
	ch := &change{scope: s.inner()}
	switch st := st.(type) {
	case *syntax.Insert:
		return ch, ch.analyseInsert(st)
	case *syntax.Update:
		return ch, ch.analyseUpdate(st)
	case *syntax.Delete:
		return ch, ch.analyseDelete(st)
	}
	return nil, pgerror.Lacks("the statement %T in WITH", st)
}

// begin analyses WITH and the table that is changed.
func (ch *change) begin(w *syntax.With, x *syntax.Table, word string) error {
	s := ch.scope
	ch.word = word
	s.a.write(word)
	if err := s.with(w); err != nil {
		return err
	}
	if c, _ := s.findCTE(x.Name.Name); c != nil && x.Schema == "" && s.a.lookup(x.Name) == nil {
		return pgerror.New(pgerror.WrongObjectType, "relation %q cannot be the target of a modifying statement", x.Name.Name).
			WithDetail("This relation is a common table expression.").At(x.Pos)
	}
	t, err := s.a.open(x.Name, storage.RowExclusive)
	if err != nil {
		return err
	}
	ch.target = tableEntry(t)
	if err := ch.target.rename(x.Alias); err != nil {
		return err
	}
	if _, err := s.add(ch.target); err != nil {
		return err
	}
	ch.rules, err = s.a.rulesOf(t)
	return err
}

// place returns the place of a column that the statement changes.
func (ch *change) place(c syntax.Target) (int, error) {
	t := ch.target.table
	i := slices.IndexFunc(t.Columns, func(have *storage.Column) bool { return !have.Dropped && have.Name == c.Name })
	if i < 0 {
		return 0, pgerror.New(pgerror.UndefinedColumn, "column %q of relation %q does not exist", c.Name, t.Name).At(c.Pos)
	}
	return i, nil
}

// analyseReturning analyses RETURNING.
func (ch *change) analyseReturning(items []syntax.Item) error {
	if len(items) == 0 {
		return nil
	}
	ch.scope.clause = "RETURNING"
	values, names, _, err := ch.scope.targetList(items)
	if err != nil {
		return err
	}
	for i, v := range values {
		if v, err = ch.scope.a.known(v); err != nil {
			return err
		}
		ch.returning = append(ch.returning, v)
		ch.columns = append(ch.columns, resultColumn(v, names[i]))
	}
	return nil
}

// open begins to execute the change. Its rows are those of RETURNING; each is changed when its row is read. Without
// RETURNING, the first read changes all.
func (ch *change) open(outer *env) (rows, error) {
	e := outer.inner(len(ch.scope.rtes))
	for _, c := range ch.scope.ctes {
		e.begin(c)
	}
	ch.affected = 0
	var step func() (more bool, out []types.Value, err error)
	var err error
	switch {
	case ch.insert != nil:
		step, err = ch.inserting(e)
	case ch.set != nil:
		step, err = ch.each(e, ch.update)
	default:
		step, err = ch.each(e, ch.delete)
	}
	if err != nil {
		return nil, err
	}
	return func() ([]types.Value, error) {
		for {
			more, out, err := step()
			if err != nil {
				return nil, err
			}
			if !more || out != nil && ch.returning != nil {
				return out, nil
			}
		}
	}, nil
}

// each calls f for each row of FROM that meets WHERE. The result is what RETURNING makes of it; not nil if the row was
// changed.
func (ch *change) each(e *env, f func(e *env) ([]types.Value, error)) (func() (bool, []types.Value, error), error) {
	var read cursor
	return func() (bool, []types.Value, error) {
		if read == nil {
			var err error
			if read, err = ch.plan.open(e); err != nil {
				return false, nil, err
			}
		}
		ok, err := read()
		if !ok || err != nil {
			return false, nil, err
		}
		found := *e
		e.rows, e.tuples = slices.Clone(e.rows), slices.Clone(e.tuples)
		out, err := f(e)
		e.rows, e.tuples = found.rows, found.tuples
		return true, out, err
	}, nil
}

// changed counts a row and returns what RETURNING makes of it, or an empty row.
func (ch *change) changed(e *env) ([]types.Value, error) {
	ch.affected++
	if ch.returning == nil {
		return []types.Value{}, nil
	}
	return evalAll(e, ch.returning)
}

// again takes the newest version of the row that is to be changed, and reports whether it meets the conditions.
func (ch *change) again(e *env, newest *storage.Tuple) (bool, error) {
	place := ch.target.place
	e.rows[place], e.tuples[place] = newest.Row, newest
	return recheck(e, ch.parts, ch.where)
}

// analyseDelete analyses DELETE.
func (ch *change) analyseDelete(st *syntax.Delete) error {
	if err := ch.begin(st.With, st.Table, "DELETE"); err != nil {
		return err
	}
	if err := ch.from(st.Using, st.Where); err != nil {
		return err
	}
	return ch.analyseReturning(st.Returning)
}

// from analyses the other tables and the condition of UPDATE and DELETE.
func (ch *change) from(list []syntax.TableExpr, where syntax.Expr) error {
	s := ch.scope
	if err := s.introduce(ch.target.item()); err != nil {
		return err
	}
	parts, err := s.from(list)
	if err != nil {
		return err
	}
	ch.parts = append([]*joined{{rte: ch.target, rels: ch.target.set()}}, parts...)
	if ch.where, err = s.where(where, "WHERE"); err != nil {
		return err
	}
	ch.plan = planFrom(ch.parts, ch.where, 0, wanted{limit: -1})
	return nil
}

// delete deletes the present row.
func (ch *change) delete(e *env) ([]types.Value, error) {
	for {
		t := e.tuples[ch.target.place]
		if _, kept, err := ch.rules.before(e, "DELETE", t.Row, nil); !kept || err != nil {
			return nil, err
		}
		newest, outcome, err := e.backend.Delete(e.snapshot, t)
		if err != nil {
			return nil, err
		}
		switch outcome {
		case storage.Done:
			ch.rules.deleted(e, t.Row)
			return ch.changed(e)
		case storage.Updated:
			if ok, err := ch.again(e, newest); !ok || err != nil {
				return nil, err
			}
		default:
			return nil, nil
		}
	}
}
