package syntax

// Expr is an expression, a pointer to one of the structs of this file.
type Expr interface {
	// Position is the place in the text that PostgreSQL's errors about the expression have, in characters from 1 on.
	Position() int
}

// Pos is embedded in expressions: their position.
type Pos int

// Position returns the position.
func (p Pos) Position() int { return int(p) }

// ConstKind is the kind of a constant.
type ConstKind int

// The kinds of constants. Integer is a text of digits that fits int8; it is an int4 if it fits that.
const (
	Integer ConstKind = iota + 1
	Number
	String
	Bool
	Null
)

// Const is a constant. Text has the digits, the string, or "true" or "false".
type Const struct {
	Pos
	Kind ConstKind
	Text string
}

// Param is a positional parameter, $1 being the first.
type Param struct {
	Pos
	N int
}

// ColumnRef is the name of a column with what precedes it: t.c has two parts. With Star, the parts are followed by *.
type ColumnRef struct {
	Pos
	Parts []string
	Star  bool
}

// TypeName is the name of a type. Words like INTEGER are changed to int4 and so on, of the schema pg_catalog.
type TypeName struct {
	Name
	// Mods are the modifiers in parentheses.
	Mods []int32
	// Dims is the number of dimensions of an array, 0 if it is none.
	Dims int
	// SetOf is for functions' results.
	SetOf bool
}

// Cast is CAST(arg AS type), arg::type or type 'literal'.
type Cast struct {
	Pos
	Arg  Expr
	Type TypeName
}

// Op is an operator; Left is nil for one before its operand. LIKE is ~~, NOT LIKE !~~, ILIKE ~~*, NOT ILIKE !~~*.
type Op struct {
	Pos
	Name        string
	Left, Right Expr
}

// Logic is AND or OR with two or more operands.
type Logic struct {
	Pos
	Or   bool
	Args []Expr
}

// Not is NOT.
type Not struct {
	Pos
	Arg Expr
}

// Is is IS [NOT] NULL, TRUE, FALSE or UNKNOWN: Test is one of these words.
type Is struct {
	Pos
	Arg  Expr
	Test string
	Not  bool
}

// IsDistinct is IS [NOT] DISTINCT FROM.
type IsDistinct struct {
	Pos
	Left, Right Expr
	Not         bool
}

// Between is [NOT] BETWEEN [SYMMETRIC].
type Between struct {
	Pos
	Arg, Low, High Expr
	Not, Symmetric bool
}

// In is [NOT] IN with a list or a query.
type In struct {
	Pos
	Arg   Expr
	List  []Expr
	Query *Select
	Not   bool
}

// Quantified is op ANY (or SOME) or op ALL with an array or a query.
type Quantified struct {
	Pos
	Left  Expr
	Op    string
	All   bool
	Array Expr
	Query *Select
}

// Case is CASE. Arg is nil for CASE WHEN condition; Else may be nil.
type Case struct {
	Pos
	Arg   Expr
	Whens []When
	Else  Expr
}

// When is WHEN condition THEN result.
type When struct {
	Pos
	Cond, Result Expr
}

// Coalesce is COALESCE.
type Coalesce struct {
	Pos
	Args []Expr
}

// MinMax is GREATEST or LEAST.
type MinMax struct {
	Pos
	Greatest bool
	Args     []Expr
}

// NullIf is NULLIF.
type NullIf struct {
	Pos
	Left, Right Expr
}

// Call is a call of a function or an aggregate.
type Call struct {
	Pos
	Schema, Name string
	Args         []Expr
	// ArgNames has the name of each argument that was given by name, as make_interval(secs => 1), and else "". It is nil
	// if no argument has a name.
	ArgNames []string
	// Star is count(*).
	Star     bool
	Distinct bool
	Variadic bool
	OrderBy  []Order
	Filter   Expr
	// Over is the window of a window function.
	Over *Window
}

// Window is OVER (...).
type Window struct {
	Pos       int
	Partition []Expr
	OrderBy   []Order
}

// ValueFunction is CURRENT_TIMESTAMP and the like: Name is the word in lower case. Precision is -1 if not given.
type ValueFunction struct {
	Pos
	Name      string
	Precision int
}

// ArrayExpr is ARRAY[...]. An item may be an ArrayExpr again.
type ArrayExpr struct {
	Pos
	Items []Expr
}

// RowExpr is ROW(...) or a list of two or more in parentheses.
type RowExpr struct {
	Pos
	Items []Expr
	// Explicit is set for the word ROW.
	Explicit bool
}

// Subquery is a query in parentheses as a value.
type Subquery struct {
	Pos
	Query *Select
}

// Exists is EXISTS.
type Exists struct {
	Pos
	Query *Select
}

// ArrayQuery is ARRAY(SELECT ...).
type ArrayQuery struct {
	Pos
	Query *Select
}

// Subscript is an element of an array, or a slice: then Low or High may be nil.
type Subscript struct {
	Pos
	Arg       Expr
	Slice     bool
	Index     Expr
	Low, High Expr
}

// Field is (expr).name, or (expr).* with Star.
type Field struct {
	Pos
	Arg  Expr
	Name string
	Star bool
}

// Collate is COLLATE.
type Collate struct {
	Pos
	Arg       Expr
	Collation Name
}

// Default is the word DEFAULT in VALUES or SET.
type Default struct{ Pos }
