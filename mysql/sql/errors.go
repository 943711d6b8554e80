package sql

import (
	"errors"
	"fmt"
)

// Reason is the reason why a statement has failed.
type Reason uint8

// The reasons, with the contents of [Error.About] in parentheses.
const (
	Unsupported         Reason = iota + 1 // the parser does not know it (its name)
	Malformed                             // no server would read it (why)
	EmptyQuery                            // there is no statement
	ArgumentCount                         // a function has too many or too few arguments (its name)
	MissingParameter                      // a parameter has no value
	NoDatabase                            // the session has chosen no database
	NoTable                               // there is no such table (its name)
	UnknownTables                         // there are no such tables to drop (their names)
	TableExists                           // there is such a table already (its name)
	NoColumn                              // there is no such column (its name, the part of the statement)
	NoTableToSelect                       // all columns are selected of no table
	Grouping                              // an aggregate where none can be
	ColumnCount                           // a row has too many or too few values (its number)
	DuplicateColumn                       // two columns have one name (the name)
	MultiplePrimaryKeys                   // a table has two primary keys
	DuplicateKeyName                      // two keys have one name (the name)
	NoKeyColumn                           // a key is of a column that the table does not have (its name)
	UnkeyedColumn                         // a key is of a column whose type cannot be in one (its name)
	NotNumbered                           // a column counts and is no integer (its name)
	OneNumbered                           // more than one column counts, or one that is no key
	InvalidOnUpdate                       // ON UPDATE is not the present time (the column)
	InvalidDefault                        // a default does not suit its column (the column)
	NotNull                               // a column cannot be NULL (its name)
	NoDefault                             // a column without a default gets no value (its name)
	TooLong                               // a text is too long for its column (the column)
	NotInteger                            // a text is no integer (the text, the column)
	NotMoment                             // a value is no date with a time (the value, the column)
	NotInColumn                           // a number is not in the range of its column (the column)
	NotInType                             // a result is not in the range of its type (the type)
	NotJSON                               // a text is no JSON (the column)
	ManyColumns                           // a query within another has several columns
	ManyRows                              // a query within another has several rows
	Duplicate                             // a unique key is there already (the key, its name)
	NoSavepoint                           // there is no such savepoint (its name)
	InTransaction                         // a statement cannot be carried out in a transaction
	ReadOnlyServer                        // the server is read-only
	ReadOnlyTransaction                   // the transaction is read-only
	NotUnique                             // a statement names a table twice (its name)
	NotLocked                             // LOCK TABLES has not locked a table (its name)
	LockedForReading                      // LOCK TABLES has locked a table for reading alone (its name)
	LockTimeout                           // a lock was not to be had in time
	NotAvailable                          // a lock was not to be had at once
	Deadlock                              // the wait for a lock closes a circle of waits
	reasons
)

// reasonTexts are the texts of the errors, formats for [Error.About].
var reasonTexts = [reasons]string{
	Unsupported:         "%s is not supported",
	Malformed:           "the statement has %s",
	EmptyQuery:          "there is no statement",
	ArgumentCount:       "function %s has another number of arguments",
	MissingParameter:    "a parameter has no value",
	NoDatabase:          "no database is selected",
	NoTable:             "there is no table %s",
	UnknownTables:       "there are no tables %s",
	TableExists:         "table %s exists",
	NoColumn:            "there is no column %s in the %s",
	NoTableToSelect:     "all columns of no table",
	Grouping:            "an aggregate is not possible here",
	ColumnCount:         "row %d has another number of values than there are columns",
	DuplicateColumn:     "column %s is defined twice",
	MultiplePrimaryKeys: "there are two primary keys",
	DuplicateKeyName:    "key %s is defined twice",
	NoKeyColumn:         "a key is of column %s, which the table does not have",
	UnkeyedColumn:       "column %s cannot be in a key",
	NotNumbered:         "column %s is no integer and cannot count",
	OneNumbered:         "only one column can count, which must be a key",
	InvalidOnUpdate:     "column %s cannot be updated with that",
	InvalidDefault:      "column %s cannot have that default",
	NotNull:             "column %s cannot be NULL",
	NoDefault:           "column %s has no default",
	TooLong:             "the text is too long for column %s",
	NotInteger:          "%q is no integer for column %s",
	NotMoment:           "%q is no date with a time for column %s",
	NotInColumn:         "the number is not in the range of column %s",
	NotInType:           "the result is not in the range of %s",
	NotJSON:             "the text is no JSON for column %s",
	ManyColumns:         "a query within another has several columns",
	ManyRows:            "a query within another has several rows",
	Duplicate:           "%s is there already in key %s",
	NoSavepoint:         "there is no savepoint %s",
	InTransaction:       "the statement cannot be carried out in a transaction",
	ReadOnlyServer:      "the server is read-only",
	ReadOnlyTransaction: "the transaction is read-only",
	NotUnique:           "table %s is named twice",
	NotLocked:           "table %s was not locked with LOCK TABLES",
	LockedForReading:    "table %s was locked for reading alone",
	LockTimeout:         "the lock was not to be had in time",
	NotAvailable:        "the lock was not to be had at once",
	Deadlock:            "the wait for the lock is a deadlock",
}

// Error is the error of a statement. A server translates it to its own error number and text.
type Error struct {
	Reason Reason
	About  []any // the subjects of the error: see the reasons
}

func (e *Error) Error() string { return "sql: " + fmt.Sprintf(reasonTexts[e.Reason], e.About...) }

// Is reports whether another error has the same reason.
func (e *Error) Is(other error) bool {
	o, is := other.(*Error)
	return is && o.Reason == e.Reason
}

// Fail returns an error for a reason.
func Fail(r Reason, about ...any) error { return &Error{r, about} }

// Reasons returns all reasons for which a statement can fail.
func Reasons() (list []Reason) {
	for r := Unsupported; r < reasons; r++ {
		list = append(list, r)
	}
	return list
}

// ErrWait is returned by a step of a statement that has to wait, for a lock or for time to pass. The
// step is run again when the wait is over.
var ErrWait = errors.New("sql: the statement waits")

// ErrDeadlock is the error of a statement that is ended because of a deadlock.
var ErrDeadlock = Fail(Deadlock)

// errSkip is the result of a lock that a statement with SKIP LOCKED does not get.
var errSkip = errors.New("sql: the row is locked")

// isFor reports whether an error has a reason.
func isFor(err error, r Reason) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == r
}
