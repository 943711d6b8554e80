package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// function is a function that depends on the session, the clock, chance or the catalog.
type function struct {
	args     []types.OID
	result   types.OID
	volatile bool
	lax      bool // it is called with NULL, too
	call     func(e *env, args []types.Value) (types.Value, error)
}

// functions are the functions by their names.
var functions = map[string][]function{}

// register adds functions. Each file with functions does so.
func register(name string, list ...function) bool {
	functions[name] = append(functions[name], list...)
	return true
}

// call analyses a call.
func (s *scope) call(x *syntax.Call) (*value, error) {
	if t := s.a.findRoutine(syntax.Name{Schema: x.Schema, Name: x.Name}); t != nil {
		args, err := s.exprs(x.Args)
		if err != nil {
			return nil, err
		}
		return s.routineCall(x, t.Info.(*routine), args)
	}
	if x.Schema != "" && x.Schema != "pg_catalog" && x.Schema != "public" {
		return nil, s.undefined(x)
	}
	switch {
	case x.Over != nil:
		return s.rowNumber(x)
	case slices.Contains(aggregates, x.Name):
		return s.aggregate(x)
	case slices.Contains(missing, x.Name):
		return nil, pgerror.Lacks("the function %s", x.Name).At(x.Position())
	case x.Star || x.Distinct || x.OrderBy != nil || x.Filter != nil:
		return nil, pgerror.New(pgerror.WrongObjectType, "%s is not an aggregate function", x.Name).At(x.Position())
	case x.Variadic && functions[x.Name] != nil:
		return nil, pgerror.Lacks("VARIADIC with %s", x.Name)
	case tableFunctions[x.Name] != nil:
		return s.expanded(x)
	}
	args, err := s.exprs(x.Args)
	if err != nil {
		return nil, err
	}
	if list := functions[x.Name]; list != nil {
		return s.sessionCall(x, list, args)
	}
	return s.pureCall(x, args)
}

// undefined is the error about a function that does not exist.
func (s *scope) undefined(x *syntax.Call) error {
	args, err := s.exprs(x.Args)
	if err != nil {
		return err
	}
	return s.a.undefinedFunction(x, args)
}

func (a *analysis) undefinedFunction(x *syntax.Call, args []*value) error {
	var names []string
	for _, v := range args {
		names = append(names, a.typeName(v.typ))
	}
	name := x.Name
	if x.Schema != "" {
		name = x.Schema + "." + name
	}
	return pgerror.New(pgerror.UndefinedFunction, "function %s(%s) does not exist", name, strings.Join(names, ", ")).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.").At(x.Position())
}

// sessionCall analyses a call of a function of this package.
func (s *scope) sessionCall(x *syntax.Call, list []function, args []*value) (*value, error) {
	f := s.a.pick(list, args)
	if f == nil {
		return nil, s.a.undefinedFunction(x, args)
	}
	for i, v := range args {
		w, err := s.a.coerce(v, f.args[i], -1, types.Implicit)
		if err != nil {
			return nil, err
		}
		args[i] = w
	}
	v := made(f.result, x.Position(), 1, func(e *env) (types.Value, error) {
		list, err := evalAll(e, args)
		if err != nil {
			return nil, err
		}
		if !f.lax && slices.Contains(list, nil) {
			return nil, nil
		}
		return f.call(e, list)
	}, args...)
	v.volatile = v.volatile || f.volatile
	if f.result == types.AnyOID {
		return nil, pgerror.Lacks("the function %s", x.Name).At(x.Position())
	}
	return v, nil
}

// pick chooses the function whose arguments fit best, or nil.
func (a *analysis) pick(list []function, args []*value) *function {
	var best *function
	most := -1
	for i, f := range list {
		if len(f.args) != len(args) {
			continue
		}
		exact, fits := 0, true
		for j, v := range args {
			switch {
			case v.typ == f.args[j]:
				exact++
			case v.isUnknown(), f.args[j] == types.AnyOID:
			default:
				if c, _ := a.conversion(v.typ, f.args[j], types.Implicit); c == nil {
					fits = false
				}
			}
		}
		if fits && exact > most {
			best, most = &list[i], exact
		}
	}
	return best
}

