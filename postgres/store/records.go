package store

import "github.com/lockpick-dev/lockpick/postgres/simpostgres"

// RowKey returns the key of the record that shows a row, by its table and its primary key. The record has the
// row's columns, each followed by its value.
func RowKey(table string, primaryKey ...string) string {
	return simpostgres.RowKey(table, primaryKey...)
}

// RowLockKey returns the key of the record that shows which session has locked a row exclusively: FOR UPDATE,
// FOR NO KEY UPDATE, or by a change. The record's session is that of the server.
func RowLockKey(table string, primaryKey ...string) string {
	return simpostgres.RowLockKey(table, primaryKey...)
}

// TableLockKey returns the key of the record that shows which session has locked a table by LOCK TABLE in one
// of the modes EXCLUSIVE and ACCESS EXCLUSIVE.
func TableLockKey(table string) string { return simpostgres.TableLockKey(table) }

// AdvisoryKey returns the key of the record that shows which session has the exclusive advisory lock of a key:
// one number, which is a bigint, or two, which are integers.
func AdvisoryKey(key ...int64) string { return simpostgres.AdvisoryKey(key...) }
