package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Plan is a statement whose names and types are known.
type Plan struct {
	// Params are the types of the parameters: those given to [Prepare], and where they were 0 those inferred.
	Params []types.OID
	// Columns are the columns of the result, nil if the statement returns no rows.
	Columns []Column
}

// Result is the result of a statement.
type Result struct {
	// Rows have a value for each of the plan's columns.
	Rows [][]types.Value
	// Tag is the command tag, such as "INSERT 0 1".
	Tag string
}

// Prepare analyses a statement: a Select, Insert, Update or Delete, a definition (CREATE, ALTER, DROP, TRUNCATE, COMMENT,
// GRANT), LOCK TABLE or ANALYZE and its kin. Params are the types of its parameters as far as the client gives them, 0 for the
// others. It locks the tables that the statement names, and may wait for that.
func Prepare(s Session, st syntax.Statement, params []types.OID) (*Plan, error) { panic("not yet") }

// Run executes the statement. The parameters have the types of [Plan].Params; nil is NULL. If a definition has changed
// since, the statement is analysed again. The caller counts the command ([storage.Backend.NextCommand] is called here) and
// ends the transaction, or calls [storage.Backend.Fail] after an error.
func (p *Plan) Run(s Session, params []types.Value) (*Result, error) { panic("not yet") }

// Evaluate evaluates expressions without tables, such as the arguments of EXECUTE, and casts them to types as assignments
// do.
func Evaluate(s Session, exprs []syntax.Expr, want []types.OID) ([]types.Value, error) {
	panic("not yet")
}
