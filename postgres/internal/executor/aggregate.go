package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// aggregation has the aggregates of a query.
type aggregation struct{ list []*aggregate }

// aggregate is a call of an aggregate function.
type aggregate struct {
	name     string
	args     []*value
	filter   *value
	distinct bool
	order    []sortKey
	result   types.OID
	strict   bool // rows in which the first argument is NULL are left out
	// finish makes the result of the values of the group's rows.
	finish func(list [][]types.Value) (types.Value, error)
}

// aggregates are the names of the aggregates that are known.
var aggregates = []string{
	"count", "min", "max", "sum", "avg", "bool_and", "bool_or", "every", "array_agg", "string_agg",
	"json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg",
}

// missing are aggregates of PostgreSQL that are not known here.
var missing = []string{
	"bit_and", "bit_or", "bit_xor", "xmlagg", "range_agg", "corr", "covar_pop", "covar_samp", "stddev", "stddev_pop",
	"stddev_samp", "variance", "var_pop", "var_samp", "mode", "percentile_cont", "percentile_disc", "rank", "dense_rank",
	"row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value", "any_value",
}

// aggregate analyses a call of an aggregate.
func (s *scope) aggregate(x *syntax.Call) (*value, error) {
	if s.aggs == nil {
		clause := s.clause
		if clause == "" {
			clause = "this clause"
		}
		if clause == "JOIN/ON" {
			clause = "JOIN conditions"
		}
		return nil, pgerror.New(pgerror.GroupingError, "aggregate functions are not allowed in %s", clause).At(x.Position())
	}
	if s.clause == "an aggregate" {
		return nil, pgerror.New(pgerror.GroupingError, "aggregate function calls cannot be nested").At(x.Position())
	}
	was := s.clause
	s.clause = "an aggregate"
	g, err := s.analyseAggregate(x)
	s.clause = was
	if err != nil {
		return nil, err
	}
	n := len(s.aggs.list)
	s.aggs.list = append(s.aggs.list, g)
	parts := append(slices.Clone(g.args), g.filter)
	for _, k := range g.order {
		parts = append(parts, k.value)
	}
	v := made(g.result, x.Position(), 1, func(e *env) (types.Value, error) { return e.groups[n], nil }, parts...)
	v.grouped, v.bare = true, nil
	return v, nil
}

// analyseAggregate analyses the arguments and clauses of an aggregate.
func (s *scope) analyseAggregate(x *syntax.Call) (*aggregate, error) {
	g := &aggregate{name: x.Name, distinct: x.Distinct}
	var err error
	if g.args, err = s.exprs(x.Args); err != nil {
		return nil, err
	}
	if x.Filter != nil {
		conds, err := s.where(x.Filter, "FILTER")
		if err != nil {
			return nil, err
		}
		g.filter = conjunction(conds, x.Filter.Position())
	}
	for _, o := range x.OrderBy {
		v, err := s.expr(o.Expr)
		if err != nil {
			return nil, err
		}
		if v, err = s.a.known(v); err != nil {
			return nil, err
		}
		g.order = append(g.order, sortKey{value: v, target: -1, desc: o.Desc, nullsFirst: o.NullsFirst})
	}
	if x.Star {
		g.result = types.Int8OID
		g.finish = count
		return g, nil
	}
	if err := s.a.resolveAggregate(g); err != nil {
		return nil, pgerror.From(err).At(x.Position())
	}
	return g, nil
}

// arity is how many arguments an aggregate has.
func arity(name string) int {
	if name == "string_agg" || strings.HasSuffix(name, "_object_agg") {
		return 2
	}
	return 1
}

// resolveAggregate finds the aggregate for its arguments.
func (a *analysis) resolveAggregate(g *aggregate) (err error) {
	none := func() error {
		var names []string
		for _, v := range g.args {
			names = append(names, a.typeName(v.typ))
		}
		return pgerror.New(pgerror.UndefinedFunction, "function %s(%s) does not exist", g.name, strings.Join(names, ", ")).
			WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
	}
	if len(g.args) != arity(g.name) {
		return none()
	}
	for i := range g.args {
		if g.args[i].isUnknown() && g.name != "count" {
			if g.args[i], err = a.known(g.args[i]); err != nil {
				return err
			}
		}
	}
	t := g.args[0].typ
	g.strict = true
	switch g.name {
	case "count":
		g.result, g.finish = types.Int8OID, count
	case "min", "max":
		if err := types.Comparable(t); err != nil || t == types.BoolOID || t == types.UUIDOID || t == types.JSONBOID {
			return none()
		}
		if t == types.VarcharOID || t == types.NameOID {
			t = types.TextOID
		}
		g.result, g.finish = t, extreme(t, g.name == "max")
	case "sum", "avg":
		return a.sumOrAverage(g, none)
	case "bool_and", "every", "bool_or":
		if t != types.BoolOID {
			return none()
		}
		g.result, g.finish = types.BoolOID, all(g.name != "bool_or")
	case "array_agg":
		if g.result = types.ArrayOf(t); g.result == types.Invalid || types.ElemOf(t) != types.Invalid {
			return pgerror.Lacks("array_agg of %s", a.typeName(t))
		}
		g.strict, g.finish = false, collect(t)
	case "string_agg":
		for i := range g.args {
			if g.args[i], err = a.coerce(g.args[i], types.TextOID, -1, types.Implicit); err != nil || g.args[i] == nil {
				return none()
			}
		}
		g.result, g.finish = types.TextOID, concatenate
	default:
		return a.jsonAggregate(g)
	}
	return nil
}

