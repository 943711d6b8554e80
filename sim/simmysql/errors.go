package simmysql

import (
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/sim/internal/sql"
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

func fail(number uint16, state, format string, args ...any) error {
	return &sqlError{number, state, fmt.Sprintf(format, args...)}
}

// Errors of the server itself, with MariaDB's numbers and texts.
var (
	errInterrupted    = &sqlError{1317, "70100", "Query execution was interrupted"}
	errKilled         = &sqlError{1927, "70100", "Connection was killed"}
	errUnknownCommand = &sqlError{1047, "08S01", "Unknown command"}
	errMalformed      = &sqlError{1835, "HY000", "Malformed communication packet"}
	errTooLarge       = &sqlError{1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes"}
)

// supported is what the parser knows, for people whose statement it does not.
const supported = "It supports CREATE, DROP and TRUNCATE TABLE; INSERT (IGNORE, ON DUPLICATE KEY UPDATE), UPDATE, DELETE, " +
	"SELECT from one table or none (WHERE, ORDER BY, LIMIT, COUNT, MIN, MAX, SUM; FOR UPDATE, LOCK IN SHARE MODE, NOWAIT, SKIP LOCKED, WAIT n); " +
	"START TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, LOCK TABLES, UNLOCK TABLES, SET, DO, KILL, USE, SHOW VARIABLES, SHOW WARNINGS"

// engineErrors are the errors of the SQL engine, with MariaDB's numbers and texts.
var engineErrors = map[sql.Reason]sqlError{
	sql.Unsupported:         {1064, "42000", "You have an error in your SQL syntax, or the simulated server does not support it: %s. " + supported},
	sql.EmptyQuery:          {1065, "42000", "Query was empty"},
	sql.ArgumentCount:       {1582, "42000", "Incorrect parameter count in the call to native function '%s'"},
	sql.MissingParameter:    *errMalformed,
	sql.NoDatabase:          {1046, "3D000", "No database selected"},
	sql.NoTable:             {1146, "42S02", "Table '%s' doesn't exist"},
	sql.UnknownTables:       {1051, "42S02", "Unknown table '%s'"},
	sql.TableExists:         {1050, "42S01", "Table '%s' already exists"},
	sql.NoColumn:            {1054, "42S22", "Unknown column '%s' in '%s'"},
	sql.NoTableToSelect:     {1096, "HY000", "No tables used"},
	sql.Grouping:            {1111, "HY000", "Invalid use of group function"},
	sql.ColumnCount:         {1136, "21S01", "Column count doesn't match value count at row %d"},
	sql.DuplicateColumn:     {1060, "42S21", "Duplicate column name '%s'"},
	sql.MultiplePrimaryKeys: {1068, "42000", "Multiple primary key defined"},
	sql.DuplicateKeyName:    {1061, "42000", "Duplicate key name '%s'"},
	sql.NoKeyColumn:         {1072, "42000", "Key column '%s' doesn't exist in table"},
	sql.UnkeyedColumn:       {1170, "42000", "BLOB/TEXT column '%s' used in key specification without a key length"},
	sql.NotNumbered:         {1063, "42000", "Incorrect column specifier for column '%s'"},
	sql.OneNumbered:         {1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	sql.InvalidOnUpdate:     {1294, "HY000", "Invalid ON UPDATE clause for '%s' column"},
	sql.InvalidDefault:      {1067, "42000", "Invalid default value for '%s'"},
	sql.NotNull:             {1048, "23000", "Column '%s' cannot be null"},
	sql.NoDefault:           {1364, "HY000", "Field '%s' doesn't have a default value"},
	sql.TooLong:             {1406, "22001", "Data too long for column '%s' at row 1"},
	sql.NotInteger:          {1366, "22007", "Incorrect integer value: '%s' for column '%s' at row 1"},
	sql.NotMoment:           {1292, "22007", "Incorrect datetime value: '%s' for column '%s' at row 1"},
	sql.NotInColumn:         {1264, "22003", "Out of range value for column '%s' at row 1"},
	sql.NotInType:           {1690, "22003", "%s value is out of range"},
	sql.Duplicate:           {1062, "23000", "Duplicate entry '%s' for key '%s'"},
	sql.NoSavepoint:         {1305, "42000", "SAVEPOINT %s does not exist"},
	sql.InTransaction:       {1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress"},
	sql.ReadOnlyServer:      {1290, "HY000", "The MariaDB server is running with the --read-only option so it cannot execute this statement"},
	sql.ReadOnlyTransaction: {1792, "25006", "Cannot execute statement in a READ ONLY transaction"},
	sql.NotUnique:           {1066, "42000", "Not unique table/alias: '%s'"},
	sql.NotLocked:           {1100, "HY000", "Table '%s' was not locked with LOCK TABLES"},
	sql.LockedForReading:    {1099, "HY000", "Table '%s' was locked with a READ lock and can't be updated"},
	sql.LockTimeout:         {1205, "HY000", "Lock wait timeout exceeded; try restarting transaction"},
	sql.NotAvailable:        {1205, "HY000", "Lock wait timeout exceeded; try restarting transaction"},
	sql.Deadlock:            {1213, "40001", "Deadlock found when trying to get lock; try restarting transaction"},
}

// asClientsSee is an error with its number and text.
func asClientsSee(err error) *sqlError {
	var own *sqlError
	var of *sql.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &of):
		e := engineErrors[of.Reason]
		e.text = fmt.Sprintf(e.text, of.About...)
		return &e
	}
	return &sqlError{1105, "HY000", err.Error()}
}
