package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// insertion is what INSERT has besides.
type insertion struct {
	places   []int      // of the columns that the source gives
	values   [][]*value // the rows of VALUES; an element is nil for DEFAULT
	source   *query     // nil with VALUES
	casts    []*value   // of the source's columns to those of the table, by the probe's row
	probe    *probe
	defaults map[int]*value // by place
	conflict *conflict
}

// conflict is ON CONFLICT.
type conflict struct {
	arbiters  []*storage.Index
	doNothing bool
	excluded  *rte
	set       []assignment
	where     *value
	mode      storage.RowMode
}

// analyseInsert analyses INSERT.
func (ch *change) analyseInsert(st *syntax.Insert) error {
	if err := ch.begin(st.With, st.Table, "INSERT"); err != nil {
		return err
	}
	in := &insertion{defaults: map[int]*value{}}
	ch.insert = in
	if err := ch.insertColumns(st); err != nil {
		return err
	}
	var err error
	ch.scope.clause = "VALUES"
	switch src := st.Source; {
	case src == nil:
		in.places, in.values = nil, [][]*value{{}}
	case src.Values != nil && src.With == nil && src.OrderBy == nil && src.Limit == nil && src.Offset == nil && src.Op == syntax.SetNone:
		err = ch.insertValues(st)
	default:
		err = ch.insertQuery(st)
	}
	if err != nil {
		return err
	}
	for place, c := range ch.target.table.Columns {
		if c.Dropped || infoOf(c).Generated != nil {
			continue
		}
		if in.defaults[place], err = ch.scope.a.defaultOf(ch.target.table, place); err != nil {
			return err
		}
	}
	if err := ch.scope.introduce(ch.target.item()); err != nil {
		return err
	}
	if st.OnConflict != nil {
		if err := ch.analyseConflict(st.OnConflict); err != nil {
			return err
		}
	}
	return ch.analyseReturning(st.Returning)
}

// insertColumns finds the columns that are inserted.
func (ch *change) insertColumns(st *syntax.Insert) error {
	in := ch.insert
	if st.Columns == nil {
		in.places = slices.Clone(ch.target.places)
		return nil
	}
	for _, c := range st.Columns {
		place, err := ch.place(c)
		if err != nil {
			return err
		}
		if slices.Contains(in.places, place) {
			return pgerror.New(pgerror.DuplicateColumn, "column %q specified more than once", c.Name).At(c.Pos)
		}
		in.places = append(in.places, place)
	}
	return nil
}

// width checks the number of values in a row, and leaves out columns that have none.
func (ch *change) width(st *syntax.Insert, n int, pos func(i int) int) error {
	in := ch.insert
	switch {
	case n > len(in.places):
		return pgerror.New(pgerror.SyntaxError, "INSERT has more expressions than target columns").At(pos(len(in.places)))
	case n < len(in.places) && st.Columns != nil:
		return pgerror.New(pgerror.SyntaxError, "INSERT has more target columns than expressions").At(st.Columns[n].Pos)
	}
	in.places = in.places[:n]
	return nil
}

// insertValues analyses the rows of VALUES.
func (ch *change) insertValues(st *syntax.Insert) error {
	in, a, t := ch.insert, ch.scope.a, ch.target.table
	first := st.Source.Values[0]
	for n, list := range st.Source.Values {
		row := make([]*value, len(list))
		for i, x := range list {
			if _, ok := x.(*syntax.Default); ok {
				continue
			}
			var err error
			if row[i], err = ch.scope.expr(x); err != nil {
				return err
			}
		}
		if len(list) != len(first) {
			return pgerror.New(pgerror.SyntaxError, "VALUES lists must all be the same length").At(list[0].Position())
		}
		if n == 0 {
			if err := ch.width(st, len(first), func(i int) int { return first[i].Position() }); err != nil {
				return err
			}
		}
		for i, v := range row {
			if v == nil {
				continue
			}
			c := t.Columns[in.places[i]]
			var err error
			if row[i], err = a.assignable(v, c.Name, c.Type, c.Mod); err != nil {
				return err
			}
			useDefault, err := ch.overridden(c, st.Overriding)
			if err != nil {
				return err
			}
			if useDefault {
				row[i] = nil
			}
		}
		in.values = append(in.values, row)
	}
	return nil
}

