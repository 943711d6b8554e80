package syntax

// Statement is a parsed statement, a pointer to one of the structs of this package.
type Statement interface{ statement() }

// Name is the name of a table, a type or another object, with its schema if it was given.
type Name struct {
	Pos          int
	Schema, Name string
}

// String returns the name as it may be written in a message.
func (n Name) String() string {
	if n.Schema != "" {
		return n.Schema + "." + n.Name
	}
	return n.Name
}

// Select is SELECT, VALUES, or a set operation of two.
type Select struct {
	Pos  int
	With *With
	// Values has the rows of VALUES; then the fields from Distinct to Having are empty.
	Values [][]Expr
	// Distinct is SELECT DISTINCT, with the expressions of DISTINCT ON if any.
	Distinct   bool
	DistinctOn []Expr
	Items      []Item
	// From has the comma-separated tables.
	From   []TableExpr
	Where  Expr
	Group  []Expr
	Having Expr
	// Op is UNION, INTERSECT or EXCEPT with Left and Right, or SetNone.
	Op          SetOp
	All         bool
	Left, Right *Select
	OrderBy     []Order
	// Limit and Offset are nil if not given or LIMIT ALL.
	Limit, Offset Expr
	WithTies      bool
	Locking       []Locking
}

// SetOp is a set operation.
type SetOp string

// The set operations.
const (
	SetNone      SetOp = ""
	SetUnion     SetOp = "UNION"
	SetIntersect SetOp = "INTERSECT"
	SetExcept    SetOp = "EXCEPT"
)

// Item is an expression of a SELECT list or of RETURNING, with its alias or none. A star is a ColumnRef with Star.
type Item struct {
	Pos   int
	Expr  Expr
	Alias string
}

// Order is an element of ORDER BY. NullsFirst is as given or as the direction implies: descending order has nulls first.
type Order struct {
	Pos        int
	Expr       Expr
	Desc       bool
	NullsFirst bool
}

// Strength is the strength of a row lock, weakest first.
type Strength int

// The strengths of row locks.
const (
	ForKeyShare Strength = iota + 1
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

// LockWait says what a statement does about a locked row.
type LockWait int

// Wait, fail, or skip the row.
const (
	LockBlock LockWait = iota
	LockNowait
	LockSkip
)

// Locking is a FOR UPDATE clause or its kin. Of has the tables of OF, or is empty.
type Locking struct {
	Pos      int
	Strength Strength
	Of       []Name
	Wait     LockWait
}

// With is a WITH clause.
type With struct {
	Pos       int
	Recursive bool
	Items     []CTE
}

// CTE is a query of a WITH clause: a Select, Insert, Update or Delete.
type CTE struct {
	Pos          int
	Name         string
	Columns      []string
	Materialized Materialized
	Query        Statement
}

// Materialized is what a CTE says about being materialized.
type Materialized int

// Not said, MATERIALIZED, NOT MATERIALIZED.
const (
	MaterializedDefault Materialized = iota
	MaterializedAlways
	MaterializedNever
)

// Insert is INSERT. Source is nil for DEFAULT VALUES; an item of its VALUES may be a Default.
type Insert struct {
	Pos        int
	With       *With
	Table      *Table
	Columns    []Target
	Overriding string // "", "SYSTEM" or "USER"
	Source     *Select
	OnConflict *OnConflict
	Returning  []Item
}

// Target is a column that INSERT or SET names.
type Target struct {
	Pos  int
	Name string
}

// OnConflict is ON CONFLICT. The arbiter is Elems with Where, or Constraint, or none of both. Set is nil for DO NOTHING.
type OnConflict struct {
	Pos        int
	Elems      []IndexElem
	Where      Expr
	Constraint string
	DoNothing  bool
	Set        []Assignment
	// UpdateWhere is DO UPDATE's WHERE.
	UpdateWhere Expr
}

// Assignment is one of SET. With several targets, Value is a Row or a Subquery.
type Assignment struct {
	Pos     int
	Targets []Target
	// Multi is set if the targets were in parentheses, even a single one.
	Multi bool
	Value Expr
}

// Update is UPDATE.
type Update struct {
	Pos       int
	With      *With
	Table     *Table
	Set       []Assignment
	From      []TableExpr
	Where     Expr
	Returning []Item
}

// Delete is DELETE.
type Delete struct {
	Pos       int
	With      *With
	Table     *Table
	Using     []TableExpr
	Where     Expr
	Returning []Item
}

func (*Select) statement() {}
func (*Insert) statement() {}
func (*Update) statement() {}
func (*Delete) statement() {}

// TableExpr is an element of FROM: a *Table, *SubqueryTable, *FunctionTable or *Join.
type TableExpr interface{ table() }

// Alias is the alias of a table, with names for its columns or none. A Name of "" is no alias.
type Alias struct {
	Pos     int
	Name    string
	Columns []string
}

// Table is a table, or a query of WITH, by its name.
type Table struct {
	Name
	Only  bool
	Alias Alias
}

// SubqueryTable is a query in parentheses, VALUES among them.
type SubqueryTable struct {
	Pos     int
	Lateral bool
	Query   *Select
	Alias   Alias
}

// FunctionTable is a function's result as a table.
type FunctionTable struct {
	Pos        int
	Lateral    bool
	Call       *Call
	Ordinality bool
	Alias      Alias
	// Defs are the columns of AS (name type, ...).
	Defs []ColumnDef
}

// JoinKind is the kind of a join.
type JoinKind int

// The kinds of joins. CROSS JOIN is an inner join without a condition.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
)

// Join is a join of two. On and Using are nil for a cross join.
type Join struct {
	Pos         int
	Kind        JoinKind
	Natural     bool
	Left, Right TableExpr
	On          Expr
	Using       []string
}

func (*Table) table()         {}
func (*SubqueryTable) table() {}
func (*FunctionTable) table() {}
func (*Join) table()          {}
