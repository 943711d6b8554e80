package sql

// Grammar is how the statements of a dialect are written. All dialects have the operators AND, OR, NOT, IN,
// BETWEEN, LIKE, IS NULL, = <> < <= > >= and + - * /, texts between single quotes, in which a quote is doubled, and comments
// between /* and */. What is nil, 0 or empty the dialect does not have.
type Grammar struct {
	// NameQuote encloses names that would be read otherwise without it.
	NameQuote byte
	// TextQuote may stand around texts as well.
	TextQuote byte
	// Escapes are the characters that stand for others behind a backslash in a text. If it is nil,
	// backslashes are ordinary characters.
	Escapes map[byte]byte
	// Comments are what comments begin with that end with the line.
	Comments []string
	// Executed are what comments begin with whose content the store executes. They are refused.
	Executed []string
	// Operators are further symbols and words of at most 8 characters, in lower case, with the operator of the engine that each means: one of those
	// above in lower case, xor, %, div (of integers), or <=> (NULL equals NULL). A symbol of several characters that is no
	// operator has itself.
	Operators map[string]string
	// Reserved are words that are no names.
	Reserved []string
	// Database is the only database that statements can name.
	Database string
	// NoTable is the name of a table that means none.
	NoTable string
	// Views are tables of the server that SELECT reads.
	Views []Viewed
	// OffsetFirst allows LIMIT offset, count.
	OffsetFirst bool

	// Statements are the readers of statements, by the first word in lower case, which is read.
	Statements map[string]func(*Parser) Statement
	// Variable reads a variable of the server or the session.
	Variable func(p *Parser, t Token) Expr

	// Functions are those of single rows, by their names in lower case. All dialects have the aggregates.
	Functions map[string]Callable
	// Synonyms are other names of functions.
	Synonyms map[string]string
	// Bare are the words that call a function without parentheses, with its name.
	Bare map[string]string
	// Calls are the readers of calls whose arguments are not a list of expressions. The name, t, and the parenthesis
	// are read.
	Calls map[string]func(p *Parser, t Token) Expr

	// Locking reads how a SELECT asks for locks otherwise than by FOR UPDATE and FOR SHARE. The result is
	// LockNothing if it does not.
	Locking func(*Parser) Locking
	// Patience reads how long a SELECT waits for locks otherwise than by NOWAIT and SKIP LOCKED.
	Patience func(*Parser) Patience

	// Types are those of columns, by their names in lower case.
	Types map[string]ColumnType
	// Definition reads what CREATE TABLE defines beside columns, primary keys and unique keys. The result is false
	// if none comes next.
	Definition func(*Parser, *Plan) bool
	// ColumnOption reads an option of a column beside NULL, NOT NULL, DEFAULT, PRIMARY KEY and UNIQUE. The result is
	// false if none comes next.
	ColumnOption func(*Parser, *Plan, *Column) bool
	// TableOptions reads what follows the definitions.
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

// longestOperator is how many characters an operator has at most.
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

// Dialect is the SQL of a store: what differs between stores.
type Dialect struct {
	Grammar
	// Collation says how texts are compared.
	Collation Collation
	// Results are the types of columns of results that are not columns of tables, by the kind of their values.
	Results map[Kind]ColumnType
	// Isolations are the isolation levels. Sessions begin with the first.
	Isolations []Isolation
	// CommitsFirst reports whether a statement commits the open transaction before it is carried out. It is asked
	// about statements that begin a transaction or change tables themselves: if they do not, they are refused in a
	// transaction.
	CommitsFirst func(Statement) bool
	// RollsBack reports whether an error rolls the whole transaction back, and not the statement alone.
	RollsBack func(error) bool
}

// Isolation is an isolation level: what statements see, and what they lock.
type Isolation struct {
	Name string
	// FreshSnapshots says that each statement that locks nothing sees what was committed when it began. Otherwise the
	// first one decides for all of the transaction.
	FreshSnapshots bool
	// LocksGaps says that statements lock the gaps between the records that they look at, so that nobody inserts into them,
	// and keep their locks on rows that they do not want. Otherwise they lock records alone, and give such rows up.
	LocksGaps bool
	// LocksReads says that a SELECT in a transaction of several statements locks what it reads, as FOR SHARE does.
	LocksReads bool
}
