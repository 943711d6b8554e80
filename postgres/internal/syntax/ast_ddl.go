package syntax

// CreateTable is CREATE TABLE.
type CreateTable struct {
	Table       Name
	IfNotExists bool
	// Temporary and Unlogged say which kind of table is created.
	Temporary, Unlogged bool
	Columns             []ColumnDef
	Constraints         []Constraint
	// Like has the tables of LIKE clauses.
	Like []Name
	// Query is the query of CREATE TABLE AS, with names for its columns or none.
	Query       Statement
	ColumnNames []string
	NoData      bool
}

// ColumnDef is a column of a table.
type ColumnDef struct {
	Pos         int
	Name        string
	Type        TypeName
	Collation   *Name
	Constraints []Constraint
}

// ConstraintKind is the kind of a constraint.
type ConstraintKind int

// The kinds of constraints, of a column or of a table.
const (
	ConstraintNotNull ConstraintKind = iota + 1
	ConstraintNull
	ConstraintDefault
	ConstraintIdentity
	ConstraintGenerated
	ConstraintCheck
	ConstraintPrimaryKey
	ConstraintUnique
	ConstraintForeignKey
)

// Constraint is a constraint of a column, with no Columns, or of a table.
type Constraint struct {
	Pos     int
	Kind    ConstraintKind
	Name    string
	Columns []string
	// Include has the columns that an index has besides.
	Include []string
	// Expr is a default, a check, or the expression of a generated column.
	Expr Expr
	// Always is GENERATED ALWAYS AS IDENTITY.
	Always   bool
	Sequence SequenceOptions
	// UsingIndex is the index of ADD CONSTRAINT ... UNIQUE USING INDEX.
	UsingIndex string
	// References and RefColumns are the target of a foreign key; OnDelete and OnUpdate are "NO ACTION", "RESTRICT",
	// "CASCADE", "SET NULL" or "SET DEFAULT".
	References         Name
	RefColumns         []string
	OnDelete, OnUpdate string
	Match              string
	Deferrable         bool
	InitiallyDeferred  bool
	NullsNotDistinct   bool
	NotValid           bool
}

// SequenceOptions are the options of a sequence; nil pointers are options that were not given.
type SequenceOptions struct {
	Type                                                 *TypeName
	Start, Increment, MinValue, MaxValue, Cache, Restart *int64
	// RestartGiven is RESTART with or without a value.
	RestartGiven bool
	NoMin, NoMax bool
	Cycle        *bool
	// OwnedBy is the column, [table, column] or with a schema; ["none"] for OWNED BY NONE.
	OwnedBy []string
}

// AlterTable is ALTER TABLE, and ALTER INDEX or ALTER SEQUENCE as far as they rename: Object is "TABLE", "INDEX",
// "SEQUENCE" or "VIEW".
type AlterTable struct {
	Object   string
	Table    Name
	IfExists bool
	Only     bool
	Actions  []AlterAction
}

// AlterKind is what an action of ALTER TABLE does.
type AlterKind int

// The actions of ALTER TABLE. AlterNothing is one that changes nothing that can be seen, as SET STATISTICS.
const (
	AlterNothing AlterKind = iota
	AddColumn
	DropColumn
	RenameColumn
	RenameTable
	RenameConstraint
	AlterType
	SetDefault
	DropDefault
	SetNotNull
	DropNotNull
	AddIdentity
	DropIdentity
	AddConstraint
	DropConstraint
	ValidateConstraint
	SetSchema
)

// AlterAction is an action of ALTER TABLE.
type AlterAction struct {
	Pos  int
	Kind AlterKind
	// Name is the column or constraint, NewName what it or the table is renamed to.
	Name, NewName string
	Column        *ColumnDef
	Constraint    *Constraint
	// Type and Using are of ALTER COLUMN TYPE, Using being nil if not given; Expr is the default.
	Type        TypeName
	Using, Expr Expr
	IfExists    bool
	IfNotExists bool
	Cascade     bool
}

