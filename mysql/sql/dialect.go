package sql

// Grammar is the syntax of a dialect. All dialects have the operators AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL, = <> < <=
// > >= and + - * /, texts between single quotes, in which a quote is doubled, and comments between /* and */. The
// dialect lacks the parts that are nil, 0 or empty.
type Grammar struct {
	// NameQuote encloses names that would be read differently without it.
	NameQuote byte
	// TextQuote may enclose texts, beside single quotes.
	TextQuote byte
	// Escapes maps characters after a backslash in a text to the characters that they mean. If it
	// is nil, backslashes are ordinary characters.
	Escapes map[byte]byte
	// Comments are the beginnings of comments that end with the line.
	Comments []string
	// Executed are the beginnings of comments whose content the store executes. They are
	// refused.
	Executed []string
	// Operators are further symbols and words of at most 8 characters, in lower case, with the operator of the engine
	// that each means: one of those above in lower case, xor, %, div (of integers), or <=> (NULL equals NULL). A symbol
	// of several characters that is not an operator maps to itself.
	Operators map[string]string
	// Reserved are words that cannot be names.
	Reserved []string
	// Database is the only database that statements can name.
	Database string
	// NoTable is the name of a table that means none.
	NoTable string
	// Views are tables of the server that SELECT reads.
	Views []Viewed
	// OffsetFirst allows LIMIT offset, count.
	OffsetFirst bool

	// Statements are the readers of statements, by their first word in lower case. They are
	// called after that word is read.
	Statements map[string]func(*Parser) Statement
	// Variable reads a variable of the server or the session.
	Variable func(p *Parser, t Token) Expr

	// Functions are those of single rows, by their names in lower case. All dialects have the aggregates.
	Functions map[string]Callable
	// Synonyms are other names of functions.
	Synonyms map[string]string
	// Bare maps words that call a function without parentheses to its name.
	Bare map[string]string
	// Calls are the readers of calls whose arguments are not a list of expressions. The name, t, and the parenthesis
	// are read.
	Calls map[string]func(p *Parser, t Token) Expr

	// Locking reads a locking clause of a SELECT other than FOR UPDATE and FOR SHARE. The result is
	// LockNothing if there is none.
	Locking func(*Parser) Locking
	// Patience reads a SELECT's wait clause other than NOWAIT and SKIP LOCKED.
	Patience func(*Parser) Patience

	// Types are the types of columns, by their names in lower case.
	Types map[string]ColumnType
	// Definition reads a definition of CREATE TABLE other than columns, primary keys and unique keys. The result
	// is false if none is next.
	Definition func(*Parser, *Plan) bool
	// ColumnOption reads an option of a column beside NULL, NOT NULL, DEFAULT, PRIMARY KEY and UNIQUE. The result is
	// false if none is next.
	ColumnOption func(*Parser, *Plan, *Column) bool
	// TableOptions reads the options after the definitions.
	TableOptions func(*Parser, *Plan)
}

// StandardStatements returns the readers of the statements that all dialects have, for [Grammar.Statements].
func StandardStatements() map[string]func(*Parser) Statement {
	return map[string]func(*Parser) Statement{
		"select":   (*Parser).selection,
		"insert":   (*Parser).insertion,
		"update":   (*Parser).updating,
		"delete":   (*Parser).deletion,
		"create":   (*Parser).creation,
		"alter":    (*Parser).altering,
		"drop":     (*Parser).dropping,
		"truncate": (*Parser).truncation,
		"begin":    (*Parser).beginning,
		"commit":   (*Parser).committing,
		"rollback": (*Parser).rollback,
		"savepoint": func(p *Parser) Statement {
			return &Savepoint{name: p.Name()}
		},
		"release": func(p *Parser) Statement {
			p.Want("savepoint")
			return &Savepoint{name: p.Name(), release: true}
		},
	}
}

// longestOperator is the largest length of an operator, in characters.
const longestOperator = 8

// operator returns the operator of the engine that a symbol or a word means; empty if it is none.
func (g *Grammar) operator(text string) string {
	var lower [longestOperator]byte
	if len(text) > longestOperator {
		return ""
	}
	for i := range len(text) {
		lower[i] = text[i]
		if c := text[i]; c >= 'A' && c <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	switch op := lower[:len(text)]; string(op) {
	case "and":
		return "and"
	case "or":
		return "or"
	case "not":
		return "not"
	case "=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/":
		return text
	default:
		return g.Operators[string(op)]
	}
}

// Dialect is the SQL of a store, as far as stores differ.
type Dialect struct {
	Grammar
	// Collation says how texts are compared.
	Collation Collation
	// Results are the types of a result's columns other than those of tables, by the kind of their values.
	Results map[Kind]ColumnType
	// Isolations are the isolation levels. Sessions begin with the first.
	Isolations []Isolation
	// CommitsFirst reports whether a statement commits the open transaction before it is executed. It is called
	// for statements that begin a transaction or define tables: if they do not commit, they are refused in a
	// transaction.
	CommitsFirst func(Statement) bool
	// RollsBack reports whether an error rolls back the whole transaction, and not only the statement.
	RollsBack func(error) bool
}

// Isolation is an isolation level: the snapshots and the locks of statements.
type Isolation struct {
	Name string
	// FreshSnapshots is set if each statement that locks nothing has a snapshot of its own, of the data committed
	// when it began. Otherwise all of a transaction share the first one's.
	FreshSnapshots bool
	// LocksGaps is set if statements lock the gaps between the records that they look at, so that nobody inserts into
	// them, and keep their locks on rows that do not meet the condition. Otherwise they lock only records, and unlock
	// such rows.
	LocksGaps bool
	// LocksReads is set if a SELECT in a transaction of several statements locks the rows that it reads, as FOR
	// SHARE does.
	LocksReads bool
}