// sumOrAverage finds sum and avg.
func (a *analysis) sumOrAverage(g *aggregate, none func() error) error {
	over := types.NumericOID
	switch g.args[0].typ {
	case types.Int2OID, types.Int4OID:
		g.result = types.Int8OID
	case types.Int8OID, types.NumericOID:
		g.result = types.NumericOID
	case types.Float4OID:
		g.result, over = types.Float4OID, types.Float8OID
	case types.Float8OID:
		g.result, over = types.Float8OID, types.Float8OID
	case types.IntervalOID:
		g.result, over = types.IntervalOID, types.IntervalOID
	default:
		return none()
	}
	arg, err := a.coerce(g.args[0], over, -1, types.Implicit)
	if err != nil || arg == nil {
		return none()
	}
	g.args[0] = arg
	plus, err := types.FindOperator("+", over, over)
	if err != nil {
		return err
	}
	if g.name == "sum" {
		back := types.FindCast(over, g.result, types.Explicit)
		g.finish = func(list [][]types.Value) (types.Value, error) {
			sum, err := fold(list, plus)
			if sum == nil || err != nil || back == nil || over == g.result {
				return sum, err
			}
			return back.Apply(sum, -1)
		}
		return nil
	}
	g.result = over
	by := over
	if over == types.IntervalOID {
		by = types.Float8OID
	}
	divide, err := types.FindOperator("/", over, by)
	if err != nil {
		return err
	}
	number := types.FindCast(types.Int8OID, by, types.Explicit)
	g.finish = func(list [][]types.Value) (types.Value, error) {
		sum, err := fold(list, plus)
		if sum == nil || err != nil {
			return nil, err
		}
		n, err := number.Apply(int64(len(list)), -1)
		if err != nil {
			return nil, err
		}
		return divide.Apply([]types.Value{sum, n})
	}
	return nil
}

