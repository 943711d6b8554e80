package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// interpreter executes a program. Its variables are columns of a row that all statements see; a trigger has the rows new and
// old besides.
type interpreter struct {
	session Session
	name    string
	columns []Column
	row     []types.Value
	table   *storage.Table // of a trigger
	rows    map[string][]types.Value
}

// call executes the program of a function.
func (in *interpreter) call(b *block, r *routine, args []types.Value) (types.Value, error) {
	in.columns, in.row = slices.Clone(r.params), slices.Clone(args)
	returned, v, _, err := in.run(b, r.result)
	if err == nil && !returned && r.result != types.VoidOID {
		err = pgerror.New("2F005", "control reached end of function without RETURN")
	}
	if r.result == types.VoidOID {
		v = ""
	}
	return v, err
}

// root returns the scope and the environment of the statements.
func (in *interpreter) root() (*scope, *env, error) {
	a, s := newAnalysis(in.session, nil)
	r := &run{session: in.session, backend: a.backend, once: map[*subplan]*once{}, ctes: map[*cte]*cteState{}}
	e := &env{run: r}
	if err := s.variables(in.name, in.columns); err != nil {
		return nil, nil, err
	}
	e.rows = append(e.rows, in.row)
	for _, name := range []string{"new", "old"} {
		if row := in.rows[name]; row != nil {
			entry := tableEntry(in.table)
			entry.alias, entry.schema, entry.system, entry.table = name, "", false, nil
			if _, err := s.add(entry); err != nil {
				return nil, nil, err
			}
			it := entry.item()
			it.bare = false
			s.items = append(s.items, it)
			e.rows = append(e.rows, row)
		}
	}
	e.tuples = make([]*storage.Tuple, len(e.rows))
	return s, e, nil
}

// query executes a query, and returns its first row.
func (in *interpreter) query(sel *syntax.Select) (*analysis, []Column, []types.Value, error) {
	s, e, err := in.root()
	if err != nil {
		return nil, nil, nil, err
	}
	q, err := s.query(sel, queryOptions{})
	if err != nil {
		return nil, nil, nil, err
	}
	if e.snapshot, err = e.backend.Snapshot(); err != nil {
		return nil, nil, nil, err
	}
	list, err := q.all(e)
	if err != nil || len(list) == 0 {
		return s.a, q.columns, nil, err
	}
	return s.a, q.columns, list[0], nil
}

// evaluate evaluates an expression as a value of a type.
func (in *interpreter) evaluate(sel *syntax.Select, t types.OID, mod int32) (types.Value, error) {
	a, columns, row, err := in.query(sel)
	if err != nil || row == nil {
		return nil, err
	}
	if t == types.Invalid {
		t = columns[0].Type
	}
	v, err := a.coerce(&value{typ: columns[0].Type, mod: columns[0].Mod, eval: func(*env) (types.Value, error) { return row[0], nil }}, t, mod, types.Assignment)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, pgerror.Lacks("an assignment of %s to %s in PL/pgSQL", a.typeName(columns[0].Type), a.typeName(t))
	}
	return v.eval(&env{})
}

// run executes a block. Which is the row that RETURN NEW or OLD names.
func (in *interpreter) run(b *block, result types.OID) (returned bool, v types.Value, which string, err error) {
	for _, d := range b.vars {
		a, _ := newAnalysis(in.session, nil)
		t, mod, err := a.typeOf(d.typ)
		if err != nil {
			return false, nil, "", err
		}
		var initial types.Value
		if d.initial != nil {
			if initial, err = in.evaluate(d.initial, t, mod); err != nil {
				return false, nil, "", err
			}
		}
		in.columns, in.row = append(in.columns, Column{Name: d.name, Type: t, Mod: mod}), append(in.row, initial)
	}
	for i := range b.steps {
		if returned, v, which, err = in.step(&b.steps[i], result); returned || err != nil {
			return returned, v, which, err
		}
	}
	return false, nil, "", nil
}

// step executes one statement.
func (in *interpreter) step(st *instruction, result types.OID) (returned bool, v types.Value, which string, err error) {
	switch {
	case st.returns:
		if st.value != nil {
			v, err = in.evaluate(st.value, result, -1)
		}
		return true, v, st.row, err
	case st.block != nil:
		return in.run(st.block, result)
	case st.arms != nil:
		for _, a := range st.arms {
			var ok types.Value = true
			if a.cond != nil {
				if ok, err = in.evaluate(a.cond, types.BoolOID, -1); err != nil {
					return false, nil, "", err
				}
			}
			if ok == true {
				return in.run(a.body, result)
			}
		}
		return false, nil, "", nil
	case st.target != nil:
		return false, nil, "", in.assign(st)
	case st.perform != nil:
		_, _, _, err = in.query(st.perform)
		in.session.Backend().NextCommand()
		return false, nil, "", err
	case st.raise != nil:
		return false, nil, "", in.raise(st.raise)
	}
	return false, nil, "", in.execute(st.sql)
}

// assign sets a variable, or a column of the row new.
func (in *interpreter) assign(st *instruction) error {
	if len(st.target) == 2 && in.rows[st.target[0]] != nil {
		for i, c := range in.table.Columns {
			if c.Dropped || c.Name != st.target[1] {
				continue
			}
			v, err := in.evaluate(st.value, c.Type, c.Mod)
			in.rows[st.target[0]][i] = v
			return err
		}
		return pgerror.New(pgerror.UndefinedColumn, "record %q has no field %q", st.target[0], st.target[1])
	}
	for i, c := range slices.Backward(in.columns) {
		if len(st.target) == 1 && c.Name == st.target[0] {
			v, err := in.evaluate(st.value, c.Type, c.Mod)
			in.row[i] = v
			return err
		}
	}
	return pgerror.New(pgerror.SyntaxError, "%q is not a known variable", strings.Join(st.target, "."))
}

// execute executes a statement of SQL.
func (in *interpreter) execute(st syntax.Statement) error {
	s, e, err := in.root()
	if err != nil {
		return err
	}
	p, err := analysed(s, st)
	if err != nil {
		return err
	}
	b := in.session.Backend()
	b.NextCommand()
	_, err = p.executeIn(in.session, nil, e)
	b.NextCommand()
	return err
}

// raise is RAISE: an error or a notice.
func (in *interpreter) raise(r *raise) error {
	text := r.format
	for _, arg := range r.args {
		_, columns, row, err := in.query(arg)
		if err != nil {
			return err
		}
		shown := "<NULL>"
		if row != nil && row[0] != nil {
			shown = types.Text(columns[0].Type, row[0])
		}
		text = strings.Replace(text, "%", shown, 1)
	}
	e := pgerror.New(pgerror.RaiseException, "%s", text)
	switch r.level {
	case "exception":
		e.Where = fmt.Sprintf("PL/pgSQL function %s() line 1 at RAISE", in.name)
		return e
	case "notice", "info", "warning":
		e.Severity, e.Code = pgerror.Severity(strings.ToUpper(r.level)), "00000"
		if r.level == "warning" {
			e.Code = "01000"
		}
		in.session.Backend().Client().Notice(e)
	}
	return nil
}

// do is DO.
func (a *analysis) do(st *syntax.Do) error {
	if st.Language != "" && st.Language != "plpgsql" {
		return pgerror.Lacks("DO in %s", st.Language)
	}
	b, err := parseProgram(st.Body)
	if err != nil {
		return err
	}
	if _, _, _, err = (&interpreter{session: a.session, name: "inline_code_block"}).run(b, types.VoidOID); err != nil {
		return withoutPosition(err)
	}
	return nil
}
