package executor

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Plan is a statement whose names and types are known.
type Plan struct {
	// Params are the types of the parameters: those given to [Prepare], and where they were 0 those inferred.
	Params []types.OID
	// Columns are the columns of the result, nil if the statement returns no rows.
	Columns []Column

	statement syntax.Statement
	writes    string
	late      error // what PostgreSQL finds when it plans the statement, for the first execution
	query     *query
	change    *change
	utility   func() (tag string, err error)

	analysis    *analysis
	given       []types.OID // the types of the parameters as the analysis got them
	definitions int64       // the number of those with which it was made
}

// Result is the result of a statement.
type Result struct {
	// Rows have a value for each of the plan's columns.
	Rows [][]types.Value
	// Tag is the command tag, such as "INSERT 0 1".
	Tag string
}

// Prepare analyses a statement: a Select, Insert, Update or Delete, a definition (CREATE, ALTER, DROP, TRUNCATE, COMMENT,
// GRANT), LOCK TABLE, or ANALYZE and its kin. Params are the types of its parameters as far as the client gives them, 0 for the
// others. It locks the tables that the statement names, and may wait for that.
func Prepare(s Session, st syntax.Statement, params []types.OID) (*Plan, error) {
	p, err := planned(s, st, params, nil)
	if err != nil {
		return nil, err
	}
	for i, t := range p.Params {
		if t == 0 || t == types.UnknownOID {
			return nil, pgerror.New(pgerror.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	p.keep(s)
	return p, nil
}

// prepare analyses a statement. Values are those of the parameters if it is for an execution.
func prepare(s Session, st syntax.Statement, params []types.OID, values []types.Value) (*Plan, error) {
	a, root := newAnalysis(s, params)
	a.values = values
	n, settled := a.backend.Definitions()
	p, err := analysed(root, st)
	if err == nil {
		p.analysis, p.given, p.definitions = a, slices.Clone(params), n
		if !settled {
			a.bound = true
		}
	}
	return p, err
}

// analysed analyses a statement in a scope.
func analysed(root *scope, st syntax.Statement) (*Plan, error) {
	a := root.a
	s := a.session
	p := &Plan{statement: st}
	var err error
	switch st := st.(type) {
	case *syntax.Select, *syntax.Insert, *syntax.Update, *syntax.Delete:
		// A transaction's snapshot is taken before its first statement locks a table.
		if t := s.Backend().Txn(); t.Level != storage.ReadCommitted {
			if _, err := s.Backend().Snapshot(); err != nil {
				return nil, err
			}
		}
		if sel, ok := st.(*syntax.Select); ok {
			if p.query, err = root.query(sel, queryOptions{}); err == nil {
				p.Columns = p.query.columns
			}
		} else if p.change, err = root.change(st); err == nil {
			p.Columns = p.change.columns
		}
	default:
		if _, locks := st.(*syntax.LockTable); !locks { // definitions are carried out with a snapshot
			if _, err := s.Backend().Snapshot(); err != nil {
				return nil, err
			}
		}
		p.utility, err = a.utility(st)
	}
	if err != nil {
		return nil, err
	}
	if p.query != nil && p.Columns == nil {
		p.Columns = []Column{}
	}
	p.Params, p.writes, p.late = a.params, a.writes, a.late
	return p, nil
}

// Run executes the statement. The parameters have the types of [Plan].Params; nil is NULL. The statement is analysed again if
// definitions have changed since. The server counts the command ([storage.Backend.NextCommand]), and ends the transaction, or
// calls [storage.Backend.Fail] after an error.
func (p *Plan) Run(s Session, params []types.Value) (*Result, error) {
	again, err := p.again(s, params)
	if err != nil {
		return nil, err
	}
	r, err := again.execute(s, params)
	if err == nil {
		again.keep(s)
	}
	return r, err
}

// Check returns the error of a statement that cannot be analysed any more as it was prepared. PostgreSQL does so again when it
// describes or binds the statement, if definitions have changed since.
func (p *Plan) Check(s Session) error {
	_, err := p.valid(s, nil)
	return err
}

// Err returns the error of a statement that can be prepared and not planned. PostgreSQL plans at Bind.
func (p *Plan) Err() error { return p.late }

// Late returns the error of [Plan.Check] or [Plan.Err], as definitions are now.
func (p *Plan) Late(s Session, params []types.Value) error {
	again, err := p.valid(s, params)
	if err != nil {
		return err
	}
	return again.late
}

// valid returns the plan, or another one if definitions have changed.
func (p *Plan) valid(s Session, params []types.Value) (*Plan, error) {
	if p.utility != nil || p.current(s.Backend()) {
		return p, nil
	}
	again, err := p.again(s, params)
	if err == nil {
		again.keep(s)
	}
	return again, err
}

// sameColumns reports whether two results have columns of the same names and types.
func sameColumns(a, b []Column) bool {
	return slices.EqualFunc(a, b, func(x, y Column) bool { return x.Name == y.Name && x.Type == y.Type && x.Mod == y.Mod })
}

// execute executes the analysed statement.
func (p *Plan) execute(s Session, params []types.Value) (*Result, error) {
	return p.executeIn(s, params, &env{})
}

// executeIn executes the analysed statement in an environment around it.
func (p *Plan) executeIn(s Session, params []types.Value, around *env) (*Result, error) {
	r, err := p.begin(s, params)
	if err != nil {
		return nil, err
	}
	if p.utility != nil {
		tag, err := p.utility()
		return &Result{Tag: tag}, err
	}
	around.run = r
	res, err := p.rows(around)
	if err != nil {
		return nil, err
	}
	return res, r.finish()
}

// rows executes the statement's own part.
func (p *Plan) rows(e *env) (*Result, error) {
	next, err := p.open(e)
	if err != nil {
		return nil, err
	}
	res := &Result{}
	for {
		row, err := next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			break
		}
		res.Rows = append(res.Rows, row)
	}
	switch {
	case p.query != nil:
		res.Tag = fmt.Sprintf("SELECT %d", len(res.Rows))
	case p.change.insert != nil:
		res.Tag = fmt.Sprintf("INSERT 0 %d", p.change.affected)
	default:
		res.Tag = fmt.Sprintf("%s %d", p.change.word, p.change.affected)
	}
	return res, nil
}

// Evaluate evaluates expressions without tables, such as the arguments of EXECUTE, and casts them to types as assignments
// do.
func Evaluate(s Session, exprs []syntax.Expr, want []types.OID) ([]types.Value, error) {
	_, root := newAnalysis(s, nil)
	r := &run{session: s, backend: s.Backend(), once: map[*subplan]*once{}, ctes: map[*cte]*cteState{}}
	var out []types.Value
	for i, x := range exprs {
		v, err := root.expr(x)
		if err != nil {
			return nil, err
		}
		from := v.typ
		if v, err = root.a.coerce(v, want[i], -1, types.Assignment); err != nil {
			return nil, err
		}
		if v == nil {
			return nil, pgerror.New(pgerror.DatatypeMismatch, "parameter $%d of type %s cannot be coerced to the expected type %s",
				i+1, root.a.typeName(from), root.a.typeName(want[i])).WithHint("You will need to rewrite or cast the expression.").At(x.Position())
		}
		y, err := v.eval(&env{run: r})
		if err != nil {
			return nil, err
		}
		out = append(out, y)
	}
	return out, nil
}