// fold adds values up.
func fold(list [][]types.Value, plus *types.Operator) (sum types.Value, err error) {
	for _, row := range list {
		if sum == nil {
			sum = row[0]
		} else if sum, err = plus.Apply([]types.Value{sum, row[0]}); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func count(list [][]types.Value) (types.Value, error) { return int64(len(list)), nil }

func extreme(t types.OID, greatest bool) func([][]types.Value) (types.Value, error) {
	return func(list [][]types.Value) (best types.Value, err error) {
		for _, row := range list {
			if best == nil || types.Compare(t, row[0], best) > 0 == greatest && types.Compare(t, row[0], best) != 0 {
				best = row[0]
			}
		}
		return best, nil
	}
}

func all(and bool) func([][]types.Value) (types.Value, error) {
	return func(list [][]types.Value) (types.Value, error) {
		if len(list) == 0 {
			return nil, nil
		}
		for _, row := range list {
			if row[0] != and {
				return !and, nil
			}
		}
		return and, nil
	}
}

func collect(elem types.OID) func([][]types.Value) (types.Value, error) {
	return func(list [][]types.Value) (types.Value, error) {
		if len(list) == 0 {
			return nil, nil
		}
		arr := types.Array{Elem: elem}
		for _, row := range list {
			arr.Items = append(arr.Items, row[0])
		}
		return arr, nil
	}
}

func concatenate(list [][]types.Value) (types.Value, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var b strings.Builder
	for i, row := range list {
		if sep, ok := row[1].(string); ok && i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(row[0].(string))
	}
	return b.String(), nil
}

// jsonAggregate finds json_agg, jsonb_agg and those of objects.
func (a *analysis) jsonAggregate(g *aggregate) error {
	name, t := "to_json", types.JSONOID
	if strings.HasPrefix(g.name, "jsonb") {
		name, t = "to_jsonb", types.JSONBOID
	}
	last := len(g.args) - 1
	element, err := types.FindFunction(name, []types.OID{g.args[last].typ})
	if err != nil {
		return err
	}
	if last == 1 {
		if t == types.JSONOID {
			return pgerror.Lacks("json_object_agg")
		}
		if g.args[0], err = a.coerce(g.args[0], types.TextOID, -1, types.Explicit); err != nil || g.args[0] == nil {
			return pgerror.Lacks("jsonb_object_agg with such a key")
		}
	}
	g.result, g.strict = t, false
	g.finish = func(list [][]types.Value) (types.Value, error) {
		if len(list) == 0 {
			return nil, nil
		}
		var parts []string
		for _, row := range list {
			var text types.Value = "null"
			if row[last] != nil {
				if text, err = element.Apply([]types.Value{row[last]}); err != nil {
					return nil, err
				}
			}
			part := types.Text(t, text)
			if last == 1 {
				if row[0] == nil {
					return nil, pgerror.New(pgerror.NullValueNotAllowed, "field name must not be null")
				}
				part = quoteJSON(row[0].(string)) + ": " + part
			}
			parts = append(parts, part)
		}
		if last == 1 {
			return types.ParseText(t, -1, "{"+strings.Join(parts, ", ")+"}")
		}
		return types.ParseText(t, -1, "["+strings.Join(parts, ", ")+"]")
	}
	return nil
}

// groups reads all rows, and goes from group to group, in the order of their first rows. The present row is then the first
// one of the group.
func (q *query) groups(e *env, read cursor) (cursor, error) {
	ts := make([]types.OID, len(q.group))
	for i, v := range q.group {
		ts[i] = v.typ
	}
	g := grouping{query: q, types: ts, index: map[string][]*group{}}
	for {
		ok, err := read()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := g.add(e); err != nil {
			return nil, err
		}
	}
	if len(g.list) == 0 && len(q.group) == 0 {
		none := held{rows: make([][]types.Value, len(e.rows)), tuples: e.tuples}
		g.list = append(g.list, &group{held: none, lists: make([][][]types.Value, len(q.scope.aggs.list))})
	}
	return func() (bool, error) {
		for len(g.list) > 0 {
			one := g.list[0]
			g.list = g.list[1:]
			e.restore(one.held)
			var err error
			if e.groups, err = q.finishGroup(e, one); err != nil {
				return false, err
			}
			if ok, err := isTrue(e, q.having); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}, nil
}

// group is a group of rows, with the arguments of each aggregate.
type group struct {
	held
	lists [][][]types.Value
}

// grouping makes groups of rows.
type grouping struct {
	query *query
	types []types.OID
	index map[string][]*group
	list  []*group
}

// add adds the present row.
func (g *grouping) add(e *env) error {
	keys, err := evalAll(e, g.query.group)
	if err != nil {
		return err
	}
	hash := hashKey(g.types, keys)
	var in *group
	for _, have := range g.index[hash] {
		if sameValues(g.types, have.keys, keys) {
			in = have
		}
	}
	if in == nil {
		in = &group{held: e.hold(), lists: make([][][]types.Value, len(g.query.scope.aggs.list))}
		in.keys = keys
		g.index[hash] = append(g.index[hash], in)
		g.list = append(g.list, in)
	}
	for i, agg := range g.query.scope.aggs.list {
		if ok, err := isTrue(e, agg.filter); !ok || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		row, err := evalAll(e, agg.args)
		if err != nil {
			return err
		}
		if agg.strict && row[0] == nil {
			continue
		}
		for _, k := range agg.order {
			x, err := k.value.eval(e)
			if err != nil {
				return err
			}
			row = append(row, x)
		}
		in.lists[i] = append(in.lists[i], row)
	}
	return nil
}

// finishGroup returns the values of the aggregates.
func (q *query) finishGroup(_ *env, g *group) ([]types.Value, error) {
	out := make([]types.Value, len(g.lists))
	for i, agg := range q.scope.aggs.list {
		list := g.lists[i]
		if len(agg.order) > 0 {
			quicksort(list, func(a, b []types.Value) int {
				for j, k := range agg.order {
					if c := k.compare(a[len(agg.args)+j], b[len(agg.args)+j]); c != 0 {
						return c
					}
				}
				return 0
			})
		}
		if agg.distinct {
			list = agg.distinctOf(list)
		}
		var err error
		if out[i], err = agg.finish(list); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// distinctOf sorts the values and leaves out those that are there twice.
func (g *aggregate) distinctOf(list [][]types.Value) [][]types.Value {
	t := g.args[0].typ
	key := sortKey{value: g.args[0]}
	if len(g.order) == 0 {
		quicksort(list, func(a, b []types.Value) int { return key.compare(a[0], b[0]) })
	}
	return slices.CompactFunc(slices.Clone(list), func(a, b []types.Value) bool {
		return sameValues([]types.OID{t}, a[:1], b[:1])
	})
}
