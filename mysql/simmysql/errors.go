package simmysql

import (
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/mysql/sql"
)

// sqlError is an error as clients see it: a number, an SQLSTATE and a text.
type sqlError struct {
	number uint16
	state  string
	text   string
	// lacks is what the simulated server does not support though a real one may, empty if a real one would fail as well.
	lacks string
}

func (e *sqlError) Error() string {
	return fmt.Sprintf("Error %d (%s): %s", e.number, e.state, e.text)
}

func fail(number uint16, state, format string, args ...any) error {
	return &sqlError{number: number, state: state, text: fmt.Sprintf(format, args...)}
}

// lack returns an error because of what the simulated server does not support.
func lack(what string, err error) error {
	e := *asClientsSee(err)
	e.lacks = what
	return &e
}

// Errors of the server itself, with MariaDB's numbers and texts.
var (
	errInterrupted    = fail(1317, "70100", "Query execution was interrupted")
	errKilled         = fail(1927, "70100", "Connection was killed")
	errUnknownCommand = fail(1047, "08S01", "Unknown command")
	errMalformed      = fail(1835, "HY000", "Malformed communication packet")
	errTooLarge       = fail(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes")
)

// supported is what the parser knows, for people whose statement it does not.
const supported = "It supports CREATE, DROP and TRUNCATE TABLE; INSERT (IGNORE, ON DUPLICATE KEY UPDATE, RETURNING), UPDATE, DELETE, " +
	"SELECT from one table or none (WHERE, ORDER BY, LIMIT, COUNT, MIN, MAX, SUM; queries in WHERE and EXISTS; FOR UPDATE, LOCK IN SHARE MODE, NOWAIT, SKIP LOCKED, WAIT n); " +
	"START TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, LOCK TABLES, UNLOCK TABLES, SET, DO, KILL, USE, SHOW VARIABLES, SHOW TABLES, SHOW WARNINGS"

// engineErrors are the errors of the SQL engine, with MariaDB's numbers and texts.
var engineErrors = map[sql.Reason]sqlError{
	sql.Unsupported:         {number: 1064, state: "42000", text: "You have an error in your SQL syntax, or the simulated server does not support it: %s. " + supported},
	sql.Malformed:           {number: 1064, state: "42000", text: "You have an error in your SQL syntax: the statement has %s"},
	sql.EmptyQuery:          {number: 1065, state: "42000", text: "Query was empty"},
	sql.ArgumentCount:       {number: 1582, state: "42000", text: "Incorrect parameter count in the call to native function '%s'"},
	sql.MissingParameter:    {number: 1835, state: "HY000", text: "Malformed communication packet"},
	sql.NoDatabase:          {number: 1046, state: "3D000", text: "No database selected"},
	sql.NoTable:             {number: 1146, state: "42S02", text: "Table '%s' doesn't exist"},
	sql.UnknownTables:       {number: 1051, state: "42S02", text: "Unknown table '%s'"},
	sql.TableExists:         {number: 1050, state: "42S01", text: "Table '%s' already exists"},
	sql.NoColumn:            {number: 1054, state: "42S22", text: "Unknown column '%s' in '%s'"},
	sql.NoTableToSelect:     {number: 1096, state: "HY000", text: "No tables used"},
	sql.Grouping:            {number: 1111, state: "HY000", text: "Invalid use of group function"},
	sql.ColumnCount:         {number: 1136, state: "21S01", text: "Column count doesn't match value count at row %d"},
	sql.DuplicateColumn:     {number: 1060, state: "42S21", text: "Duplicate column name '%s'"},
	sql.MultiplePrimaryKeys: {number: 1068, state: "42000", text: "Multiple primary key defined"},
	sql.DuplicateKeyName:    {number: 1061, state: "42000", text: "Duplicate key name '%s'"},
	sql.NoKeyColumn:         {number: 1072, state: "42000", text: "Key column '%s' doesn't exist in table"},
	sql.UnkeyedColumn:       {number: 1170, state: "42000", text: "BLOB/TEXT column '%s' used in key specification without a key length"},
	sql.NotNumbered:         {number: 1063, state: "42000", text: "Incorrect column specifier for column '%s'"},
	sql.OneNumbered:         {number: 1075, state: "42000", text: "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	sql.InvalidOnUpdate:     {number: 1294, state: "HY000", text: "Invalid ON UPDATE clause for '%s' column"},
	sql.InvalidDefault:      {number: 1067, state: "42000", text: "Invalid default value for '%s'"},
	sql.NotNull:             {number: 1048, state: "23000", text: "Column '%s' cannot be null"},
	sql.NoDefault:           {number: 1364, state: "HY000", text: "Field '%s' doesn't have a default value"},
	sql.TooLong:             {number: 1406, state: "22001", text: "Data too long for column '%s' at row 1"},
	sql.NotInteger:          {number: 1366, state: "22007", text: "Incorrect integer value: '%s' for column '%s' at row 1"},
	sql.NotMoment:           {number: 1292, state: "22007", text: "Incorrect datetime value: '%s' for column '%s' at row 1"},
	sql.NotInColumn:         {number: 1264, state: "22003", text: "Out of range value for column '%s' at row 1"},
	sql.NotInType:           {number: 1690, state: "22003", text: "%s value is out of range"},
	sql.NotJSON:             {number: 4025, state: "23000", text: "CONSTRAINT `%s` failed"},
	sql.ManyColumns:         {number: 1241, state: "21000", text: "Operand should contain 1 column(s)"},
	sql.ManyRows:            {number: 1242, state: "21000", text: "Subquery returns more than 1 row"},
	sql.Duplicate:           {number: 1062, state: "23000", text: "Duplicate entry '%s' for key '%s'"},
	sql.NoSavepoint:         {number: 1305, state: "42000", text: "SAVEPOINT %s does not exist"},
	sql.InTransaction:       {number: 1568, state: "25001", text: "Transaction characteristics can't be changed while a transaction is in progress"},
	sql.ReadOnlyServer:      {number: 1290, state: "HY000", text: "The MariaDB server is running with the --read-only option so it cannot execute this statement"},
	sql.ReadOnlyTransaction: {number: 1792, state: "25006", text: "Cannot execute statement in a READ ONLY transaction"},
	sql.NotUnique:           {number: 1066, state: "42000", text: "Not unique table/alias: '%s'"},
	sql.NotLocked:           {number: 1100, state: "HY000", text: "Table '%s' was not locked with LOCK TABLES"},
	sql.LockedForReading:    {number: 1099, state: "HY000", text: "Table '%s' was locked with a READ lock and can't be updated"},
	sql.LockTimeout:         {number: 1205, state: "HY000", text: "Lock wait timeout exceeded; try restarting transaction"},
	sql.NotAvailable:        {number: 1205, state: "HY000", text: "Lock wait timeout exceeded; try restarting transaction"},
	sql.Deadlock:            {number: 1213, state: "40001", text: "Deadlock found when trying to get lock; try restarting transaction"},
}

// asClientsSee returns an error with its number and text.
func asClientsSee(err error) *sqlError {
	var own *sqlError
	var of *sql.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &of):
		e := engineErrors[of.Reason]
		if of.Reason == sql.Unsupported {
			e.lacks = fmt.Sprint(of.About...)
		}
		e.text = fmt.Sprintf(e.text, of.About...)
		return &e
	}
	return &sqlError{number: 1105, state: "HY000", text: err.Error()}
}