// CreateIndex is CREATE INDEX. Name is "" if PostgreSQL is to choose it.
type CreateIndex struct {
	Pos                  int
	Name                 string
	Table                Name
	IfNotExists          bool
	Unique, Concurrently bool
	Method               string // "" or as given: btree, gin, ...
	Elems                []IndexElem
	Include              []string
	NullsNotDistinct     bool
	Where                Expr
}

// IndexElem is a column or an expression of an index or of a conflict target.
type IndexElem struct {
	Pos int
	// Column is set for a plain column, else Expr.
	Column     string
	Expr       Expr
	Collation  *Name
	OpClass    string
	Desc       bool
	NullsFirst bool
}

// CreateSequence is CREATE SEQUENCE.
type CreateSequence struct {
	Name        Name
	IfNotExists bool
	Temporary   bool
	Options     SequenceOptions
}

// AlterSequence is ALTER SEQUENCE with options.
type AlterSequence struct {
	Name     Name
	IfExists bool
	Options  SequenceOptions
}

// CreateSchema is CREATE SCHEMA.
type CreateSchema struct {
	Name        string
	IfNotExists bool
}

// CreateExtension is CREATE EXTENSION.
type CreateExtension struct {
	Name        string
	IfNotExists bool
}

// CreateEnum is CREATE TYPE ... AS ENUM.
type CreateEnum struct {
	Name   Name
	Labels []string
}

// AlterEnum is ALTER TYPE ... ADD VALUE, or RENAME VALUE if Old is set. Neighbor is the label of BEFORE or AFTER.
type AlterEnum struct {
	Name        Name
	IfNotExists bool
	Label       string
	Neighbor    string
	After       bool
	Old         string
}

// CreateFunction is CREATE FUNCTION.
type CreateFunction struct {
	Name     Name
	Replace  bool
	Params   []FunctionParam
	Returns  TypeName
	Language string
	Body     string
	// Options has the words as IMMUTABLE or STRICT, in lower case.
	Options []string
}

// FunctionParam is a parameter of a function.
type FunctionParam struct {
	Name    string
	Type    TypeName
	Default Expr
}

// CreateTrigger is CREATE TRIGGER.
type CreateTrigger struct {
	Name     string
	Replace  bool
	Table    Name
	Time     string   // BEFORE, AFTER or INSTEAD OF
	Events   []string // INSERT, UPDATE, DELETE, TRUNCATE
	Columns  []string // of UPDATE OF
	EachRow  bool
	When     Expr
	Function Name
	Args     []string
}

// Do is a DO block.
type Do struct {
	Pos      int
	Language string
	Body     string
}

// Drop is DROP of tables, indexes and so on: Object is "TABLE", "INDEX", "SEQUENCE", "SCHEMA", "TYPE", "VIEW",
// "EXTENSION", "FUNCTION" or "TRIGGER". On is the table of a trigger.
type Drop struct {
	Object       string
	Names        []Name
	IfExists     bool
	Cascade      bool
	Concurrently bool
	On           Name
}

// Truncate is TRUNCATE.
type Truncate struct {
	Tables          []Name
	RestartIdentity bool
	Cascade         bool
}

// Comment is COMMENT ON.
type Comment struct{ Object string }

// Grant is GRANT or REVOKE.
type Grant struct{ Revoke bool }

func (*CreateTable) statement()     {}
func (*AlterTable) statement()      {}
func (*CreateIndex) statement()     {}
func (*CreateSequence) statement()  {}
func (*AlterSequence) statement()   {}
func (*CreateSchema) statement()    {}
func (*CreateExtension) statement() {}
func (*CreateEnum) statement()      {}
func (*AlterEnum) statement()       {}
func (*CreateFunction) statement()  {}
func (*CreateTrigger) statement()   {}
func (*Do) statement()              {}
func (*Drop) statement()            {}
func (*Truncate) statement()        {}
func (*Comment) statement()         {}
func (*Grant) statement()           {}
