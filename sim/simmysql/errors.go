package simmysql

import (
	"errors"
	"fmt"
)

// sqlError is an error as clients see it: a number, an SQLSTATE and a text.
type sqlError struct {
	number uint16
	state  string
	text   string
}

func (e *sqlError) Error() string {
	return fmt.Sprintf("Error %d (%s): %s", e.number, e.state, e.text)
}

// errWait is the result of a step of a statement that has to wait: for a lock, for
// a named lock, for time to pass. The step is run again when the wait is over.
var errWait = errors.New("simmysql: the statement waits")

func fail(number uint16, state, format string, args ...any) error {
	return &sqlError{number, state, fmt.Sprintf(format, args...)}
}

// Errors without parameters, with MariaDB's numbers and texts.
var (
	errLockWaitTimeout = &sqlError{1205, "HY000", "Lock wait timeout exceeded; try restarting transaction"}
	errDeadlock        = &sqlError{1213, "40001", "Deadlock found when trying to get lock; try restarting transaction"}
	errInterrupted     = &sqlError{1317, "70100", "Query execution was interrupted"}
	errKilled          = &sqlError{1927, "70100", "Connection was killed"}
	errReadOnlyServer  = &sqlError{1290, "HY000", "The MariaDB server is running with the --read-only option so it cannot execute this statement"}
	errReadOnlyTxn     = &sqlError{1792, "25006", "Cannot execute statement in a READ ONLY transaction"}
	errNoDatabase      = &sqlError{1046, "3D000", "No database selected"}
	errUnknownCommand  = &sqlError{1047, "08S01", "Unknown command"}
	errMalformed       = &sqlError{1835, "HY000", "Malformed communication packet"}
	errTooLarge        = &sqlError{1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes"}
	errTransacted      = &sqlError{1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress"}
	errGroup           = &sqlError{1111, "HY000", "Invalid use of group function"}
	errEmptyQuery      = &sqlError{1065, "42000", "Query was empty"}
	errColumnCount     = &sqlError{1136, "21S01", "Column count doesn't match value count at row 1"}
)

// errUnsupported refuses what the parser does not know. The text says what it does know.
func errUnsupported(what string) error {
	return fail(1064, "42000", "You have an error in your SQL syntax, or the simulated server does not support it: %s. %s", what, supported)
}

// supported is what the parser knows, for people whose statement it does not.
const supported = "It supports CREATE, DROP and TRUNCATE TABLE; INSERT (IGNORE, ON DUPLICATE KEY UPDATE), UPDATE, DELETE, " +
	"SELECT from one table or none (WHERE, ORDER BY, LIMIT, COUNT, MIN, MAX, SUM; FOR UPDATE, LOCK IN SHARE MODE, NOWAIT, SKIP LOCKED, WAIT n); " +
	"START TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, SET, DO, KILL, USE, SHOW VARIABLES, SHOW WARNINGS"

func errNoTable(name string) error {
	return fail(1146, "42S02", "Table '%s' doesn't exist", name)
}

func errNoColumn(name, where string) error {
	return fail(1054, "42S22", "Unknown column '%s' in '%s'", name, where)
}

func errDuplicate(key, index string) error {
	return fail(1062, "23000", "Duplicate entry '%s' for key '%s'", key, index)
}

// isDuplicate reports whether a unique key is there already.
func isDuplicate(err error) bool {
	var e *sqlError
	return errors.As(err, &e) && e.number == 1062
}
