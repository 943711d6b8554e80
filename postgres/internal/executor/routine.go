package executor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// hiddenRoutines has the functions that a schema has. A name has one function only.
const hiddenRoutines = hiddenPrefix + "functions of "

// routine is what is kept of a function that a database defines.
type routine struct {
	name    string
	params  []Column
	result  types.OID // Invalid for a trigger
	pure    bool      // IMMUTABLE or STABLE
	strict  bool
	query   *syntax.Select // of LANGUAGE sql
	program *block         // of LANGUAGE plpgsql
}

// createFunction is CREATE FUNCTION.
func (a *analysis) createFunction(st *syntax.CreateFunction) error {
	schema, err := a.creation(st.Name)
	if err != nil {
		return err
	}
	r := &routine{name: st.Name.Name}
	for _, p := range st.Params {
		if p.Default != nil {
			return pgerror.Lacks("defaults of a function's parameters")
		}
		t, mod, err := a.typeOf(p.Type)
		if err != nil {
			return err
		}
		r.params = append(r.params, Column{Name: p.Name, Type: t, Mod: mod})
	}
	if st.Returns.Name.Name != "trigger" {
		if r.result, _, err = a.typeOf(st.Returns); err != nil {
			return err
		}
	}
	r.pure = slices.Contains(st.Options, "immutable") || slices.Contains(st.Options, "stable")
	r.strict = slices.Contains(st.Options, "strict")
	switch strings.ToLower(st.Language) {
	case "sql":
		stmts, err := syntax.Parse(st.Body)
		if err != nil {
			return err
		}
		var ok bool
		if len(stmts) == 1 {
			r.query, ok = stmts[0].(*syntax.Select)
		}
		if !ok {
			return pgerror.Lacks("functions in SQL that are not one SELECT")
		}
	case "plpgsql":
		if r.program, err = parseProgram(st.Body); err != nil {
			return err
		}
	default:
		return pgerror.Lacks("functions in %s", st.Language)
	}
	if old := a.hidden(hiddenRoutines+schema, r.name); old != nil {
		same := slices.EqualFunc(old.Info.(*routine).params, r.params, func(x, y Column) bool { return x.Type == y.Type })
		switch {
		case !same:
			return pgerror.Lacks("two functions of the name %s", r.name)
		case !st.Replace:
			return pgerror.New("42723", "function %q already exists with same argument types", r.name)
		}
		return a.backend.AlterTable(old, func() { old.Info = r }, nil)
	}
	return a.backend.CreateTable(&storage.Table{Schema: hiddenRoutines + schema, Name: r.name, Info: r})
}

// findRoutine finds a function that the database defines, or returns nil.
func (a *analysis) findRoutine(name syntax.Name) *storage.Table {
	for _, schema := range a.schemas(name) {
		if t := a.hidden(hiddenRoutines+schema, name.Name); t != nil {
			return t
		}
	}
	return nil
}

// dropFunction drops a function.
func (a *analysis) dropFunction(name syntax.Name) (bool, error) {
	t := a.findRoutine(name)
	if t == nil {
		return false, nil
	}
	for _, table := range a.backend.Tables() {
		for _, tr := range tableInfoOf(table).Triggers {
			if tr.Function.Name == name.Name {
				return true, dependents("function "+name.Name+"()", "trigger "+tr.Name+" on table "+table.Name+" depends on function "+name.Name+"()")
			}
		}
	}
	a.backend.DropTable(t)
	return true, nil
}

// routineCall analyses a call of a function that the database defines.
func (s *scope) routineCall(x *syntax.Call, r *routine, args []*value) (*value, error) {
	if len(args) != len(r.params) || x.ArgNames != nil {
		return nil, s.a.undefinedFunction(x, args)
	}
	for i, v := range args {
		w, err := s.a.coerce(v, r.params[i].Type, -1, types.Implicit)
		if err != nil {
			return nil, err
		}
		if w == nil {
			return nil, s.a.undefinedFunction(x, args)
		}
		args[i] = w
	}
	if r.result == types.Invalid {
		return nil, pgerror.New(pgerror.FeatureNotSupported, "trigger functions can only be called as triggers")
	}
	body := func(e *env, list []types.Value) (types.Value, error) {
		return (&interpreter{session: e.session, name: r.name}).call(r.program, r, list)
	}
	if r.query != nil {
		var err error
		if body, err = s.a.inlined(r); err != nil {
			return nil, err
		}
	}
	v := made(r.result, x.Position(), 100, func(e *env) (types.Value, error) {
		list, err := evalAll(e, args)
		if err != nil || r.strict && slices.Contains(list, nil) {
			return nil, err
		}
		return body(e, list)
	}, args...)
	v.volatile = v.volatile || !r.pure
	return v, nil
}

// inlined analyses the query of a function in SQL, and returns a function that evaluates it.
func (a *analysis) inlined(r *routine) (func(*env, []types.Value) (types.Value, error), error) {
	var ts []types.OID
	for _, p := range r.params {
		ts = append(ts, p.Type)
	}
	a.bound = true // by an analysis of its own
	b := &analysis{session: a.session, backend: a.backend, params: ts, path: a.path}
	root := &scope{a: b}
	if err := root.variables(r.name, r.params); err != nil {
		return nil, err
	}
	q, err := root.query(r.query, queryOptions{})
	if err != nil {
		return nil, err
	}
	if len(q.columns) != 1 {
		return nil, pgerror.New("42P13", "return type mismatch in function declared to return %s", a.typeName(r.result))
	}
	var row probe
	out, err := b.coerce(&value{typ: q.columns[0].Type, mod: -1, eval: func(*env) (types.Value, error) { return row.row[0], nil }}, r.result, -1, types.Assignment)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, pgerror.New("42P13", "return type mismatch in function declared to return %s", a.typeName(r.result))
	}
	return func(e *env, list []types.Value) (types.Value, error) {
		inner := *e.run
		inner.params = list
		next, err := q.open(&env{run: &inner, rows: [][]types.Value{list}, tuples: make([]*storage.Tuple, 1)})
		if err != nil {
			return nil, err
		}
		got, err := next()
		if got == nil || err != nil {
			return nil, err
		}
		row.row = got
		return out.eval(e)
	}, nil
}

// variables makes parameters or variables visible: by their names, alone or after that of the function.
func (s *scope) variables(function string, columns []Column) error {
	r, err := s.add(&rte{alias: function, columns: columns})
	if err != nil {
		return err
	}
	it := r.item()
	for i := range it.columns {
		if it.columns[i].name == "" {
			it.columns[i].name = "$" + strconv.Itoa(i+1)
		}
	}
	s.items = append(s.items, it)
	return nil
}