// pureCall analyses a call of a function of package types.
func (s *scope) pureCall(x *syntax.Call, args []*value) (*value, error) {
	if x.Name == "pg_typeof" && len(args) == 1 {
		t := args[0].typ
		return made(types.RegtypeOID, x.Position(), 1, func(*env) (types.Value, error) { return s.a.regOf(types.RegtypeOID, int64(t)), nil }, args...), nil
	}
	if x.Variadic {
		return nil, pgerror.Lacks("VARIADIC").At(x.Position())
	}
	ts := make([]types.OID, len(args))
	for i, v := range args {
		ts[i] = v.typ
	}
	var f *types.Function
	var err error
	if x.ArgNames != nil {
		if f, args, err = s.named(x, args, ts); err != nil {
			return nil, err
		}
	} else if f, err = types.FindFunction(x.Name, ts); err != nil {
		if t, ok := types.Lookup(x.Name); ok && len(args) == 1 {
			if v, e := s.a.coerce(args[0], t, -1, types.Explicit); v != nil || e != nil {
				return v, e
			}
		}
		return nil, pgerror.From(err).At(x.Position())
	}
	for i, v := range args {
		t := f.Args[min(i, len(f.Args)-1)]
		w, err := s.a.coerce(v, t, -1, types.Implicit)
		if err != nil {
			return nil, err
		}
		if w == nil {
			return nil, s.a.undefinedFunction(x, args)
		}
		args[i] = w
	}
	return made(f.Result, x.Position(), 1, applied(f.Strict, f.Apply, args), args...), nil
}

// named analyses a call in which arguments have names.
func (s *scope) named(x *syntax.Call, args []*value, ts []types.OID) (*types.Function, []*value, error) {
	f, order, err := types.FindNamed(x.Name, ts, x.ArgNames)
	if err != nil {
		return nil, nil, pgerror.From(err).At(x.Position())
	}
	var list []*value
	for i, from := range order {
		if from >= 0 {
			list = append(list, args[from])
		} else {
			list = append(list, constantOf(f.Args[i], f.Default(i), x.Position()))
		}
	}
	return f, list, nil
}

// tableFunction is a function that returns rows.
type tableFunction struct {
	// result returns the columns for the types of the arguments, and the types to which these are cast; nil if they do not fit.
	result func(a *analysis, args []*value) (columns []Column, cast []types.OID, err error)
	rows   func(e *env, args []types.Value) ([][]types.Value, error)
	lax    bool
	expect float64 // how many rows are expected
}

// expansion has the calls of functions that return rows in a SELECT list.
type expansion struct {
	calls []*expandedCall
}

// expandedCall is such a call, with the present row of its result.
type expandedCall struct {
	args []*value
	f    *tableFunction
	list [][]types.Value
	now  types.Value
}

// expanded analyses a call of a function that returns rows in an expression.
func (s *scope) expanded(x *syntax.Call) (*value, error) {
	if s.srf == nil || s.clause != "" {
		clause := s.clause
		if clause == "" {
			clause = "this clause"
		}
		return nil, pgerror.New(pgerror.FeatureNotSupported, "set-returning functions are not allowed in %s", clause).At(x.Position())
	}
	f, columns, args, err := s.tableCall(x)
	if err != nil {
		return nil, err
	}
	if len(columns) != 1 {
		return nil, pgerror.Lacks("%s as a value of several columns", x.Name).At(x.Position())
	}
	c := &expandedCall{args: args, f: f}
	s.srf.calls = append(s.srf.calls, c)
	return made(columns[0].Type, x.Position(), 1, func(*env) (types.Value, error) { return c.now, nil }, args...), nil
}