// overridden refuses values for columns that are always generated. It reports whether the default is inserted instead.
func (ch *change) overridden(c *storage.Column, overriding string) (useDefault bool, err error) {
	info := infoOf(c)
	switch {
	case info.Generated != nil:
		return false, pgerror.New(pgerror.GeneratedAlways, "cannot insert a non-DEFAULT value into column %q", c.Name).
			WithDetail("Column %q is a generated column.", c.Name)
	case info.Identity == "":
		return false, nil
	case overriding == "USER":
		return true, nil
	case info.Identity == always && overriding != "SYSTEM":
		return false, pgerror.New(pgerror.GeneratedAlways, "cannot insert a non-DEFAULT value into column %q", c.Name).
			WithDetail("Column %q is an identity column defined as GENERATED ALWAYS.", c.Name).
			WithHint("Use OVERRIDING SYSTEM VALUE to override.")
	}
	return false, nil
}

// insertQuery analyses the query of INSERT ... SELECT.
func (ch *change) insertQuery(st *syntax.Insert) (err error) {
	in, a, t := ch.insert, ch.scope.a, ch.target.table
	in.source, err = ch.scope.query(st.Source, queryOptions{unknown: func(i int, v *value) (*value, error) {
		if i >= len(in.places) {
			return a.known(v)
		}
		c := t.Columns[in.places[i]]
		return a.assignable(v, c.Name, c.Type, c.Mod)
	}})
	if err != nil {
		return err
	}
	columns := in.source.columns
	if err := ch.width(st, len(columns), func(i int) int {
		if in.source.targets != nil {
			return in.source.targets[i].pos
		}
		return 0
	}); err != nil {
		return err
	}
	in.probe = &probe{}
	for i, place := range in.places {
		c := t.Columns[place]
		if _, err := ch.overridden(c, st.Overriding); err != nil {
			return err
		}
		pos := 0
		if in.source.targets != nil {
			pos = in.source.targets[i].pos
		}
		v := &value{typ: columns[i].Type, mod: columns[i].Mod, pos: pos, eval: func(*env) (types.Value, error) { return in.probe.row[i], nil }}
		if v, err = a.assignable(v, c.Name, c.Type, c.Mod); err != nil {
			return err
		}
		in.casts = append(in.casts, v)
	}
	return nil
}

// inserting inserts one row after the other.
func (ch *change) inserting(e *env) (func() (bool, []types.Value, error), error) {
	in := ch.insert
	var read rows
	at := 0
	return func() (bool, []types.Value, error) {
		list := in.casts
		if in.source == nil {
			if at == len(in.values) {
				return false, nil, nil
			}
			list = in.values[at]
			at++
		} else {
			if read == nil {
				var err error
				if read, err = in.source.open(e); err != nil {
					return false, nil, err
				}
			}
			got, err := read()
			if got == nil || err != nil {
				return false, nil, err
			}
			in.probe.row = got
		}
		row, err := ch.newRow(e, list)
		if err != nil {
			return false, nil, err
		}
		out, err := ch.insertRow(e, row)
		return true, out, err
	}, nil
}

// newRow evaluates a row: what the source gives, and defaults for the other columns.
func (ch *change) newRow(e *env, list []*value) ([]types.Value, error) {
	in := ch.insert
	row := make([]types.Value, len(ch.target.table.Columns))
	given := map[int]*value{}
	for i, place := range in.places {
		given[place] = list[i]
	}
	for place := range row {
		v := given[place]
		if v == nil {
			v = in.defaults[place]
		}
		if v == nil {
			continue
		}
		x, err := v.eval(e)
		if err != nil {
			return nil, err
		}
		row[place] = x
	}
	return row, ch.rules.generate(e, row)
}

// insertRow inserts a row, or does what ON CONFLICT says.
func (ch *change) insertRow(e *env, row []types.Value) ([]types.Value, error) {
	row, kept, err := ch.rules.before(e, "INSERT", nil, row)
	if !kept || err != nil {
		return nil, err
	}
	if err := ch.rules.check(e, row); err != nil {
		return nil, err
	}
	t, on := ch.target.table, ch.insert.conflict
	for {
		var added, other *storage.Tuple
		var err error
		if on == nil {
			added, err = e.backend.Insert(t, row)
		} else {
			added, other, err = e.backend.InsertUnless(e.snapshot, t, row, on.arbiters, on.doNothing)
		}
		if err != nil {
			return nil, err
		}
		if added != nil {
			ch.rules.inserted(e, row)
			e.rows[ch.target.place], e.tuples[ch.target.place] = row, added
			return ch.changed(e)
		}
		if on.doNothing {
			return nil, nil
		}
		outcome, err := e.backend.LockConflict(e.snapshot, other, on.mode)
		if err != nil {
			return nil, err
		}
		if outcome == storage.Done {
			return ch.updateConflict(e, other, row)
		}
	}
}
