package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// assignment is a part of SET: columns by their places, and their values. With a query, probe is its row, and the values
// are made of that.
type assignment struct {
	places []int
	values []*value
	query  *subplan
	probe  *probe
}

// analyseUpdate analyses UPDATE.
func (ch *change) analyseUpdate(st *syntax.Update) error {
	if err := ch.begin(st.With, st.Table, "UPDATE"); err != nil {
		return err
	}
	if err := ch.from(st.From, st.Where); err != nil {
		return err
	}
	if err := ch.analyseReturning(st.Returning); err != nil {
		return err
	}
	ch.scope.clause = "UPDATE"
	var err error
	ch.set, err = ch.assignments(st.Set)
	return err
}

// assignments analyses SET.
func (ch *change) assignments(list []syntax.Assignment) (out []assignment, err error) {
	var seen []int
	for _, x := range list {
		as := assignment{}
		for _, c := range x.Targets {
			place, err := ch.place(c)
			if err != nil {
				return nil, err
			}
			if slices.Contains(seen, place) {
				return nil, pgerror.New(pgerror.SyntaxError, "multiple assignments to same column %q", c.Name)
			}
			seen, as.places = append(seen, place), append(as.places, place)
		}
		if err := ch.assign(&as, x); err != nil {
			return nil, err
		}
		out = append(out, as)
	}
	// As in PostgreSQL, types are converted when all expressions are analysed.
	for _, as := range out {
		for i, v := range as.values {
			c := ch.target.table.Columns[as.places[i]]
			if as.values[i], err = ch.scope.a.assignable(v, c.Name, c.Type, c.Mod); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// assign analyses the values of an assignment.
func (ch *change) assign(as *assignment, x syntax.Assignment) error {
	if !x.Multi {
		v, err := ch.assigned(as.places[0], x.Value)
		as.values = []*value{v}
		return err
	}
	switch source := x.Value.(type) {
	case *syntax.RowExpr:
		if len(source.Items) != len(as.places) {
			return pgerror.New(pgerror.SyntaxError, "number of columns does not match number of values").At(x.Targets[0].Pos)
		}
		for i, item := range source.Items {
			v, err := ch.assigned(as.places[i], item)
			if err != nil {
				return err
			}
			as.values = append(as.values, v)
		}
		return nil
	case *syntax.Subquery:
		return ch.assignQuery(as, source, x)
	}
	return pgerror.New(pgerror.FeatureNotSupported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression").
		At(x.Value.Position())
}

// assignQuery analyses SET (a, b) = (SELECT ...).
func (ch *change) assignQuery(as *assignment, source *syntax.Subquery, x syntax.Assignment) error {
	p, _, err := ch.scope.subplan(source.Query, source.Position())
	if err != nil {
		return err
	}
	if len(p.query.columns) != len(as.places) {
		return pgerror.New(pgerror.SyntaxError, "number of columns does not match number of values").At(x.Targets[0].Pos)
	}
	as.query, as.probe = p, &probe{}
	row := as.probe
	for i, c := range p.query.columns {
		as.values = append(as.values, &value{typ: c.Type, mod: c.Mod, pos: source.Position(),
			eval: func(*env) (types.Value, error) { return row.row[i], nil }})
	}
	return nil
}

// assigned analyses the value of a column.
func (ch *change) assigned(place int, x syntax.Expr) (*value, error) {
	c, a := ch.target.table.Columns[place], ch.scope.a
	info := infoOf(c)
	if _, ok := x.(*syntax.Default); ok {
		return a.defaultOf(ch.target.table, place)
	}
	if info.Identity == always || info.Generated != nil {
		why := "Column %q is an identity column defined as GENERATED ALWAYS."
		if info.Generated != nil {
			why = "Column %q is a generated column."
		}
		return nil, pgerror.New(pgerror.GeneratedAlways, "column %q can only be updated to DEFAULT", c.Name).WithDetail(why, c.Name)
	}
	return ch.scope.expr(x)
}

// apply returns the row as SET changes it.
func (ch *change) apply(e *env, set []assignment, old []types.Value) ([]types.Value, error) {
	row := slices.Clone(old)
	for len(row) < len(ch.target.table.Columns) {
		row = append(row, nil)
	}
	for _, as := range set {
		if as.query != nil {
			got, err := as.query.single(e)
			if err != nil {
				return nil, err
			}
			if got == nil {
				got = make([]types.Value, len(as.places))
			}
			as.probe.row = got
		}
		for i, place := range as.places {
			x, err := as.values[i].eval(e)
			if err != nil {
				return nil, err
			}
			row[place] = x
		}
	}
	return row, ch.rules.generate(e, row)
}

// update updates the present row. The new values are evaluated before the row is locked, and again if another transaction
// has changed it.
func (ch *change) update(e *env) ([]types.Value, error) {
	place := ch.target.place
	for {
		t := e.tuples[place]
		row, err := ch.apply(e, ch.set, t.Row)
		if err != nil {
			return nil, err
		}
		row, kept, err := ch.rules.before(e, "UPDATE", t.Row, row)
		if !kept || err != nil {
			return nil, err
		}
		if err := ch.rules.check(e, row); err != nil {
			return nil, err
		}
		newest, outcome, err := e.backend.Update(e.snapshot, t, row)
		if err != nil {
			return nil, err
		}
		switch outcome {
		case storage.Done:
			ch.rules.updated(e, t.Row, row)
			e.rows[place], e.tuples[place] = row, newest
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