// tableCall analyses a call of a function that returns rows.
func (s *scope) tableCall(x *syntax.Call) (*tableFunction, []Column, []*value, error) {
	f := tableFunctions[x.Name]
	if f == nil {
		return nil, nil, nil, pgerror.Lacks("the function %s in FROM", x.Name).At(x.Position())
	}
	args, err := s.exprs(x.Args)
	if err != nil {
		return nil, nil, nil, err
	}
	columns, cast, err := f.result(s.a, args)
	if err != nil {
		return nil, nil, nil, pgerror.From(err).At(x.Position())
	}
	if columns == nil {
		return nil, nil, nil, s.a.undefinedFunction(x, args)
	}
	for i, v := range args {
		if args[i], err = s.a.coerce(v, cast[i], -1, types.Implicit); err != nil {
			return nil, nil, nil, err
		}
		if args[i] == nil {
			return nil, nil, nil, s.a.undefinedFunction(x, []*value{v})
		}
	}
	return f, columns, args, nil
}

// list returns the rows of a call.
func (f *tableFunction) list(e *env, args []*value) ([][]types.Value, error) {
	list, err := evalAll(e, args)
	if err != nil {
		return nil, err
	}
	if !f.lax && slices.Contains(list, nil) {
		return nil, nil
	}
	return f.rows(e, list)
}

// expand makes for each row as many results as the longest of the calls has rows.
func (x *expansion) expand(e *env, read cursor, targets []*value) rows {
	at, most := 0, 0
	return func() ([]types.Value, error) {
		for at >= most {
			ok, err := read()
			if !ok || err != nil {
				return nil, err
			}
			at, most = 0, 0
			for _, c := range x.calls {
				if c.list, err = c.f.list(e, c.args); err != nil {
					return nil, err
				}
				most = max(most, len(c.list))
			}
		}
		for _, c := range x.calls {
			c.now = nil
			if at < len(c.list) {
				c.now = c.list[at][0]
			}
		}
		at++
		return evalAll(e, targets)
	}
}

// functionTable analyses a function in FROM.
func (s *scope) functionTable(x *syntax.FunctionTable) (*rte, error) {
	r := &rte{kind: "a function", alias: x.Call.Name, rows: 1, lateral: true}
	if len(x.Defs) > 0 {
		return nil, pgerror.Lacks("a definition of the columns of %s", x.Call.Name)
	}
	was, wasSRF := s.clause, s.srf
	s.clause, s.srf = "functions in FROM", nil
	defer func() { s.clause, s.srf = was, wasSRF }()
	if tableFunctions[x.Call.Name] == nil {
		v, err := s.expr(x.Call)
		if err != nil {
			return nil, err
		}
		r.columns = []Column{{Name: x.Call.Name, Type: v.typ, Mod: v.mod}}
		r.rels, r.volatile = v.rels, v.volatile
		r.source = func(e *env) (rows, error) {
			done := false
			return func() ([]types.Value, error) {
				if done {
					return nil, nil
				}
				done = true
				y, err := v.eval(e)
				return []types.Value{y}, err
			}, nil
		}
	} else if err := s.rowsOf(r, x); err != nil {
		return nil, err
	}
	if x.Alias.Name != "" && len(x.Alias.Columns) == 0 && (r.single || tableFunctions[x.Call.Name] == nil) {
		r.columns[0].Name = x.Alias.Name // the column of a scalar function has the name of the alias
	}
	if err := r.rename(x.Alias); err != nil {
		return nil, err
	}
	return s.add(r)
}

// rowsOf makes the entry of a function that returns rows.
func (s *scope) rowsOf(r *rte, x *syntax.FunctionTable) error {
	f, columns, args, err := s.tableCall(x.Call)
	if err != nil {
		return err
	}
	r.columns, r.rows, r.single = slices.Clone(columns), f.expect, len(columns) == 1
	for _, v := range args {
		r.rels |= v.rels
		r.volatile = r.volatile || v.volatile
		if v.count > 0 {
			r.rows = float64(v.count)
		}
	}
	if r.single && columns[0].Name == "" {
		r.columns[0].Name = x.Call.Name
	}
	if x.Ordinality {
		r.columns = append(r.columns, Column{Name: "ordinality", Type: types.Int8OID, Mod: -1})
	}
	r.source = func(e *env) (rows, error) {
		list, err := f.list(e, args)
		at := 0
		return func() ([]types.Value, error) {
			if at == len(list) {
				return nil, nil
			}
			at++
			row := list[at-1]
			if x.Ordinality {
				row = append(slices.Clone(row), int64(at))
			}
			return row, nil
		}, err
	}
	return nil
}
