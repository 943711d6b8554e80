package sql

import (
	"slices"
	"strings"
	"time"
)

// Expr is an expression. The engine evaluates its own expressions; those of a dialect are
// [Evaluator] values.
type Expr interface {
	// Parts returns the expressions that it consists of.
	Parts() []Expr
}

// Callable is a function as the parser knows it.
type Callable interface {
	// Arguments returns how many arguments it takes.
	Arguments() (least, most int)
	// HasEffect reports whether the function may wait, or has an effect. Such a function is evaluated
	// once in a statement, and not with rows of a table.
	HasEffect() bool
	// IsClock reports whether the function returns the present time, which columns may have as
	// their default.
	IsClock() bool
}

// Viewed is a view as the parser knows it: a table of another database that shows the state of the server.
type Viewed interface {
	// Names returns the name of its database and its own name.
	Names() (database, name string)
}

// Expressions.
type (
	// Literal is a value.
	Literal struct{ Value Value }
	param   struct{ n int }
	// ColumnRef is a column of the row.
	ColumnRef struct {
		Table, Name string
		// Inserted is set for the column of the row to be inserted, if there is already a row with
		// its key.
		Inserted bool
	}
	prefixed struct {
		op string
		x  Expr
	}
	operation struct {
		op   string
		a, b Expr
	}
	isNull struct {
		x   Expr
		not bool
	}
	inList struct {
		x    Expr
		list []Expr
		not  bool
	}
	between struct{ x, low, high Expr }
	// shift is a moment moved by an interval.
	shift struct {
		x, n Expr
		unit time.Duration
		back bool
	}
	call struct {
		name     string
		function Callable
		args     []Expr
	}
	// aggregate is a function of all rows; x is nil for COUNT(*).
	aggregate struct {
		name string
		x    Expr
	}
	// subquery is the value of a query, or whether it has rows.
	subquery struct {
		query  *Select
		exists bool
	}
)

// Parts returns nil.
func (*Literal) Parts() []Expr { return nil }

// Parts returns nil.
func (*ColumnRef) Parts() []Expr { return nil }

func (*param) Parts() []Expr       { return nil }
func (*subquery) Parts() []Expr    { return nil }
func (u *prefixed) Parts() []Expr  { return []Expr{u.x} }
func (b *operation) Parts() []Expr { return []Expr{b.a, b.b} }
func (n *isNull) Parts() []Expr    { return []Expr{n.x} }
func (l *inList) Parts() []Expr    { return append([]Expr{l.x}, l.list...) }
func (b *between) Parts() []Expr   { return []Expr{b.x, b.low, b.high} }
func (s *shift) Parts() []Expr     { return []Expr{s.x, s.n} }
func (c *call) Parts() []Expr      { return c.args }
func (a *aggregate) Parts() []Expr {
	if a.x == nil {
		return nil
	}
	return []Expr{a.x}
}

// anyPart reports whether is returns true for an expression or one of its parts.
func anyPart(e Expr, is func(Expr) bool) bool {
	if e == nil {
		return false
	}
	if is(e) {
		return true
	}
	for _, part := range e.Parts() {
		if anyPart(part, is) {
			return true
		}
	}
	return false
}

// aggregates are the functions of all rows.
var aggregates = []string{"count", "min", "max", "sum"}

func isAggregate(e Expr) bool { _, is := e.(*aggregate); return is }

func isSubquery(e Expr) bool { _, is := e.(*subquery); return is }

// isLike reports whether an expression is a LIKE.
func isLike(e Expr) bool { o, is := e.(*operation); return is && o.op == "like" }

// hasAggregate reports whether an expression is an aggregate of another.
func hasAggregate(e Expr) bool {
	a, is := e.(*aggregate)
	return is && anyPart(a.x, isAggregate)
}

// dependsOnRow reports whether an expression has a column outside of aggregates.
func dependsOnRow(e Expr) bool {
	switch e.(type) {
	case *aggregate:
		return false
	case *ColumnRef:
		return true
	}
	return slices.ContainsFunc(e.Parts(), dependsOnRow)
}

// isClock reports whether an expression is the present time.
func isClock(e Expr) bool {
	f, is := e.(*call)
	return is && f.function.IsClock()
}

// EffectName returns the name of the first function in the expressions that may wait or has an effect,
// or otherwise if there is none.
func EffectName(exprs []Expr, otherwise string) string {
	for _, e := range exprs {
		if e == nil { // of *
			continue
		}
		if c, is := e.(*call); is && c.function.HasEffect() {
			return strings.ToUpper(c.name)
		}
		if name := EffectName(e.Parts(), ""); name != "" {
			return name
		}
	}
	return otherwise
}

