package simpostgres

import (
	"strconv"
	"strings"
)

// rowType is the type of the records that are rows, [model.Stored.Type]: their items are the names
// of the columns, each followed by its value, "NULL" if it has none.
const rowType = "row"

// RowKey returns the key of the record that shows a row, by its table and its primary key.
func RowKey(table string, primaryKey ...string) string {
	return table + "/" + strings.Join(primaryKey, "/")
}

// RowLockKey returns the key of the record that shows who has locked a row exclusively: FOR UPDATE, FOR NO KEY UPDATE,
// or by a change.
func RowLockKey(table string, primaryKey ...string) string {
	return "lock of " + RowKey(table, primaryKey...)
}

// TableLockKey returns the key of the record that shows which session has locked a table by LOCK TABLE
// in one of the modes EXCLUSIVE and ACCESS EXCLUSIVE.
func TableLockKey(table string) string { return "table lock " + table }

// AdvisoryKey returns the key of the record that shows which session has the exclusive advisory lock of a key: one
// number, which is a bigint, or two, which are integers.
func AdvisoryKey(key ...int64) string {
	words := make([]string, len(key))
	for i, k := range key {
		words[i] = strconv.FormatInt(k, 10)
	}
	return "advisory lock " + strings.Join(words, ", ")
}
