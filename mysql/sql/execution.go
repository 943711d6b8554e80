package sql

import (
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Execution is a statement being executed, with its progress.
type Execution struct {
	// InsertID is the number of the inserted row in its answer.
	InsertID int64

	began     time.Time   // by the server's clock
	beganAt   model.Stamp // in the run
	read      model.Stamp // when it read that clock last; zero if it did not
	session   *Session
	statement Statement
	params    []Value
	undo      int            // the number of changes of the transaction before it
	viewed    bool           // it has made its snapshot
	called    map[Expr]Value // the results of functions with effects and of subqueries
	progress  any            // of the statement
	result    *Result        // set once it has run and only the commit is left
	committed bool
}

// Runner is a statement that can be executed. All statements of a dialect are Runners.
type Runner interface {
	Statement
	// Run executes the statement. If it has to wait, the error is ErrWait, and Run is called again later;
	// the execution keeps its progress.
	Run(x *Execution) (*Result, error)
}

// Session returns the session that sent the statement.
func (x *Execution) Session() *Session { return x.session }

// Began returns when the statement began, by the server's clock. It counts as reading
// the clock.
func (x *Execution) Began() time.Time {
	x.read = x.beganAt
	return x.began
}

// Now returns the present time by the server's clock. It counts as reading the clock.
func (x *Execution) Now() time.Time {
	x.read = x.session.db.host.Stamp()
	return x.session.db.host.Now()
}

// Statement returns the statement being executed.
func (x *Execution) Statement() Statement { return x.statement }

// HasCommitted reports whether it has committed changes, or is a COMMIT that has ended a transaction.
func (x *Execution) HasCommitted() bool { return x.committed }

// Result is the answer to a statement: rows, or the number of changed rows.
type Result struct {
	Columns []ResultColumn // nil if it has no rows
	Rows    [][]Value
	// Affected is the reported number of changed rows.
	Affected int64
	// Matched and Changed are the numbers of rows that an UPDATE has found and changed.
	Matched, Changed int64
	InsertID         int64
}

// ResultColumn is a column of a result.
type ResultColumn struct {
	Name, Table string
	Type        ColumnType
	NotNull     bool
}

// mayWrite refuses changes if the server is read-only.
func (s *Session) mayWrite() error {
	if s.db.host.IsReadOnly() && !s.Privileged {
		return Fail(ReadOnlyServer)
	}
	return nil
}

// table returns a table by its name, which the statement uses from now on. The error is ErrWait if it has to wait for that.
func (x *Execution) table(name string, u tableUse, p Patience) (*table, error) {
	if x.session.Database == "" {
		return nil, Fail(NoDatabase)
	}
	if err := x.session.use(name, u, p); err != nil {
		return nil, err
	}
	return x.find(name)
}

// find returns a table by its name.
func (x *Execution) find(name string) (*table, error) {
	if t := x.session.db.tables[tableKey(name)]; t != nil {
		return t, nil
	}
	return nil, Fail(NoTable, x.session.Database+"."+name)
}

// writes begins a transaction that changes rows, if the server and the transaction allow it.
func (x *Execution) writes() error {
	if err := x.session.mayWrite(); err != nil {
		return err
	}
	t := x.session.transaction()
	if t.readOnly {
		return Fail(ReadOnlyTransaction)
	}
	t.used = true
	return nil
}

// Evaluate evaluates an expression without a row.
func (x *Execution) Evaluate(e Expr) (Value, error) { return eval(e, &scope{x: x}) }

// Check refuses what an expression without a table cannot have.
func (x *Execution) Check(e Expr) error { return x.check(nil, "field list", e) }

// check refuses aggregates, and what checkNames refuses.
func (x *Execution) check(t *table, where string, exprs ...Expr) error {
	if slices.ContainsFunc(exprs, func(e Expr) bool { return anyPart(e, isAggregate) }) {
		return Fail(Grouping)
	}
	return x.checkNames(t, where, exprs...)
}

// checkNames refuses columns that a table does not have, and functions that wait in a statement on a table.
func (x *Execution) checkNames(t *table, where string, exprs ...Expr) (err error) {
	for _, e := range exprs {
		anyPart(e, func(e Expr) bool {
			switch e := e.(type) {
			case *ColumnRef:
				if t == nil || t.column(e.Name) < 0 || e.Table != "" && !strings.EqualFold(e.Table, t.name) {
					err = Fail(NoColumn, e.Name, where)
				}
			case *call:
				if t != nil && e.function.HasEffect() {
					err = Fail(Unsupported, e.name+" in a statement on a table")
				}
			case *subquery:
				err = x.checkSubquery(e, t)
			case *operation, *inList, *between, *aggregate:
				if t != nil && slices.ContainsFunc(e.Parts(), t.isUncompared) {
					err = Fail(Unsupported, "a comparison of JSON")
				}
			}
			return err != nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSubquery refuses a query within a statement that changes a table, and EXISTS without a table. A query on a
// table within a statement on another is refused later if it has a column of the latter.
func (x *Execution) checkSubquery(e *subquery, t *table) error {
	_, reads := x.statement.(*Select)
	switch {
	case t != nil && !reads:
		return Fail(Unsupported, "a query in a statement that changes a table")
	case e.exists && e.query.table == "" && e.query.view == nil:
		return Fail(Unsupported, "EXISTS without a table")
	}
	return nil
}

// count returns the number of a LIMIT.
func (x *Execution) count(e Expr) (int, error) {
	if e == nil {
		return 0, nil
	}
	v, err := x.Evaluate(e)
	if err != nil {
		return 0, err
	}
	if v.Kind != Integer && v.Kind != Text || v.Integer() < 0 {
		return 0, Fail(Unsupported, "LIMIT "+v.String())
	}
	return int(min(v.Integer(), 1<<31-1)), nil
}
