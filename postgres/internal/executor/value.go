package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// run is the execution of a statement.
type run struct {
	session  Session
	backend  *storage.Backend
	snapshot *storage.Snapshot
	params   []types.Value
	once     map[*subplan]*once
	ctes     map[*cte]*cteState
	changing []*cteState // the changes in queries of WITH, in the order in which they are written
	checks   []func() error
}

// env is where the expressions of one level of a statement are evaluated: with the present row of each table.
type env struct {
	*run
	outer    *env // the level around it
	rows     [][]types.Value
	tuples   []*storage.Tuple
	groups   []types.Value // the aggregates of the present group
	number   int64         // of the row in its window
	spools   map[*rte]*spool
	sortedBy map[int]types.Value // results that were evaluated to sort by them
}

// inner returns the environment of a query below e, with n tables.
func (e *env) inner(n int) *env {
	return &env{run: e.run, outer: e, rows: make([][]types.Value, n), tuples: make([]*storage.Tuple, n)}
}

// up returns the environment that is n levels around e.
func (e *env) up(n int) *env {
	for ; n > 0; n-- {
		e = e.outer
	}
	return e
}

// relSet is a set of tables of a level, by their places.
type relSet uint64

func (s relSet) has(other relSet) bool { return s&other == other }

// value is an expression whose names and types are known.
type value struct {
	typ  types.OID
	mod  int32
	pos  int
	eval func(*env) (types.Value, error)

	// Of an expression that has no type as yet:
	literal *string // a string
	param   int     // a parameter, from 1 on
	null    bool    // NULL, of any type

	fixed    types.Value // the value of a constant
	constant bool
	column   *columnRef
	rels     relSet // the tables of its own level that it depends on
	outer    int    // how many levels around it are referred to
	volatile bool
	subplan  bool    // it has a query in it
	grouped  bool    // it has an aggregate of its own level in it
	cost     float64 // how many operators and functions it has
	bare     []*columnRef
	name     string // of a column of a result, by PostgreSQL's rules
	op       *types.Operator
	args     []*value
	elements *value // of = ANY(array): the array; args has the other operand
	count    int    // how many elements that has, as far as is known
	test     string // of IS [NOT] NULL: "NULL" or "NOT NULL"
	or, not  bool
}

// columnRef is a reference to a column of a table.
type columnRef struct {
	rte   *rte
	level int
	n     int // its place among the table's columns; negative for a system column
	pos   int
}

// isUnknown reports whether the expression has no type as yet.
func (v *value) isUnknown() bool { return v.typ == types.UnknownOID }

// made returns a value of a type which depends on what its parts depend on.
func made(t types.OID, pos int, cost float64, eval func(*env) (types.Value, error), parts ...*value) *value {
	v := &value{typ: t, mod: -1, pos: pos, eval: eval, cost: cost}
	for _, p := range parts {
		if p == nil {
			continue
		}
		v.rels |= p.rels
		v.outer = max(v.outer, p.outer)
		v.volatile = v.volatile || p.volatile
		v.subplan = v.subplan || p.subplan
		v.grouped = v.grouped || p.grouped
		v.cost += p.cost
		v.bare = append(v.bare, p.bare...)
	}
	return v
}

// constantOf returns a constant of a type.
func constantOf(t types.OID, x types.Value, pos int) *value {
	return &value{
		typ: t, mod: -1, pos: pos, constant: true, fixed: x, null: x == nil,
		eval: func(*env) (types.Value, error) { return x, nil },
	}
}

// isTrue evaluates a condition.
func isTrue(e *env, v *value) (bool, error) {
	if v == nil {
		return true, nil
	}
	x, err := v.eval(e)
	if err != nil {
		return false, err
	}
	b, _ := x.(bool)
	return b, nil
}

// allTrue evaluates conditions until one is not true.
func allTrue(e *env, conds []*value) (bool, error) {
	for _, c := range conds {
		if ok, err := isTrue(e, c); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// evalAll evaluates expressions.
func evalAll(e *env, list []*value) ([]types.Value, error) {
	row := make([]types.Value, len(list))
	for i, v := range list {
		x, err := v.eval(e)
		if err != nil {
			return nil, err
		}
		row[i] = x
	}
	return row, nil
}

// analysis is the analysis of a statement.
type analysis struct {
	session Session
	backend *storage.Backend
	params  []types.OID   // of the parameters; 0 if it is not known as yet
	values  []types.Value // of the parameters, if the analysis is for an execution
	writes  string        // the first thing in the statement that a read-only transaction refuses
	guarded int           // in how many constructs that may leave out parts, as CASE
	late    error         // the first error that PostgreSQL finds when it plans the statement
	path    []string      // the schemas in which names are looked up
	opened  []opened      // the tables that it has locked
	vague   bool          // the type of a parameter was not known where it is used
	bound   bool          // it is good for one execution
}

// param returns the parameter $n.
func (a *analysis) param(p *syntax.Param) *value {
	for len(a.params) < p.N {
		a.params = append(a.params, 0)
	}
	t := a.params[p.N-1]
	v := &value{typ: t, mod: -1, pos: p.Position(), eval: func(e *env) (types.Value, error) { return e.params[p.N-1], nil }}
	if t == 0 || t == types.UnknownOID {
		v.typ, v.param = types.UnknownOID, p.N
	}
	return v
}