// Statement is a parsed statement of a client. A statement that can be executed is a
// [Runner].
type Statement interface {
	// Name returns the kind of request, such as "SELECT ... FOR UPDATE" or "COMMIT"; or the name of a
	// function in it that may wait or has an effect.
	Name() string
}

// Locking is the kind of locks that a SELECT takes.
type Locking uint8

// The kinds of locks of a SELECT.
const (
	LockNothing Locking = iota
	LockShared
	LockExclusive
)

// Patience is how long a statement waits for a lock.
type Patience struct {
	Kind    PatienceKind
	Seconds int // with WaitFor
}

// PatienceKind is a kind of [Patience].
type PatienceKind uint8

// The kinds of patience.
const (
	WaitAsUsual PatienceKind = iota // the session's time
	NoWait                          // not at all
	SkipLocked                      // not at all: it passes over the row
	WaitFor                         // for some seconds
)

type (
	item struct {
		expr  Expr
		name  string
		isAll bool // *
	}
	ordering struct {
		expr Expr
		down bool
	}
	limit struct {
		count, offset Expr
	}
	// Assignment gives a column a value.
	Assignment struct {
		Column string
		Expr   Expr // nil for its default
	}
)

// Statements on tables.
type (
	// Select is SELECT.
	Select struct {
		items    []item
		table    string // empty if it is from none
		view     Viewed // read instead of a table
		where    Expr
		order    []ordering
		limit    *limit
		locking  Locking
		patience Patience
	}
	// Insert is INSERT.
	Insert struct {
		Table string
		// Ignore skips rows whose keys exist already.
		Ignore  bool
		Columns []string
		Rows    [][]Expr // nil expressions are defaults
		// OnDuplicate changes the existing row if the key exists already.
		OnDuplicate []Assignment
		// Returning selects the columns of written rows for the answer; nil for none.
		Returning *Select
	}
	// Update is UPDATE.
	Update struct {
		table string
		set   []Assignment
		where Expr
		order []ordering
		limit *limit
	}
	// Delete is DELETE.
	Delete struct {
		table string
		where Expr
		order []ordering
		limit *limit
	}
	// CreateTable is CREATE TABLE.
	CreateTable struct {
		ifNotExists bool
		plan        *Plan
	}
	// AlterTable is ALTER TABLE that adds columns and keys.
	AlterTable struct{ plan *Plan }
	// DropTable is DROP TABLE.
	DropTable struct {
		names    []string
		ifExists bool
	}
	// TruncateTable is TRUNCATE TABLE.
	TruncateTable struct{ name string }
)

// Statements on transactions.
type (
	// Begin is BEGIN, or START TRANSACTION.
	Begin struct {
		Snapshot, ReadOnly bool
	}
	// Commit is COMMIT.
	Commit struct{}
	// Rollback is ROLLBACK.
	Rollback struct{ to string } // a savepoint; empty for all
	// Savepoint is SAVEPOINT, or RELEASE SAVEPOINT.
	Savepoint struct {
		name    string
		release bool
	}
)

// exprs returns all expressions of the statement, except those of its LIMIT.
func (s *Select) exprs() []Expr {
	list := []Expr{s.where}
	for _, i := range s.items {
		list = append(list, i.expr) // nil for *
	}
	for _, o := range s.order {
		list = append(list, o.expr)
	}
	return list
}

func (s *Select) aggregates() bool {
	return slices.ContainsFunc(s.items, func(i item) bool {
		return anyPart(i.expr, isAggregate)
	})
}

// Name returns SELECT with its locking clause.
func (s *Select) Name() string {
	var exprs []Expr
	for _, i := range s.items {
		exprs = append(exprs, i.expr)
	}
	return EffectName(exprs, [...]string{"SELECT", "SELECT ... FOR SHARE", "SELECT ... FOR UPDATE"}[s.locking])
}

// Name is INSERT.
func (*Insert) Name() string { return "INSERT" }

// Name is UPDATE.
func (*Update) Name() string { return "UPDATE" }

// Name is DELETE.
func (*Delete) Name() string { return "DELETE" }

// Name is CREATE TABLE.
func (*CreateTable) Name() string { return "CREATE TABLE" }

// Name is ALTER TABLE.
func (*AlterTable) Name() string { return "ALTER TABLE" }

// Name is DROP TABLE.
func (*DropTable) Name() string { return "DROP TABLE" }

// Name is TRUNCATE TABLE.
func (*TruncateTable) Name() string { return "TRUNCATE TABLE" }

// Name is BEGIN.
func (*Begin) Name() string { return "BEGIN" }

// Name is COMMIT.
func (*Commit) Name() string { return "COMMIT" }

// Name is ROLLBACK.
func (*Rollback) Name() string { return "ROLLBACK" }

// Name is SAVEPOINT.
func (*Savepoint) Name() string { return "SAVEPOINT" }
